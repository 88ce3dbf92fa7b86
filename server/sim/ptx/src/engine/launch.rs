//! The constant data of a launch, shared by all warps.

use std::ops::Deref;

use warplens_sim_cuda::grid::launch::GridLaunch;
use warplens_sim_cuda::registers::{PerLane, WIDTH};
use warplens_sim_warp::SplitMix64;
use warplens_sim_warp::launch_config::launched_lanes;
use warplens_sim_warp::trace::WarpId;

use crate::engine::divergence::groups::{Groups, Plan};
use crate::program::Program;

pub(crate) struct Launch<'p> {
    pub(crate) program: &'p Program,
    pub(crate) common: GridLaunch,
    pub(crate) dynamic_shared: u32,
    /// The address of the workspace of a cooperative launch.
    pub(crate) workspace: Option<u64>,
    /// The ranges of device memory that the prerequisite grid writes.
    pub(crate) prerequisite_writes: Vec<(u64, u64)>,
    pub(crate) plan: Plan,
    /// Whether a schedule may split groups of lanes.
    pub(crate) may_split: bool,
    /// Whether to cancel the run, for statements that take long.
    pub(crate) cancelled: &'p (dyn Fn() -> bool + Sync),
}

impl Launch<'_> {
    /// Lets the groups of a warp take turns in an order of the schedule, if the launch has one.
    pub(crate) fn order_groups(&self, groups: &mut Groups, id: WarpId) {
        if let Some(schedule) = self.options.schedule {
            let warp = self.number(id.cta) * u64::from(self.warps()) + u64::from(id.warp);
            let seed = schedule.seed.wrapping_add(warp << 32) ^ u64::from(schedule.index);
            groups.take_turns_by(SplitMix64(SplitMix64(seed).next()));
        }
    }
}

impl Deref for Launch<'_> {
    type Target = GridLaunch;

    fn deref(&self) -> &GridLaunch {
        &self.common
    }
}

/// A warp's position in the launch, as the special registers show it.
#[derive(Clone)]
pub(crate) struct Threads {
    pub(crate) ids: [PerLane<u32>; 3],
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
        let linear: PerLane<u32> = std::array::from_fn(|lane| warp * WIDTH as u32 + lane as u32);
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
            total_shared: launch.shared,
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
        launched_lanes(self.block, self.warp)
    }
}
