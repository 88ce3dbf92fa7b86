//! `duplicate-address`: an address that is not above the one before it.

use warplens_hir::sass::Function;
use warplens_ide_db::Problem;

use crate::codes;

/// Reports the first address that is not above the one before it, but above the first of the function.
pub(super) fn check(function: &Function) -> Option<Problem> {
    let message =
        "this address is not above the one before it: lines are missing, repeated or in another order";
    Some(Problem::warning(function.descends?, codes::DUPLICATE_ADDRESS, message))
}
