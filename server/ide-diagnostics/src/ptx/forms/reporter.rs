//! The context of messages about the statements of a function.

use warplens_hir::ptx::{Checker, Function, Platform};

use crate::ptx::statement_ranges::StatementRanges;

/// Builds the messages about statements of a function.
pub(super) struct Reporter<'a> {
    pub(super) function: &'a Function,
    pub(super) checker: Checker<'a>,
    pub(super) platform: Platform,
    pub(super) ranges: &'a StatementRanges,
}
