//! Corrections of findings.

use crate::trace::StatementId;

/// A statement whose insertion corrects a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The statement.
    pub text: &'static str,
    /// The statement beside which it is inserted.
    pub at: StatementId,
    /// Whether it is inserted after that one; otherwise before it.
    pub after: bool,
    /// Whether it gets the guard of that one.
    pub guarded: bool,
}
