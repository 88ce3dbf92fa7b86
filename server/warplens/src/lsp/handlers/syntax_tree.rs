//! `warplens/syntaxTree`: the syntax tree as text, for debugging.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::TextDocumentIdentifier;
use tower_lsp::ls_types::request::Request;

use crate::lsp::documents::snapshot::{Failure, Snapshot};

pub(crate) enum SyntaxTree {}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SyntaxTreeParams {
    text_document: TextDocumentIdentifier,
}

impl Request for SyntaxTree {
    type Params = SyntaxTreeParams;
    type Result = String;
    const METHOD: &'static str = "warplens/syntaxTree";
}

pub(crate) fn syntax_tree(snapshot: &Snapshot) -> Result<String, Failure> {
    Ok(snapshot.analysis.syntax_tree(snapshot.file)?)
}
