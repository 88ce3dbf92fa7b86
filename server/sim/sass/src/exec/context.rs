//! The state besides its registers that an operation may access.

use rustc_hash::FxHashSet;
use warplens_sim_cuda::fault::Fault;
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::PerLane;
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_warp::launch_config::launched_lanes;

use crate::target::Target;

/// The end of an operation. A fault ends the run.
pub(super) type Executed = Result<(), Box<Fault>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPosition {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cta: [u32; 3],
    /// The block of rank 0 of the cluster.
    pub(crate) first_of_cluster: [u32; 3],
    /// Bytes of shared memory, including what the system reserves.
    pub(crate) shared: u32,
}

/// The position of a warp in a launch, as special registers show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WarpPosition {
    pub(crate) block: BlockPosition,
    pub(crate) warp: u32,
    pub(crate) threads: PerLane<[u32; 3]>,
}

impl WarpPosition {
    /// The lanes that exist.
    pub(crate) fn launched(&self) -> u32 {
        launched_lanes(self.block.block, self.warp)
    }
}

/// The state besides its registers that an operation may access.
pub(crate) struct ExecContext<'w> {
    pub(crate) target: Target,
    pub(crate) spaces: &'w mut Spaces,
    pub(crate) local: &'w mut Local,
    pub(crate) banks: &'w [(u8, Vec<u8>)],
    /// The locked words of shared memory.
    pub(crate) locks: &'w mut FxHashSet<u64>,
    pub(crate) sanitizer: Option<&'w mut Sanitizer>,
    pub(crate) position: &'w WarpPosition,
    pub(crate) live: u32,
    /// How many instructions the launch has executed.
    pub(crate) clock: u64,
    /// The count of the last reduction at a barrier, and its truth value.
    pub(crate) reduced: (u32, bool),
    /// Whether the operation read memory that other threads may write.
    pub(crate) reads: bool,
}
