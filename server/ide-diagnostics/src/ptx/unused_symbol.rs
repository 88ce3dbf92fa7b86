//! The hint about a symbol that is never used.

use warplens_hir::ptx::Symbol;
use warplens_ide_db::{Problem, Tag};

/// The hint at a symbol of this kind.
pub(super) fn hint(symbol: &Symbol, code: &'static str, kind: &str) -> Problem {
    let message = format!("unused {kind} `{}`; remove it", symbol.name);
    Problem::hint(symbol.range, code, message).with_tag(Tag::Unnecessary)
}
