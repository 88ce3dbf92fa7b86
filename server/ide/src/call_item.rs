//! Calls, as data.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use text_size::TextRange;
use warplens_ide_db::{SymbolKind, Target};

/// A function that calls or is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// The range of its name.
    pub name: String,
    /// A kernel or a function.
    pub kind: SymbolKind,
    /// A short detail.
    pub detail: String,
    /// Its definition, or else its declaration.
    pub target: Target,
}

/// Calls between two functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The other function.
    pub item: CallItem,
    /// The ranges of the callee's name in the body of the caller.
    pub places: Vec<TextRange>,
}

/// The calls of a function by callee, in the order of the first calls.
pub(crate) fn by_callee<'c>(
    calls: impl Iterator<Item = (&'c str, TextRange)>,
    item_of: impl Fn(&str) -> Option<CallItem>,
) -> Vec<Calls> {
    let mut callees: IndexMap<&str, Vec<TextRange>, FxBuildHasher> = IndexMap::default();
    for (callee, range) in calls {
        callees.entry(callee).or_default().push(range);
    }
    callees
        .into_iter()
        .filter_map(|(callee, places)| Some(Calls { item: item_of(callee)?, places }))
        .collect()
}
