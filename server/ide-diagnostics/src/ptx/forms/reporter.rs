//! The context of messages about the statements of a function.

use warplens_hir::ptx::{Checker, FormMatch, Function, Instruction, Platform};

use crate::ptx::statement_ranges::StatementRanges;

/// Builds the messages about statements of a function.
pub(super) struct Reporter<'a> {
    pub(super) function: &'a Function,
    pub(super) checker: Checker<'a>,
    pub(super) platform: Platform,
    pub(super) ranges: &'a StatementRanges,
}

#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) report: &'a Reporter<'a>,
    pub(super) instruction: Instruction<'a>,
    pub(super) form: &'a FormMatch,
}
