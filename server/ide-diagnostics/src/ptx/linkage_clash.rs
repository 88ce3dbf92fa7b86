//! `linkage-clash`: two declarations of a name that differ in linkage.

use text_size::TextRange;
use warplens_hir::ptx::ModuleKind;
use warplens_ide_db::Problem;

use crate::codes;

/// The message at the second of two declarations. `names` finds them.
pub(super) fn message(name: &str, first: ModuleKind) -> String {
    if first.is_extern() {
        return format!(
            "`{name}` is declared `.extern`, so another module defines it; remove `.extern` to define it here"
        );
    }
    format!("the declarations of `{name}` differ in linkage; repeat the linkage of the first, or omit it")
}

pub(super) fn extern_with_body(range: TextRange) -> Problem {
    let message = "an `.extern` function is defined in another module; remove `.extern`, or the body";
    Problem::error(range, codes::LINKAGE_CLASH, message)
}
