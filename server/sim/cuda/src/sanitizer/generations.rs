//! The generations of a barrier of the block.

use super::happens_before::Arrival;

/// The arrivals at one barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Generations {
    pub(super) completed: u64,
    pub(super) running: Vec<Arrival>,
    /// The arrivals of the last completed generation; none if all threads of the block waited there.
    pub(super) last: Vec<Arrival>,
    /// The epoch that stands for the last completed generation.
    pub(super) epoch: u32,
    /// The lanes of each warp that waited in the last completed generation.
    pub(super) waited: Vec<u32>,
    /// Whether an arrival may have counted in another generation. Later arrivals may then do so for the same reason.
    pub(super) is_ambiguous: bool,
}
