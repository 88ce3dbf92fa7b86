//! Corrections of findings.

use crate::trace::StatementId;

/// A statement that fixes a finding when it is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    pub text: &'static str,
    /// The statement next to which it is inserted.
    pub at: StatementId,
    /// Whether it is inserted after `at`; otherwise before it.
    pub after: bool,
    /// Whether it gets the guard of `at`.
    pub guarded: bool,
}
