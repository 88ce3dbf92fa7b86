//! Warps of SASS for the scheduler of blocks.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_cuda::grid::cluster::{Cluster, ClusterReports, Polled};
use warplens_sim_cuda::grid::pause::Votes;
use warplens_sim_cuda::grid::warp::{CudaWarp, GridState};
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::patterns::ProgramPatterns;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::Tap;
use warplens_sim_warp::trace::{Finding, Reconvergence, RegisterValues, Status};
use warplens_sim_warp::value_tracer::VisitTracer;
use warplens_sim_warp::values::Values;

use super::deadlock::explain;
use super::launch::Launch;
use super::lone_lane;
use super::pause::Pause;
use super::program::{BarrierStep, Cell, Control, Op, Reduction};
use super::register_values::RegisterReader;
use super::undefined::UndefinedMemory;
use super::value_tracer::ValueTracer;
use super::warp::{RunContext, Warp};

/// What a run knows about memory besides its bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MemoryTags {
    undefined: UndefinedMemory,
    /// The locked words of shared memory, by block.
    locks: FxHashMap<[u32; 3], FxHashSet<u64>>,
}

impl CudaWarp for Warp {
    type Launch<'p> = Launch<'p>;
    type Extra = MemoryTags;
    /// The reduction that the lanes wait for.
    type Wait = Option<Reduction>;

    const SLICE: u64 = 4096;
    const MAX_IDLE_ROUNDS: u32 = 24;

    fn new(launch: &Launch<'_>, cta: [u32; 3], index: u32) -> Warp {
        Warp::new(launch, cta, index, None)
    }

    /// The recorder keeps its runs of statements, because the warp most likely takes the same paths again.
    fn renew(&mut self, launch: &Launch<'_>, cta: [u32; 3]) {
        let recorder = std::mem::take(&mut self.recorder);
        *self = Warp::new(launch, cta, self.id.warp, Some(recorder).filter(|_| !self.listed));
    }

    fn sanitizer(launch: &Launch<'_>) -> Option<Box<Sanitizer>> {
        let (program, options) = (launch.program, &launch.options);
        // The loads that may wait for other threads.
        let is_strong = |op| matches!(op, Op::Load(access) if program.accesses[access].strong);
        let polls = (0..).zip(&program.code).filter(|(_, operation)| is_strong(operation.op));
        let patterns = ProgramPatterns::of_polls(polls.map(|(statement, _)| statement));
        Sanitizer::required(options)
            .then(|| Sanitizer::with_patterns(patterns, true, [launch.grid, launch.block], options))
    }

    /// Whether the program reads the clock, or a run on threads, which pauses at other instructions, can take other paths.
    fn depends_on_order(launch: &Launch<'_>) -> bool {
        launch.program.reads_clock() || Warp::pauses_matter(launch)
    }

    /// Whether the program saves barriers.
    fn pauses_matter(launch: &Launch<'_>) -> bool {
        let saves = |step| {
            matches!(
                step,
                BarrierStep::Read { clears: true, .. } | BarrierStep::Write(..) | BarrierStep::Copy { .. }
            )
        };
        let saves_barriers = |op| matches!(op, Op::Control(Control::BarrierMove(step)) if saves(step));
        launch.program.code.iter().any(|operation| saves_barriers(operation.op))
    }

    fn run(&mut self, launch: &Launch<'_>, grid: &mut GridState<Warp>) -> Pause {
        self.run(&mut RunContext {
            launch,
            spaces: &mut grid.spaces,
            state: &mut grid.state,
            locks: grid.extra.locks.entry(self.id.cta).or_default(),
            undefined: &mut grid.extra.undefined,
        })
    }

    fn pass_barrier(&mut self, _: &Launch<'_>, mask: u32, _: u32, wait: Option<Reduction>, votes: Votes) {
        self.machine.release(mask);
        self.spin.passed_barrier();
        if let Some(reduction) = wait {
            let holds = match reduction {
                Reduction::And => votes.all(),
                Reduction::Or | Reduction::Count => votes.any(),
            };
            self.reduced = (votes.yes, holds);
        }
    }

    fn pass_cluster_barrier(&mut self, mask: u32) {
        self.machine.release(mask);
        self.spin.passed_barrier();
    }

    fn lone_lanes(&self, launch: &Launch<'_>) -> Option<Vec<Warp>> {
        Some(vec![lone_lane::copy(self, launch)?])
    }

    fn is_in_state_of(&self, other: &Warp) -> bool {
        lone_lane::is_in_state_of(self, other)
    }

    fn live(&self) -> u32 {
        self.live
    }

    fn at_barriers(&self) -> Option<u64> {
        self.spin.at_barriers
    }

    fn bytes(&self) -> u64 {
        let registers = size_of_val(self.registers.rows.as_slice()) as u64;
        registers + self.local.bytes()
    }

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn begin_recording(&mut self, launch: &Launch<'_>, tap: &Tap) {
        self.written = Some(Box::new(self.written_before(launch.program)));
        self.tracer = Some(Box::new(ValueTracer(VisitTracer::recording(tap.of(self.id), self.id))));
    }

    fn send_held(&self, launch: &Launch<'_>, tap: &Tap) {
        let written = self.written_before(launch.program);
        let known = |cell: Cell| written.lanes(cell) & !self.undefined.unknown(cell);
        let reader = RegisterReader { registers: &self.registers, known: &known };
        tap.holds(self.id, (0, 0), &reader.written(launch.program));
        self.local.send_held(self.id, tap);
    }

    fn take_reconvergences(&mut self) -> Vec<Reconvergence> {
        self.machine.record_joined(&mut self.reconvergences);
        self.reconvergences.take()
    }

    fn registers(&self, launch: &Launch<'_>) -> Vec<RegisterValues> {
        let known = |cell: Cell| {
            self.written.as_ref().map_or(0, |written| written.lanes(cell)) & !self.undefined.unknown(cell)
        };
        RegisterReader { registers: &self.registers, known: &known }.written(launch.program)
    }

    fn take_values(&mut self, launch: &Launch<'_>) -> Option<Values> {
        let tracer = self.tracer.take_if(|tracer| !tracer.is_recording())?;
        Some(tracer.finish(&launch.program.named))
    }

    /// If a result is not known, the buffers differ from what the kernel would leave.
    fn final_status(status: Status, extra: &MemoryTags) -> Status {
        match status {
            Status::Finished if extra.undefined.has_global() => Status::Unsupported,
            status => status,
        }
    }
}

impl ClusterReports for Warp {
    fn finish_cluster(cluster: &Cluster<Warp>, _: &Launch<'_>, grid: &mut GridState<Warp>) {
        for block in &cluster.blocks {
            grid.extra.locks.remove(&block.cta);
            grid.extra.undefined.forget(block.cta);
        }
    }

    fn explain_deadlock(cluster: &Cluster<Warp>, _: &Launch<'_>, _: &Spaces, polled: Polled) -> Vec<Finding> {
        cluster.unfinished_blocks().filter_map(|block| explain(block, &cluster.barrier, polled)).collect()
    }
}
