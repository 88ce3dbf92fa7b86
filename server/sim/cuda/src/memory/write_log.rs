//! What reports the writes of asynchronous operations to a recording.

use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::recording::Tap;

/// Reports the writes of asynchronous operations to a recording, once it is on.
#[derive(Clone, Debug)]
pub struct WriteLog {
    pub tap: Tap,
    /// The blocks of the running cluster, by their numbers in the launch.
    pub blocks: Vec<u64>,
    /// The buffers and the variables of the program at the start of the launch, until the recording is on.
    pub initial: Option<Box<[DeviceMemory; 2]>>,
}
