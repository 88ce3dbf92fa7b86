//! Why a warp stops running.

use warplens_sim_warp::trace::Status;

use super::program::Reduction;

#[derive(Debug)]
pub(crate) enum Pause {
    Ended,
    /// Lanes have arrived at a block barrier.
    Arrived(Arrival),
    /// All remaining lanes wait at block barriers.
    Waiting,
    /// The warp repeats an iteration until memory changes.
    Spinning,
    /// The warp reads memory in a loop that may also end in another way.
    Polling,
    Due,
    Stopped(Status),
}

/// Lanes that arrive at a block barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) number: u32,
    /// The number of arriving threads, if the instruction states it.
    pub(crate) count: Option<u32>,
    pub(crate) waits: bool,
    pub(crate) reduction: Option<Reduction>,
    /// The lanes whose predicate is true.
    pub(crate) yes: u32,
    pub(crate) mask: u32,
    pub(crate) statement: u32,
}
