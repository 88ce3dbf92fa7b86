//! A warp: its groups, calls and recorder, and the loop that runs it.

use pulp::{Simd, WithSimd};
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::polled::PolledMemory;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::objects::display_name;
use warplens_sim_warp::reconvergences::ReconvergenceList;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::simd::vectorized;
use warplens_sim_warp::trace::{Related, Severity, StatementId, Status, WarpId};

use super::absence::DivergenceLog;
use super::frame::Frame;
use super::loop_exit::LoopExit;
use super::register_count::RegisterCounts;
use super::value_tracer::ValueTracer;
use crate::engine::divergence::group::Group;
use crate::engine::divergence::groups::Groups;
use crate::engine::divergence::reconvergences::Reconvergence;
use crate::engine::launch::{Launch, Threads};
use crate::engine::run_context::RunContext;
use crate::engine::waits::poll_window::Verdict;
use crate::engine::waits::snapshot::WarpView;
use crate::engine::waits::spin::{BackwardBranch, SpinDetector};
use crate::program::{Barrier, Function, Guard, Instruction, Op, Slot, Uniformity};
use crate::tensor::products::{Meeting, Products};
use crate::tensor::warpgroup;
use crate::tensor_memory::loaded_registers::LoadedRegisters;

pub(crate) type Pause = warplens_sim_cuda::grid::pause::Pause<BarrierWait>;

/// The barrier at which lanes wait, and the frame in which they receive its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierWait {
    pub(crate) barrier: Barrier,
    pub(crate) frame: Slot,
}

#[derive(Clone)]
pub(crate) struct Warp {
    pub(crate) id: WarpId,
    pub(crate) threads: Threads,
    pub(crate) live: u32,
    pub(crate) groups: Groups,
    pub(crate) frames: Vec<Option<Frame>>,
    pub(crate) local: Local,
    pub(crate) carry: u32,
    pub(crate) recorder: Recorder,
    pub(crate) listed: bool,
    pub(crate) reconvergences: ReconvergenceList,
    pub(crate) spin: SpinDetector,
    /// The memory that the warp polled when it last stopped.
    pub(crate) polled: PolledMemory,
    pub(crate) stopped_at: u32,
    /// The statement of the last failed test of an mbarrier.
    pub(crate) failed_test: Option<u32>,
    pub(crate) tracer: Option<Box<ValueTracer>>,
    pub(crate) products: Products,
    pub(crate) loaded: LoadedRegisters,
    pub(crate) register_counts: RegisterCounts,
    pub(crate) divergences: DivergenceLog,
}

/// A visit of a group to an instruction that controls scheduling, which the lanes of `executed` execute.
#[derive(Clone, Copy)]
pub(crate) struct ControlVisit<'p> {
    pub(crate) instruction: Instruction,
    pub(crate) function: &'p Function,
    pub(crate) group: Group,
    pub(crate) executed: u32,
}

impl ControlVisit<'_> {
    pub(crate) fn statement(&self) -> u32 {
        self.function.first_statement + self.group.pc
    }
}

/// A warp about to run, generic over the host's instruction set.
struct WarpRun<'w, 'r> {
    warp: &'w mut Warp,
    run: &'w mut RunContext<'r>,
}

impl WithSimd for WarpRun<'_, '_> {
    type Output = Pause;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Pause {
        self.warp.run_groups(simd, self.run)
    }
}

impl Warp {
    pub(crate) fn new(launch: &Launch<'_>, cta: [u32; 3], warp: u32) -> Warp {
        let entry = &launch.program.functions[0];
        let threads = Threads::new(launch, cta, warp);
        let mut local = Local::default();
        local.grow(entry.frame.local_size);
        let mut frame = Frame::new(0, entry, 0, &threads);
        let tracer = launch.tracer(WarpId { cta, warp });
        if launch.options.registers || tracer.is_some() {
            frame.written = Some(vec![0; entry.frame.registers.len()]);
        }
        let live = threads.launched();
        let listed = launch.lists(WarpId { cta, warp });
        let mut groups = Groups::new(launch.plan.model, live, entry.code.len() as u32);
        if !listed {
            groups.ignore_reconvergences();
        }
        launch.order_groups(&mut groups, WarpId { cta, warp });
        Warp {
            id: WarpId { cta, warp },
            live,
            groups,
            frames: vec![Some(frame)],
            local,
            carry: 0,
            recorder: launch.recorder(WarpId { cta, warp }, None),
            listed,
            reconvergences: ReconvergenceList::with_budget(launch.listing.reconvergences),
            spin: SpinDetector::default(),
            polled: PolledMemory::default(),
            stopped_at: 0,
            failed_test: None,
            tracer: tracer.map(|tracer| Box::new(ValueTracer(tracer))),
            products: Products::new(warp, launch.block.iter().product(), launch.recording().is_some()),
            loaded: LoadedRegisters::default(),
            register_counts: RegisterCounts::default(),
            divergences: DivergenceLog::default(),
            threads,
        }
    }

    /// Resets a warp for a new block, once its trace has been collected. Saves allocations in launches of many short blocks.
    pub(crate) fn renew(&mut self, launch: &Launch<'_>, cta: [u32; 3]) {
        let id = WarpId { cta, warp: self.id.warp };
        let is_reported = self.listed || launch.options.registers || launch.lists(id);
        let observed = launch.options.trace.is_some_and(|request| request.warp == id)
            || launch.steps.as_ref().is_some_and(|steps| steps.warp == id)
            || launch.recording().is_some()
            || self.recorder.is_streaming();
        let entry = &launch.program.functions[0];
        let Some(Some(frame)) = self.frames.first_mut().filter(|_| !is_reported && !observed) else {
            *self = Warp::new(launch, cta, id.warp);
            return;
        };
        self.threads.cta = cta;
        frame.renew(entry, &self.threads);
        self.frames.truncate(1);
        self.id.cta = cta;
        self.live = self.threads.launched();
        self.groups.renew(launch.plan.model, self.live, entry.code.len() as u32);
        self.groups.ignore_reconvergences();
        launch.order_groups(&mut self.groups, id);
        self.local.renew(entry.frame.local_size);
        self.carry = 0;
        self.spin = SpinDetector::default();
        self.polled = PolledMemory::default();
        self.stopped_at = 0;
        self.failed_test = None;
        self.tracer = None;
        self.products = Products::new(id.warp, launch.block.iter().product(), false);
        self.loaded = LoadedRegisters::default();
        self.register_counts.clear();
    }

    /// Runs until the block must decide what comes next.
    pub(crate) fn run(&mut self, run: &mut RunContext<'_>) -> Pause {
        if self.products.meeting != Meeting::Over && !self.meets_warpgroup(run) {
            return Pause::Yielding;
        }
        vectorized(WarpRun { warp: self, run })
    }

    /// Whether the warp goes on after its wait for products: the other warps of its warpgroup have waited for them, too, or
    /// never will.
    fn meets_warpgroup(&mut self, run: &mut RunContext<'_>) -> bool {
        let met = run.spaces.asynchronous.warpgroup_has_waited(run.spaces.window.rank, self.id.warp);
        if let Some(sanitizer) = run.state.sanitizer.as_mut().filter(|_| met) {
            sanitizer.met_for_products(self.id.warp, self.live);
        }
        let is_over = met || self.products.meeting == Meeting::GivenUp;
        if is_over {
            self.products.meeting = Meeting::Over;
        }
        is_over
    }

    #[inline(always)]
    fn run_groups<S: Simd>(&mut self, simd: S, run: &mut RunContext<'_>) -> Pause {
        let mut next = self.groups.next(self.live, &run.launch.plan);
        loop {
            let Some(group) = next else {
                return if self.groups.is_empty() { Pause::Ended } else { Pause::Waiting };
            };
            self.record_reconvergences(run.launch);
            for done in self.groups.take_done() {
                if done != 0 {
                    self.frames[done as usize] = None;
                }
            }
            for groups in self.groups.take_collectives() {
                self.execute_collective(&groups, run.launch, run.state);
            }
            next = if group.needs_convergence && self.waits_for_convergence(group, run.launch) {
                self.groups.next(self.live, &run.launch.plan)
            } else {
                match self.run_group(simd, group, run) {
                    Ok(next) => next,
                    Err(pause) => return pause,
                }
            };
        }
    }

    fn record_reconvergences(&mut self, launch: &Launch<'_>) {
        for Reconvergence { frame, pc, parts } in self.groups.take_reconvergences() {
            if let Some(function) = self.function(launch, frame)
                && (pc as usize) < function.code.len()
            {
                let parts: Vec<_> = parts.into_iter().map(u64::from).collect();
                self.reconvergences.add(StatementId(function.first_statement + pc), parts);
            }
        }
    }

    #[inline(always)]
    fn run_group<S: Simd>(
        &mut self,
        simd: S,
        group: Group,
        run: &mut RunContext<'_>,
    ) -> Result<Option<Group>, Pause> {
        let Some(function) = self.function(run.launch, group.frame) else {
            return Ok(self.groups.next(self.live, &run.launch.plan));
        };
        let (group, event) = self.interpret(simd, group, function, run);
        self.stopped_at = function.first_statement + group.pc;
        // Afterwards the calls may be complete.
        self.record_reconvergences(run.launch);
        if let LoopExit::Next(next) = event {
            return Ok(next);
        }
        self.groups.advance_to(group.pc);
        match self.stopped(event, function, group, run) {
            Some(pause) => Err(pause),
            None => Ok(self.groups.next(self.live, &run.launch.plan)),
        }
    }

    /// Handles the reason for which the running group stopped.
    fn stopped(
        &mut self,
        event: LoopExit,
        function: &Function,
        group: Group,
        run: &mut RunContext<'_>,
    ) -> Option<Pause> {
        let pc = group.pc;
        let statement = function.first_statement + pc;
        match event {
            LoopExit::Next(_) => None,
            LoopExit::Turn { from } => {
                self.take_back_edge(from, pc, function, run.spaces);
                None
            }
            LoopExit::FellOff => {
                let mut last = statement.saturating_sub(1);
                if pc == 0 {
                    // A function without statements.
                    let calls = self.call_stack(run.launch, group.frame);
                    last = calls.first().map_or(last, |call| call.statement.0);
                }
                self.check_return(function, last, group.mask, run.state);
                self.exit_frame(run, group.frame, group.mask);
                None
            }
            LoopExit::Due => Some(Pause::Due),
            LoopExit::Preempted => {
                self.split_group(group, function, run);
                Some(Pause::Preempted)
            }
            LoopExit::CheckSpin { from, alone } => {
                self.take_back_edge(from, pc, function, run.spaces);
                self.detect_wait(BackwardBranch { from, alone }, pc, function, run)
            }
            LoopExit::Fault(fault) => Some(self.fault(fault, statement, run)),
            LoopExit::Yield(_) if self.products.meeting == Meeting::Awaited => {
                self.polled = PolledMemory::default();
                Some(Pause::Yielding)
            }
            LoopExit::Yield(tested) => {
                if tested.is_some() {
                    self.failed_test = Some(statement - 1);
                }
                if self.spin.window.is_some() {
                    // It has yielded before: the observation decides whether it waits.
                    return None;
                }
                self.polled = PolledMemory { values: tested.unwrap_or_default(), ..PolledMemory::default() };
                (!self.groups.others_may_run()).then_some(Pause::Yielding)
            }
            LoopExit::Control { executed } => {
                let instruction = function.code[pc as usize];
                self.control(ControlVisit { instruction, function, group, executed }, run)
            }
        }
    }

    /// Called when the running group takes the branch from `from` to `to`.
    pub(crate) fn take_back_edge(&mut self, from: u32, to: u32, function: &Function, spaces: &Spaces) {
        if to <= from {
            let round = &function.code[to as usize..=from as usize];
            self.groups.take_back_edge(from, spaces.changes, || round.iter().any(|round| round.op.reads()));
        }
    }

    pub(crate) fn function<'p>(&self, launch: &Launch<'p>, frame: Slot) -> Option<&'p Function> {
        let frame = self.frames[frame as usize].as_ref()?;
        Some(&launch.program.functions[frame.function as usize])
    }

    fn control(&mut self, visit: ControlVisit<'_>, run: &mut RunContext<'_>) -> Option<Pause> {
        let ControlVisit { instruction, function, group, executed } = visit;
        let Group { pc, mask, frame, .. } = group;
        let (statement, next) = (visit.statement(), pc + 1);
        match instruction.op {
            Op::Branch(uniformity) => {
                self.check_uniform(uniformity, "a branch", visit, run.state);
                let join = run.launch.plan.join(&instruction);
                self.diverge(&[(instruction.s.a, executed), (next, mask & !executed)], (statement, pc), join);
                return None;
            }
            Op::Switch(id, uniformity) => return self.switch(id, uniformity, visit, run),
            Op::Call(call, uniformity) => {
                self.complete_products(frame, run);
                self.check_uniform(uniformity, "a call", visit, run.state);
                return self.call(call, uniformity, visit, run);
            }
            Op::Return(uniformity) => {
                self.check_uniform(uniformity, "a return", visit, run.state);
                self.check_return(function, statement, executed, run.state);
                self.exit_frame(run, frame, executed);
            }
            Op::Stack(action) => {
                if let Err(fault) = self.stack_action(action, &instruction.s, function, frame, executed) {
                    return Some(self.fault(fault, statement, run));
                }
            }
            Op::Exit => self.live &= !executed,
            _ if executed == 0 => {}
            Op::Trap => return Some(self.trap(visit, run)),
            Op::Unsupported(id) => {
                let note = &function.tables[id];
                let message = format!("`{}`\n{}", note.name, note.why);
                run.state.report(self.id.finding(FindingKind::Unsupported, message, statement, executed));
                return Some(Pause::Stopped(Status::Unsupported));
            }
            Op::Barrier(id) => {
                let barrier = function.tables[id];
                if barrier.aligned && executed != self.live {
                    self.divergent_barrier(run.launch, statement, executed, run.state);
                    self.end_early(run.launch, executed, run.state);
                }
                self.groups.advance_to(next);
                return self.arrive(barrier, frame, executed, statement);
            }
            _ => {}
        }
        self.groups.advance_to(next);
        None
    }

    fn trap(&self, visit: ControlVisit<'_>, run: &mut RunContext<'_>) -> Pause {
        let name = display_name(&visit.function.name);
        let message = format!("executed in `{name}`\ncheck the condition that leads to it");
        let finding = self.id.finding(FindingKind::Trap, message, visit.statement(), visit.executed);
        run.state.report(finding.with(self.call_stack(run.launch, visit.group.frame)));
        Pause::Stopped(Status::Faulted)
    }

    /// Splits the running group. Parts without lanes are dropped and equal targets merge; returns the target if only one
    /// remains.
    pub(crate) fn diverge(
        &mut self,
        parts: &[(u32, u32)],
        (statement, pc): (u32, u32),
        join: u32,
    ) -> Option<u32> {
        if let &[(taken, some), (next, others)] = parts
            && taken != next
            && some != 0
            && others != 0
        {
            self.divergences.record(statement, [some, others]);
            self.groups.diverge(&[(taken, some), (next, others)], join);
            return None;
        }
        let mut targets: Vec<(u32, u32)> = Vec::with_capacity(parts.len());
        for &(target, lanes) in parts.iter().filter(|(_, lanes)| *lanes != 0) {
            match targets.iter_mut().find(|(have, _)| *have == target) {
                Some((_, mask)) => *mask |= lanes,
                None => targets.push((target, lanes)),
            }
        }
        let only = match targets[..] {
            [] => pc + 1,
            [(target, _)] => target,
            _ => {
                for (index, (_, some)) in targets.iter().enumerate().skip(1) {
                    let others = targets[..index].iter().fold(0, |all, (_, lanes)| all | lanes);
                    self.divergences.record(statement, [*some, others]);
                }
                self.groups.diverge(&targets, join);
                return None;
            }
        };
        self.groups.advance_to(only);
        Some(only)
    }

    /// Lets the spin detector examine the warp, whose running group branched back to `pc`.
    pub(crate) fn detect_wait(
        &mut self,
        branch: BackwardBranch,
        pc: u32,
        function: &Function,
        run: &RunContext<'_>,
    ) -> Option<Pause> {
        let Warp { groups, frames, carry, local, spin, .. } = self;
        let (program, spaces) = (run.launch.program, &*run.spaces);
        let view = WarpView { pc, groups, frames, carry: *carry, local, function, program, spaces };
        let (polled, pause) = match spin.examine(branch, &view) {
            Verdict::Runs => return (run.state.steps >= run.state.turn_end).then_some(Pause::TurnOver),
            Verdict::Repeats(polled) => (polled, Pause::Spinning),
            Verdict::Polls(polled) => (polled, Pause::Polling),
        };
        self.polled = polled;
        Some(pause)
    }

    /// Completes a frame's products in flight, because the callee or caller has other registers.
    fn complete_products(&mut self, frame: Slot, run: &RunContext<'_>) {
        if !self.products.is_in_flight() {
            return;
        }
        let function = self.function(run.launch, frame);
        if let Some((frame, function)) = self.frames[frame as usize].as_mut().zip(function) {
            warpgroup::complete_all(&mut self.products, &mut frame.registers, run.spaces, self.id.warp);
            if let Some(tracer) = &mut self.tracer {
                tracer.keep_products(function, &self.products.take_completed(), frame);
            }
        }
    }

    /// Removes lanes that return from a call or exit from the kernel.
    fn exit_frame(&mut self, run: &mut RunContext<'_>, frame: Slot, mask: u32) {
        let Some(caller) = self.frames[frame as usize].as_ref().map(|frame| frame.caller) else { return };
        self.complete_products(frame, run);
        match caller {
            None => self.live &= !mask,
            Some((caller, call)) => {
                self.pass_results(run, frame, caller, call, mask);
                self.groups.leave(frame, caller, mask);
            }
        }
    }

    /// Reports a `.uni` instruction that only some lanes of the group execute.
    fn check_uniform(
        &self,
        uniformity: Uniformity,
        what: &str,
        visit: ControlVisit<'_>,
        state: &mut RunState,
    ) {
        let is_split = visit.executed != 0 && visit.executed != visit.group.mask;
        if uniformity == Uniformity::Asserted && is_split {
            self.not_uniform(what, visit, state);
        }
    }

    pub(crate) fn not_uniform(&self, what: &str, visit: ControlVisit<'_>, state: &mut RunState) {
        let others = visit.group.mask & !visit.executed;
        let message = format!(
            "{what} taken by {}, not by {}\nremove `.uni`, or make the condition uniform",
            LaneSet(visit.executed.into()),
            LaneSet(others.into())
        );
        let kind = FindingKind::DivergentUniform;
        let finding = self.id.finding(kind, message, visit.statement(), visit.executed);
        state.report(finding.in_visit(&self.recorder));
    }

    /// Reports that only part of the warp is at a barrier that the whole warp must reach together.
    fn divergent_barrier(&self, launch: &Launch<'_>, statement: u32, executed: u32, state: &mut RunState) {
        let missing = self.live & !executed;
        let elsewhere = self.elsewhere(launch, executed);
        let (severity, rest) = match elsewhere.iter().all(|(other, _)| self.ends_at(launch, *other)) {
            true => (Severity::Information, ""),
            false => (
                Severity::Error,
                "elsewhere; move the aligned barrier to a point where all lanes reconverge, or use \
                 `barrier.sync`, which need not be aligned",
            ),
        };
        let (executing, missing) = (LaneSet(executed.into()), LaneSet(missing.into()));
        let verb = match severity {
            Severity::Information => missing.verb("exits", "exit"),
            _ => missing.verb("is ", "are "),
        };
        let message =
            format!("only {executing} {} it\n{missing} {verb}{rest}", executing.verb("reaches", "reach"));
        let finding = self.id.finding(FindingKind::DivergentBarrier, message, statement, executed);
        state.report(
            finding.with_severity(severity).in_visit(&self.recorder).with(next_statements(elsewhere)),
        );
    }

    fn ends_at(&self, launch: &Launch<'_>, statement: u32) -> bool {
        let entry = &launch.program.functions[0];
        let ends = |instruction: &Instruction| {
            instruction.guard == Guard::ALWAYS && matches!(instruction.op, Op::Return(_) | Op::Exit)
        };
        entry.code.get(statement as usize).is_some_and(ends)
    }

    /// Lets lanes outside `mask` exit now if that is their next statement. A model may make them wait for reconvergence
    /// there, but a GPU does not, and an aligned barrier counts only lanes that have not exited.
    fn end_early(&mut self, launch: &Launch<'_>, mask: u32, state: &mut RunState) {
        for (statement, lanes) in self.elsewhere(launch, mask) {
            if self.ends_at(launch, statement) {
                state.steps += 1;
                self.recorder.visit(StatementId(statement), lanes.into(), lanes.into());
                let entry = self.frames.first().and_then(Option::as_ref);
                let tap = self.tracer.as_mut().zip(entry).and_then(|(tracer, entry)| tracer.tap(entry));
                if let Some(tap) = tap {
                    tap.send_bare(StatementId(statement), lanes.into(), lanes.into());
                }
                self.live &= !lanes;
            }
        }
    }

    /// The next statements of the lanes outside `mask`, innermost groups first.
    pub(crate) fn elsewhere(&self, launch: &Launch<'_>, mask: u32) -> Vec<(u32, u32)> {
        let mut rest = self.live & !mask;
        let mut places = Vec::new();
        for place in self.groups.places() {
            let lanes = place.mask & rest;
            rest &= !lanes;
            if let Some(function) = self.function(launch, place.frame).filter(|_| lanes != 0) {
                let last = function.code.len().saturating_sub(1) as u32;
                places.push((function.first_statement + place.pc.min(last), lanes));
            }
        }
        places
    }
}

pub(crate) fn next_statements(places: Vec<(u32, u32)>) -> impl Iterator<Item = Related> {
    let related = |(statement, lanes): (u32, u32)| {
        Related::new(statement, format!("next statement of {}", LaneSet(lanes.into())))
    };
    places.into_iter().map(related)
}
