//! Why a request of the panel has no answer.

use warplens_sim_warp::Cancelled;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelError {
    Cancelled,
    /// There is nothing to show; the message is for the user.
    Refused(String),
}

impl From<Cancelled> for PanelError {
    fn from(Cancelled: Cancelled) -> PanelError {
        PanelError::Cancelled
    }
}
