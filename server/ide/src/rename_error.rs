//! Why a rename is refused.

use thiserror::Error;

/// Why nothing can be renamed at an offset, or not to a name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    /// The file is not open.
    #[error("the file is not open")]
    NotOpen,
    /// Files of the language are not edited.
    #[error("{0} is read-only: nothing can be renamed")]
    ReadOnly(&'static str),
    /// The rules of the language are against it.
    #[error("{0}")]
    Refused(String),
}

impl From<String> for RenameError {
    fn from(reason: String) -> RenameError {
        RenameError::Refused(reason)
    }
}
