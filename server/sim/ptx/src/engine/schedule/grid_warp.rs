//! Warps of PTX for the scheduler of blocks.

use warplens_sim_cuda::grid::cluster::{Cluster, ClusterReports, Polled};
use warplens_sim_cuda::grid::pause::{Arrival, ArrivalForm, ClusterAction, ClusterArrival, Votes, Wake};
use warplens_sim_cuda::grid::warp::{CudaWarp, GridState};
use warplens_sim_cuda::memory::polled::PolledMemory;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::{WIDTH, lanes};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_warp::note::Note;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::Tap;
use warplens_sim_warp::trace::{Finding, Reconvergence, RegisterValues};
use warplens_sim_warp::value_tracer::VisitTracer;
use warplens_sim_warp::values::Values;

use super::{deadlock, lone_lane, notes, register_pool, tensor_checks, waiting};
use crate::engine::exec::frame::Frame;
use crate::engine::exec::operand::put;
use crate::engine::exec::value_tracer::{ValueTracer, register_values, registers_of};
use crate::engine::exec::warp::{BarrierWait, Pause, Warp};
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;
use crate::program::{Barrier, BarrierKind, Op, Slot};
use crate::sanitizer::sanitizer;
use crate::tensor::products::Meeting;

impl CudaWarp for Warp {
    type Launch<'p> = Launch<'p>;
    type Extra = ();
    type Wait = BarrierWait;

    const SLICE: u64 = 1024;

    fn new(launch: &Launch<'_>, cta: [u32; 3], index: u32) -> Warp {
        Warp::new(launch, cta, index)
    }

    fn renew(&mut self, launch: &Launch<'_>, cta: [u32; 3]) {
        self.renew(launch, cta);
    }

    fn sanitizer(launch: &Launch<'_>) -> Option<Box<Sanitizer>> {
        let mut sanitizer = sanitizer(launch.program, [launch.grid, launch.block], &launch.options)?;
        sanitizer.prerequisite_writes.clone_from(&launch.prerequisite_writes);
        Some(sanitizer)
    }

    /// The program reads the clock, prints or allocates.
    fn depends_on_order(launch: &Launch<'_>) -> bool {
        let mut code = launch.program.functions.iter().flat_map(|function| &function.code);
        launch.program.calls_system() || code.any(|instruction| matches!(instruction.op, Op::Clock(_)))
    }

    fn run(&mut self, launch: &Launch<'_>, grid: &mut GridState<Warp>) -> Pause {
        self.run(&mut RunContext { launch, spaces: &mut grid.spaces, state: &mut grid.state })
    }

    fn pass_barrier(
        &mut self,
        launch: &Launch<'_>,
        mask: u32,
        statement: u32,
        wait: BarrierWait,
        votes: Votes,
    ) {
        self.groups.release(mask);
        let Some(d) = wait.barrier.d else { return };
        let Some(frame) = &mut self.frames[wait.frame as usize] else { return };
        let value = match wait.barrier.kind {
            BarrierKind::ReduceAnd => u32::from(votes.all()),
            BarrierKind::ReduceOr => u32::from(votes.any()),
            _ => votes.yes,
        };
        for lane in lanes(mask) {
            put(d, &mut frame.registers, lane, value.into());
        }
        if let Some(tracer) = &mut self.tracer {
            let function = &launch.program.functions[frame.function as usize];
            tracer.reread_results(function, statement - function.first_statement, frame, mask);
        }
    }

    fn pass_cluster_barrier(&mut self, mask: u32) {
        self.groups.release(mask);
    }

    fn lone_lanes(&self, launch: &Launch<'_>) -> Option<Vec<Warp>> {
        lone_lane::copies(self, launch)
    }

    fn is_in_state_of(&self, other: &Warp) -> bool {
        lone_lane::is_in_state_of(self, other)
    }

    fn live(&self) -> u32 {
        self.live
    }

    fn bytes(&self) -> u64 {
        let registers = self.frames.iter().flatten().map(Frame::bytes);
        registers.sum::<u64>() + self.local.bytes() + self.spin.bytes()
    }

    fn polled(&self) -> Option<&PolledMemory> {
        Some(&self.polled)
    }

    fn wake(&mut self, why: Wake) {
        match why {
            Wake::Changed => self.spin.woken(),
            Wake::Turn => self.spin.takes_turn(self.polled.reads_clock),
            Wake::Alone if self.products.meeting != Meeting::Over => self.products.meeting = Meeting::GivenUp,
            Wake::Alone => self.spin.hint(),
        }
    }

    fn force_progress(&mut self) -> bool {
        self.groups.force_progress()
    }

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn begin_recording(&mut self, launch: &Launch<'_>, tap: &Tap) {
        let (executed, lanes) = (self.recorder.executed(), self.lanes_of_frames());
        let depth = |frame: &Frame| self.depth(frame.function, frame.caller);
        let depths: Vec<u32> = self.frames.iter().map(|frame| frame.as_ref().map_or(0, depth)).collect();
        for (frame, (lanes, depth)) in self.frames.iter_mut().zip(lanes.into_iter().zip(depths)) {
            if let Some(frame) = frame {
                let function = &launch.program.functions[frame.function as usize];
                frame.written = Some(frame.written_before(function, &executed, lanes));
                frame.depth = depth;
            }
        }
        self.tracer = Some(Box::new(ValueTracer(VisitTracer::recording(tap.of(self.id), self.id))));
        self.products.completed.get_or_insert_default();
    }

    fn send_held(&self, launch: &Launch<'_>, tap: &Tap) {
        let (executed, lanes) = (self.recorder.executed(), self.lanes_of_frames());
        let frames =
            self.frames.iter().zip(lanes).filter_map(|(frame, lanes)| Some((frame.as_ref()?, lanes)));
        let mut frames: Vec<_> = frames.collect();
        // Of several calls of lanes that have diverged, what an activation holds is what the innermost one holds.
        frames.sort_by_key(|(frame, _)| frame.local_base);
        for (frame, lanes) in frames {
            let function = &launch.program.functions[frame.function as usize];
            let written = frame.written_before(function, &executed, lanes);
            let activation = (frame.function, self.depth(frame.function, frame.caller));
            tap.holds(self.id, activation, &register_values(function, frame, &written));
        }
        self.local.send_held(self.id, tap);
    }

    fn take_reconvergences(&mut self) -> Vec<Reconvergence> {
        self.reconvergences.take()
    }

    fn registers(&self, launch: &Launch<'_>) -> Vec<RegisterValues> {
        let Some(Some(frame)) = self.frames.first() else { return Vec::new() };
        registers_of(&launch.program.functions[0], frame)
    }

    fn take_values(&mut self, launch: &Launch<'_>) -> Option<Values> {
        let tracer = self.tracer.take_if(|tracer| !tracer.0.is_recording())?;
        Some(tracer.finish(launch.program))
    }
}

impl ClusterReports for Warp {
    fn finish_cluster(cluster: &Cluster<Warp>, launch: &Launch<'_>, grid: &mut GridState<Warp>) {
        let findings = tensor_checks::findings(cluster, &grid.spaces, launch.options.checks.races);
        // All blocks request registers alike, so the first one stands for them.
        let first = cluster.blocks.iter().filter(|block| block.cta == [0; 3]);
        let registers =
            first.flat_map(|block| register_pool::findings(&block.warps, launch.program.entry_registers));
        findings.into_iter().chain(registers).for_each(|finding| grid.state.report(finding));
    }

    /// Only runs that check for races know the statements.
    fn notes(cluster: &Cluster<Warp>, launch: &Launch<'_>, spaces: &Spaces) -> Vec<Note> {
        if launch.options.checks.races { notes::notes(cluster, spaces) } else { Vec::new() }
    }

    fn explain_deadlock(
        cluster: &Cluster<Warp>,
        launch: &Launch<'_>,
        spaces: &Spaces,
        polled: Polled,
    ) -> Vec<Finding> {
        deadlock::explain(cluster, launch, spaces, polled)
    }

    fn explain_step_limit(
        cluster: &Cluster<Warp>,
        launch: &Launch<'_>,
        spaces: &Spaces,
        suspended: &[(u64, Cluster<Warp>)],
    ) -> Option<Finding> {
        waiting::explain_step_limit(cluster, launch, spaces, suspended)
    }
}

impl Warp {
    /// The lanes that are in each frame or in a call from there.
    fn lanes_of_frames(&self) -> Vec<u32> {
        let mut lanes = vec![0; self.frames.len()];
        for at in self.groups.places() {
            let mut next = Some(at.frame);
            while let Some(slot) = next {
                lanes[slot as usize] |= at.mask;
                next = self.frames[slot as usize].as_ref().and_then(|frame| Some(frame.caller?.0));
            }
        }
        // Lanes that have exited leave their values there.
        lanes[0] = u32::MAX;
        lanes
    }

    /// Lanes arrive at a barrier. Those that wait there no longer run.
    pub(crate) fn arrive(
        &mut self,
        barrier: Barrier,
        frame: Slot,
        mask: u32,
        statement: u32,
    ) -> Option<Pause> {
        let of_cluster = barrier.kind.cluster_action();
        let waits =
            of_cluster.map_or(barrier.kind != BarrierKind::Arrive, |action| action == ClusterAction::Wait);
        if waits {
            self.groups.block(mask);
        }
        if let Some(action) = of_cluster {
            return Some(Pause::ArrivedAtCluster(ClusterArrival { mask, statement, action }));
        }
        let registers = &self.frames[frame as usize].as_ref()?.registers;
        let lane = mask.trailing_zeros() as usize % WIDTH;
        let value = |slot| registers.get::<u32>(slot)[lane];
        let is_whole = barrier.aligned && mask == self.live;
        Some(Pause::Arrived(Arrival {
            number: value(barrier.id),
            count: barrier.count.map(value),
            form: match barrier.kind {
                BarrierKind::ReduceAnd => ArrivalForm::And,
                BarrierKind::ReduceOr => ArrivalForm::Or,
                BarrierKind::ReduceCount => ArrivalForm::Count,
                _ => ArrivalForm::Plain,
            },
            mask,
            arrived: mask,
            threads: if is_whole { WIDTH as u32 } else { mask.count_ones() },
            yes: barrier.predicate.of(&registers.predicates, mask),
            statement,
            wait: waits.then_some(BarrierWait { barrier, frame }),
        }))
    }
}
