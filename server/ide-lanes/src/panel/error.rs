//! Why a request has no answer.

use warplens_sim::Cancelled;

/// The reason that a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelError {
    /// The caller cancelled it.
    Cancelled,
    /// There is nothing to show; the message is for the user.
    Refused(String),
}

impl From<Cancelled> for PanelError {
    fn from(Cancelled: Cancelled) -> PanelError {
        PanelError::Cancelled
    }
}
