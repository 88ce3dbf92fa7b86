//! The constant data of a launch, shared by all warps.

use pulp::Arch;
use warplens_sim_cuda::listed_warps::Listing;
use warplens_sim_cuda::registers::{Lanes, WIDTH};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_warp::launch_config::{position, volume};
use warplens_sim_warp::step_stream::WarpSteps;
use warplens_sim_warp::trace::{RunOptions, WarpId};

use crate::engine::divergence::groups::Plan;
use crate::program::Program;
use crate::sanitizer::sanitizer;

/// Instructions that the start of a block without shared memory counts as.
const START_COST: u64 = 4;
/// Bytes of shared memory whose clearing counts as one instruction.
const BYTES_PER_INSTRUCTION: u64 = 1024;

pub(crate) struct Launch<'p> {
    pub(crate) program: &'p Program,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Extents of a cluster, in blocks.
    pub(crate) cluster: [u32; 3],
    pub(crate) dynamic_shared: u32,
    /// The address of the workspace of a cooperative launch.
    pub(crate) workspace: Option<u64>,
    /// The ranges of device memory that the prerequisite grid writes.
    pub(crate) prerequisite_writes: Vec<(u64, u64)>,
    pub(crate) plan: Plan,
    pub(crate) options: RunOptions,
    /// The host instruction set for which the interpreter loop is compiled.
    pub(crate) arch: Arch,
    pub(crate) listing: Listing,
    /// The warp whose steps the caller receives.
    pub(crate) steps: Option<WarpSteps>,
}

impl Launch<'_> {
    pub(crate) fn blocks(&self) -> u64 {
        volume(self.grid)
    }

    pub(crate) fn warps(&self) -> u32 {
        self.block.iter().product::<u32>().div_ceil(WIDTH as u32)
    }

    pub(crate) fn clusters(&self) -> u64 {
        volume(self.grid_of_clusters())
    }

    /// Instructions that the start of a block counts as, because its shared memory must be cleared.
    pub(crate) fn start_cost(&self) -> u64 {
        START_COST + u64::from(self.program.shared_size + self.dynamic_shared) / BYTES_PER_INSTRUCTION
    }

    /// Maximum number of clusters that may be started.
    pub(crate) fn max_clusters(&self) -> u64 {
        let cost = self.start_cost().saturating_mul(volume(self.cluster));
        (self.options.limits.max_steps / cost.max(1)).max(1)
    }

    fn grid_of_clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis])
    }

    /// The blocks of a cluster in order of their ranks; x varies fastest.
    pub(crate) fn ctas(&self, number: u64) -> Vec<[u32; 3]> {
        let first = position(number, self.grid_of_clusters());
        let ranks = (0..volume(self.cluster)).map(|rank| position(rank, self.cluster));
        let cta =
            |within: [u32; 3]| std::array::from_fn(|axis| first[axis] * self.cluster[axis] + within[axis]);
        ranks.map(cta).collect()
    }

    /// A sanitizer, if the options require one.
    pub(crate) fn sanitizer(&self) -> Option<Box<Sanitizer>> {
        let mut sanitizer = sanitizer(self.program, [self.grid, self.block], &self.options)?;
        sanitizer.set_prerequisite_writes(&self.prerequisite_writes);
        Some(sanitizer)
    }

    /// The block's linear index; x varies fastest.
    pub(crate) fn number(&self, cta: [u32; 3]) -> u64 {
        let [x, y, z] = cta.map(u64::from);
        let [columns, rows, _] = self.grid.map(u64::from);
        (z * rows + y) * columns + x
    }

    /// Whether the trace of a warp is recorded.
    pub(crate) fn lists(&self, id: WarpId) -> bool {
        self.options.lists(id, self.is_within_limits(id))
    }

    /// Whether the limits let this warp be listed.
    pub(crate) fn is_within_limits(&self, id: WarpId) -> bool {
        self.listing.holds(self.number(id.cta) * u64::from(self.warps()) + u64::from(id.warp))
    }
}

/// A warp's position in the launch, as the special registers show it.
pub(crate) struct Threads {
    pub(crate) ids: [Lanes<u32>; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cta: [u32; 3],
    pub(crate) cluster: [u32; 3],
    /// Whether the program or the launch specifies clusters.
    pub(crate) is_clustered: bool,
    pub(crate) warp: u32,
    pub(crate) dynamic_shared: u32,
    pub(crate) total_shared: u32,
    /// See [`Launch::workspace`]; 0 if there is none.
    pub(crate) workspace: u64,
}

impl Threads {
    pub(crate) fn new(launch: &Launch<'_>, cta: [u32; 3], warp: u32) -> Threads {
        let [x, y, z] = launch.block;
        let linear: Lanes<u32> = std::array::from_fn(|lane| warp * WIDTH as u32 + lane as u32);
        Threads {
            ids: match y * z {
                // Most blocks are one-dimensional, and divisions are slow.
                1 => [linear, [0; WIDTH], [0; WIDTH]],
                _ => [linear.map(|id| id % x), linear.map(|id| id / x % y), linear.map(|id| id / x / y)],
            },
            grid: launch.grid,
            block: launch.block,
            cta,
            cluster: launch.cluster,
            is_clustered: launch.cluster != [1; 3] || launch.program.cluster.is_some(),
            warp,
            dynamic_shared: launch.dynamic_shared,
            total_shared: launch.program.shared_size + launch.dynamic_shared,
            workspace: launch.workspace.unwrap_or(0),
        }
    }

    pub(crate) fn in_cluster(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.cta[axis] % self.cluster[axis])
    }

    pub(crate) fn rank_in_cluster(&self) -> u32 {
        let ([x, y, z], [columns, rows, _]) = (self.in_cluster(), self.cluster);
        (z * rows + y) * columns + x
    }

    /// The mask of lanes that exist: the last warp of a block may be partial.
    pub(crate) fn launched(&self) -> u32 {
        let threads = self.block.iter().product::<u32>();
        match threads - self.warp * WIDTH as u32 {
            0 => 0,
            count @ 1..=31 => (1 << count) - 1,
            _ => u32::MAX,
        }
    }
}
