//! Why a request fails.

use warplens_sim_warp::Cancelled;

/// Why a request fails.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Failure {
        Failure("cancelled: the client paused the search or ended the session".to_owned())
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure(message.to_owned())
    }
}
