//! `warplens/syntaxTree`: the syntax tree as text, for debugging.

use crate::documents::snapshot::{Failure, Snapshot};

pub(crate) fn syntax_tree(snapshot: &Snapshot) -> Result<String, Failure> {
    Ok(snapshot.analysis.syntax_tree(snapshot.file)?)
}
