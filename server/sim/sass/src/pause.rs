//! Why a warp stops running.

use warplens_sim_warp::trace::Status;

use super::program::Reduction;

/// Why a warp stopped running.
#[derive(Debug)]
pub(crate) enum Pause {
    /// All its lanes have exited.
    Ended,
    /// Lanes have arrived at a barrier of the block.
    Arrived(Arrival),
    /// All lanes that are left wait at barriers of the block.
    Waiting,
    /// It repeats an iteration until memory changes.
    Spinning,
    /// It reads memory in a loop that may also end otherwise.
    Polling,
    /// The caller's control is due.
    Due,
    /// The run is over.
    Stopped(Status),
}

/// Lanes that arrive at a barrier of the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) number: u32,
    /// The threads that arrive, if the instruction says it.
    pub(crate) count: Option<u32>,
    pub(crate) waits: bool,
    pub(crate) reduction: Option<Reduction>,
    /// The lanes whose predicate is true.
    pub(crate) yes: u32,
    pub(crate) mask: u32,
    pub(crate) statement: u32,
}
