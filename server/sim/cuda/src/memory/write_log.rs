//! What reports the writes of asynchronous operations to a recording.

use warplens_sim_warp::recording::Tap;

/// Reports the writes of asynchronous operations to a recording.
#[derive(Clone, Debug)]
pub struct WriteLog {
    pub tap: Tap,
    /// The blocks of the running cluster, by their numbers in the launch.
    pub blocks: Vec<u64>,
}
