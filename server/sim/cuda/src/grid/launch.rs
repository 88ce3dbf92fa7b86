//! The constant data that launches of all languages have.

use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::{position, volume};
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::Tap;
use warplens_sim_warp::schedule::Scheduler;
use warplens_sim_warp::step_stream::WarpSteps;
use warplens_sim_warp::trace::{Control, Finding, RunOptions, WarpId};
use warplens_sim_warp::value_tracer::VisitTracer;

use super::residency::Residency;
use crate::listed_warps::Listing;
use crate::memory::local::MAX_LOCAL_BYTES;
use crate::registers::WIDTH;

pub const MAX_THREADS: u64 = 1024;
/// The maximum number of blocks in a cluster.
const MAX_CLUSTER_BLOCKS: u64 = 16;
/// Instructions that the start of a block without shared memory counts as.
pub const START_COST: u64 = 4;

/// The extents of a launch, its options, and which warps are listed.
pub struct GridLaunch {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y, z.
    pub cluster: [u32; 3],
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Instructions that the start of a block counts as.
    pub start_cost: u64,
    pub options: RunOptions,
    /// Whether the launch promises that all blocks are resident.
    pub is_cooperative: bool,
    /// The ranges of device memory that have no values until the kernel writes them: addresses and lengths.
    pub uninitialized: Vec<(u64, u64)>,
    /// Whether the program has loops that may wait for other blocks.
    pub may_wait: bool,
    /// `None` if the GPUs of the target are unknown.
    pub residency: Option<Residency>,
    pub listing: Listing,
    /// The warp whose steps the caller receives.
    pub steps: Option<WarpSteps>,
    /// Receives the steps of all warps, once it is on.
    pub tap: Option<Tap>,
    /// Statements of the program.
    pub(super) statements: usize,
}

impl GridLaunch {
    /// A launch of a program with this number of statements.
    pub fn new(
        config: &LaunchConfig,
        cluster: [u32; 3],
        shared: u32,
        start_cost: u64,
        statements: usize,
        options: &RunOptions,
        control: &Control<'_>,
    ) -> GridLaunch {
        let warps = config.blocks().saturating_mul(config.threads().div_ceil(WIDTH as u64));
        GridLaunch {
            grid: config.grid,
            block: config.block,
            cluster,
            shared,
            start_cost,
            options: *options,
            is_cooperative: config.workspace.is_some(),
            uninitialized: config.uninitialized.clone(),
            may_wait: false,
            residency: None,
            listing: Listing::new(&options.limits, statements, warps),
            steps: control.steps.filter(|_| control.workers.is_none()).cloned(),
            tap: control.tap.filter(|_| control.workers.is_none()).cloned(),
            statements,
        }
    }

    /// The recording that receives the steps now.
    pub fn recording(&self) -> Option<&Tap> {
        self.tap.as_ref().filter(|tap| tap.is_on())
    }

    pub fn blocks(&self) -> u64 {
        volume(self.grid)
    }

    pub fn warps(&self) -> u32 {
        volume(self.block).div_ceil(WIDTH as u64) as u32
    }

    pub fn clusters(&self) -> u64 {
        volume(self.grid_of_clusters())
    }

    pub fn max_clusters(&self) -> u64 {
        let cost = self.start_cost.saturating_mul(volume(self.cluster));
        (self.options.limits.max_steps / cost.max(1)).max(1)
    }

    /// The choices of the launch's schedule, if it has another than the default one.
    pub(super) fn scheduler(&self) -> Option<Box<Scheduler>> {
        let schedule = self.options.schedule.filter(|_| self.clusters() <= self.max_clusters())?;
        let (warps, blocks) = (self.warps().into(), volume(self.cluster));
        Some(Box::new(Scheduler::new(schedule, warps, blocks, self.clusters())))
    }

    fn grid_of_clusters(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis])
    }

    /// The blocks of a cluster in order of their ranks; x varies fastest.
    pub fn ctas(&self, number: u64) -> Vec<[u32; 3]> {
        let first = position(number, self.grid_of_clusters());
        let ranks = (0..volume(self.cluster)).map(|rank| position(rank, self.cluster));
        let cta =
            |within: [u32; 3]| std::array::from_fn(|axis| first[axis] * self.cluster[axis] + within[axis]);
        ranks.map(cta).collect()
    }

    /// The block's linear index; x varies fastest.
    pub fn number(&self, cta: [u32; 3]) -> u64 {
        let [x, y, z] = cta.map(u64::from);
        let [columns, rows, _] = self.grid.map(u64::from);
        (z * rows + y) * columns + x
    }

    /// The block's name in messages, such as `block 7` or `block 1,2,0`.
    pub fn name(&self, [x, y, z]: [u32; 3]) -> String {
        match self.grid {
            [_, 1, 1] => format!("block {x}"),
            _ => format!("block {x},{y},{z}"),
        }
    }

    /// How many clusters may be unfinished before no other can start.
    pub(super) fn resident_clusters(&self) -> u64 {
        let blocks = self.residency.map_or(u64::MAX, Residency::blocks);
        (blocks / volume(self.cluster).max(1)).max(1)
    }

    /// The tracer of a warp, if the run traces its values or records the steps of all warps.
    pub fn tracer(&self, id: WarpId) -> Option<VisitTracer> {
        match (self.options.trace.filter(|request| request.warp == id), self.recording()) {
            (Some(request), _) => Some(VisitTracer::new(self.statements, &request)),
            (None, Some(tap)) => Some(VisitTracer::recording(tap.of(id), id)),
            (None, None) => None,
        }
    }

    /// The recorder of a warp; if the warp is not listed, `reused` may be that of one that was counted.
    pub fn recorder(&self, id: WarpId, reused: Option<Recorder>) -> Recorder {
        let is_listed = self.lists(id);
        let mut recorder = reused.filter(|_| !is_listed).unwrap_or_else(|| {
            let visits = if is_listed { self.options.limits.max_visits } else { 0 };
            let mut recorder = Recorder::new(self.statements, visits, self.listing.visits);
            if self.options.counters {
                recorder.count_costs();
            }
            recorder
        });
        recorder.stream_to(self.steps.as_ref().and_then(|steps| steps.of(id)));
        recorder
    }

    /// A recorder of visits that nobody looks at.
    pub fn silent_recorder(&self) -> Recorder {
        Recorder::new(self.statements, 0, 0)
    }

    pub fn lists(&self, id: WarpId) -> bool {
        self.options.lists(id, self.is_within_limits(id))
    }

    pub fn is_within_limits(&self, id: WarpId) -> bool {
        self.listing.holds(self.number(id.cta) * u64::from(self.warps()) + u64::from(id.warp))
    }
}

/// The rule that a launch with clusters of these extents breaks, if any.
pub fn cluster_violation(grid: [u32; 3], cluster: [u32; 3]) -> Option<String> {
    let together = volume(cluster);
    if !(1..=MAX_CLUSTER_BLOCKS).contains(&together) {
        return Some(format!("a cluster must have 1 to {MAX_CLUSTER_BLOCKS} blocks, not {together}"));
    }
    let [x, y, z] = cluster;
    let is_multiple = grid.iter().zip(cluster).all(|(grid, cluster)| grid % cluster == 0);
    (!is_multiple).then(|| {
        format!("the grid is not a multiple of the cluster extents {x} x {y} x {z}; use multiples of them")
    })
}

/// Why a cooperative launch fails: all its blocks must be resident.
pub fn cooperative_violation(launch: &GridLaunch) -> Option<Finding> {
    let residency = launch.residency.filter(|residency| launch.blocks() > residency.blocks())?;
    let message = format!(
        "a cooperative launch needs all its {} blocks at once\n{}; launch fewer blocks",
        launch.blocks(),
        residency.capacity()
    );
    launch.is_cooperative.then(|| Finding::about_launch(FindingKind::Residency, message))
}

/// The violation of a block that requires more bytes of shared memory than the addresses of a block reach, if it does.
pub fn shared_violation(shared: u64, limit: u64) -> Option<String> {
    (shared > limit)
        .then(|| format!("a block requires {shared} bytes of shared memory, the limit is {limit}"))
}

/// The most bytes of dynamic shared memory that any device grants, sm_90 and sm_100 (CUDA programming guide, *Technical Specifications*).
pub const MAX_DYNAMIC_SHARED: u32 = 232_448;

/// Bytes of memory that a program needs besides the buffers of the launch.
pub struct MemoryNeeds {
    /// Shared memory of a block, and the variables of the program.
    pub fixed: u64,
    /// Local memory of a thread.
    pub local: u64,
}

/// Rejects a launch that is invalid or exceeds a limit. `violation` is the rule of the language that it breaks, if any.
pub fn refusal(
    config: &LaunchConfig,
    needs: &MemoryNeeds,
    options: &RunOptions,
    violation: Option<String>,
) -> Option<Finding> {
    let (threads, max, &MemoryNeeds { fixed, local }) = (config.threads(), options.limits.max_memory, needs);
    let memory = (config.memory.size() + fixed).saturating_add(local.saturating_mul(threads));
    let message = if threads == 0 || threads > MAX_THREADS {
        format!("a block must have 1 to {MAX_THREADS} threads, not {threads}")
    } else if config.grid.contains(&0) {
        "a grid must have at least one block".to_owned()
    } else if let Some(violation) = violation {
        violation
    } else if config.shared_memory > MAX_DYNAMIC_SHARED {
        let bytes = config.shared_memory;
        format!(
            "a block requires {bytes} bytes of dynamic shared memory, the limit of every device is {MAX_DYNAMIC_SHARED} or less"
        )
    } else if local > u64::from(MAX_LOCAL_BYTES) {
        format!("a thread requires {local} bytes of local memory, the limit is {MAX_LOCAL_BYTES}")
    } else if memory > max {
        format!("the launch requires {memory} bytes of memory, the limit is {max}")
    } else {
        return None;
    };
    Some(Finding::about_launch(FindingKind::Launch, message))
}
