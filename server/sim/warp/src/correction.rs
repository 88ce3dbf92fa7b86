//! Corrections of findings.

use smol_str::SmolStr;

use crate::trace::StatementId;

/// A statement that may fix a finding when it is inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    pub text: SmolStr,
    /// The statements next to which it is inserted; usually one.
    pub at: Vec<StatementId>,
    /// Whether it is inserted after these; otherwise before.
    pub after: bool,
    /// Whether it gets their guard.
    pub guarded: bool,
}

impl Correction {
    /// A statement at one place, without a guard.
    pub fn insertion(text: &str, at: StatementId, after: bool) -> Correction {
        Correction { text: text.into(), at: vec![at], after, guarded: false }
    }
}
