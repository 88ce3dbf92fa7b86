//! Why an instruction is not simulated.

use crate::program::Operation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unsupported {
    /// Empty if the whole instruction is not simulated.
    pub(super) reason: String,
}

pub(super) type Decoded = Result<Operation, Unsupported>;

impl From<&str> for Unsupported {
    fn from(reason: &str) -> Unsupported {
        Unsupported { reason: reason.to_owned() }
    }
}

impl From<String> for Unsupported {
    fn from(reason: String) -> Unsupported {
        Unsupported { reason }
    }
}
