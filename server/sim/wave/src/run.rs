//! Runs a launch: workgroups in order, and the waves of each workgroup in order.
//!
//! Workgroups run x fastest, then y, then z. A wave runs until it exits, arrives at a barrier, or spins; then
//! the next wave of its workgroup runs. If a workgroup makes no progress and one of its waves spins, it is
//! suspended, and resumed when memory has changed since. When every remaining wave waits, waves whose loop
//! may also end in another way (a time-out) continue. `in_schedule` has the other orders.

mod checkpoint;
mod in_schedule;

use rustc_hash::FxHashSet;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::findings::with_titles;
use warplens_sim_warp::order_log::OrderLog;
use warplens_sim_warp::races::remove_raced_reads;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::{Space, Tap};
use warplens_sim_warp::schedule::{LaneOrder, Scheduler, Switch, Turns};
use warplens_sim_warp::trace::{Control, Finding, RunOptions, RunOutcome, StatementId, Status, WarpId};

use super::further_faults::FurtherFaults;
use super::launch_state::{Fault, LaunchState, POLL, RunEnd, WaitingWave, blocked_waves};
use super::listing::FinishedWave;
use super::loop_efficiency::loop_efficiency;
use super::machine::{ExecContext, Stop, Wave};
use super::memory::Memory;
use super::program::Program;
use super::sanitizer::{GroupShadow, Sanitizer};
use super::value_tracer::{ValueTracer, held};

/// Runs `program` with `launch` under the model `structured`.
///
/// The kernel's `.local_memory` takes precedence over the launch's; the caller has applied the kernel's
/// `.workgroup_size` to `launch`.
pub fn run(
    program: &Program,
    launch: LaunchConfig,
    options: &RunOptions,
    control: Control<'_>,
) -> RunOutcome {
    if launch.warp_width > 32 {
        Run::<64>::new(program, launch, options, control).run()
    } else {
        Run::<32>::new(program, launch, options, control).run()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupPause {
    Exited,
    /// No wave of the workgroup can continue.
    Blocked,
    /// The schedule lets other workgroups continue.
    Preempted,
}

/// Maximum warp instructions of a search for further faults, and maximum bytes of device memory, which is copied for it.
const MAX_STEPS: u64 = 300_000;
const MAX_COPY: u64 = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaveStatus {
    Ready,
    /// The wave could continue, but the schedule lets others do so.
    Preempted,
    AtBarrier,
    /// The wave spins since this count of memory changes.
    Spinning(u64),
    /// The wave polls memory, which has not changed since this count, in a loop that may also end in another
    /// way.
    Polling(u64),
    Exited,
}

#[derive(Clone)]
struct Workgroup<const W: usize> {
    /// Its number in the order of the grid.
    number: u64,
    id: [u32; 3],
    local: Vec<u8>,
    waves: Vec<(Wave<W>, WaveStatus)>,
    turns: Turns,
    /// Whether it has not been suspended yet.
    is_first_turn: bool,
    /// The wave with which its turn goes on after a checkpoint.
    resumed_at: usize,
    /// Present if checks are enabled.
    shadow: Option<GroupShadow>,
    /// How many of its waves the result lists.
    listed: u32,
}

impl<const W: usize> Workgroup<W> {
    /// Sends what the registers and the local memory hold to a recording.
    fn send_held(&self, program: &Program, launch: &LaunchState<'_>, tap: &Tap) {
        tap.holds_bytes((Space::Shared, self.number, 0), &[], &self.local);
        for (wave, _) in &self.waves {
            let id = WarpId { cta: self.id, warp: wave.index };
            tap.holds(id, (0, 0), &held(program, &launch.registers, &wave.recorder, &wave.state));
        }
    }
}

struct Run<'l, const W: usize> {
    program: &'l Program,
    launch: LaunchState<'l>,
    sanitizer: Option<Box<Sanitizer>>,
    /// Blocked and preempted workgroups in grid order, with the count of memory changes at that time.
    suspended: Vec<(Workgroup<W>, u64)>,
    /// How many workgroups have started.
    started: u64,
    max_steps: u64,
    /// The search for further faults, after the run has faulted.
    further: Option<Box<FurtherFaults>>,
    scheduler: Option<Box<Scheduler>>,
    /// The order in which the lanes of an atomic are served.
    lane_order: LaneOrder,
    order_log: Option<Box<OrderLog>>,
    /// The step from which the caller is polled at a pause of the schedule.
    poll_at: u64,
}

impl<'l, const W: usize> Run<'l, W> {
    fn new(
        program: &'l Program,
        launch: LaunchConfig,
        options: &'l RunOptions,
        control: Control<'l>,
    ) -> Self {
        let launch = LaunchState::new(launch, W, program.local_memory, options, control);
        let scheduler = launch.scheduler(wave_bytes::<W>(program));
        Run {
            program,
            launch,
            sanitizer: Sanitizer::new(options),
            suspended: Vec::new(),
            started: 0,
            max_steps: options.limits.max_steps,
            further: None,
            scheduler,
            lane_order: LaneOrder::default(),
            order_log: options.log_order.then(Box::default),
            poll_at: POLL,
        }
    }

    fn run(mut self) -> RunOutcome {
        let wave_bytes = wave_bytes::<W>(self.program);
        let ended =
            self.launch.check_memory(wave_bytes, self.program.statements()).and_then(|()| self.run_groups());
        let further = self.further.take().map_or_else(Vec::new, |further| further.findings);
        let mut result = self.launch.finish(ended)?;
        result.findings.extend(with_titles(further));
        let raced = raced_statements(&result.findings);
        remove_raced_reads(&mut result.findings, &raced);
        result.order_log = self.order_log;
        if let Some(sanitizer) = &self.sanitizer {
            result.last_store = sanitizer.last_store();
            result.findings.extend(with_titles(loop_efficiency(self.program, &result)));
        }
        Ok(result)
    }

    fn run_groups(&mut self) -> Result<Status, RunEnd> {
        match self.scheduler {
            Some(_) => self.run_in_schedule()?,
            None => self.run_in_order()?,
        }
        self.resume_polling()?;
        let mut suspended = std::mem::take(&mut self.suspended);
        match suspended.is_empty() {
            true => Ok(Status::Finished),
            false => {
                self.no_progress(&suspended);
                suspended.iter_mut().for_each(|(group, _)| self.collect(group));
                Ok(Status::NoProgress)
            }
        }
    }

    fn run_in_order(&mut self) -> Result<(), RunEnd> {
        let mut resumed = self.resumed();
        for number in self.started.saturating_sub(1)..self.launch.groups {
            let group = resumed.take().unwrap_or_else(|| self.group(number));
            self.run_group(group)?;
            self.retry()?;
            if self.is_full() {
                self.resume_polling()?;
                if self.is_full() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether suspended workgroups use more memory than the limit.
    fn is_full(&self) -> bool {
        let wave_bytes = wave_bytes::<W>(self.program);
        let bytes = |group: &Workgroup<W>| group.waves.len() as u64 * wave_bytes + group.local.len() as u64;
        self.suspended.iter().map(|(group, _)| bytes(group)).sum::<u64>()
            > self.launch.options.limits.max_memory
    }

    /// Resumes polling waves, although memory has not changed, until there are none. Each one gets a longer
    /// turn than before.
    fn resume_polling(&mut self) -> Result<(), RunEnd> {
        let polls = |(_, status): &(Wave<W>, WaveStatus)| matches!(status, WaveStatus::Polling(_));
        loop {
            let polling = self.suspended.iter().filter(|(group, _)| group.waves.iter().any(polls));
            let polling: Vec<u64> = polling.map(|(group, _)| group.number).collect();
            if polling.is_empty() {
                return Ok(());
            }
            for number in polling {
                let Some(at) = self.suspended.iter().position(|(group, _)| group.number == number) else {
                    continue;
                };
                let (mut group, _) = self.suspended.remove(at);
                for (_, status) in group.waves.iter_mut().filter(|wave| polls(wave)) {
                    *status = WaveStatus::Ready;
                }
                self.run_group(group)?;
                self.retry()?;
            }
        }
    }

    /// Resumes suspended workgroups while memory has changed since they last ran.
    fn retry(&mut self) -> Result<(), RunEnd> {
        while let Some(at) = self.suspended.iter().position(|(_, changes)| *changes != self.launch.changes) {
            let (group, _) = self.suspended.remove(at);
            self.run_group(group)?;
        }
        Ok(())
    }

    fn group(&mut self, number: u64) -> Workgroup<W> {
        let (program, launch, sanitizer) = (self.program, &mut self.launch, self.sanitizer.as_ref());
        let id = launch.geometry.workgroup_id(number);
        let listed = if self.further.is_some() { 0 } else { launch.listing.reserve(launch.geometry.waves) };
        self.started = number + 1;
        let waves = (0..launch.geometry.waves).map(|index| {
            let warp = WarpId { cta: id, warp: index };
            let recorder = launch.recorder(program.statements(), warp, listed);
            let mut wave = Wave::new(program, launch.geometry, index, &launch.registers, recorder);
            wave.reconvergences = launch.listing.lists(warp, listed).then(Box::default);
            wave.tracer = launch.tracer(warp, program.statements(), program.registers);
            wave.shadow = sanitizer.map(|sanitizer| Box::new(sanitizer.wave(program, &launch.registers)));
            (wave, WaveStatus::Ready)
        });
        let waves = waves.collect();
        let shadow = sanitizer.map(|sanitizer| sanitizer.group(launch.local_bytes, &launch.options.limits));
        let local = vec![0; launch.local_bytes];
        let (turns, is_first_turn, resumed_at) = (Turns::default(), true, 0);
        Workgroup { number, id, local, waves, turns, is_first_turn, resumed_at, shadow, listed }
    }

    /// Runs a workgroup until it exits, blocks or is preempted. One that has not exited is suspended.
    fn run_group(&mut self, mut group: Workgroup<W>) -> Result<(), RunEnd> {
        let pause = match self.run_waves(&mut group) {
            Ok(pause) => pause,
            Err(end) => {
                let others = std::mem::take(&mut self.suspended).into_iter().map(|(group, _)| group);
                let mut groups: Vec<_> = std::iter::once(group).chain(others).collect();
                groups.iter_mut().for_each(|group| self.collect(group));
                if let RunEnd::Fault(fault) = &end {
                    self.find_further_faults(fault, groups)?;
                }
                return Err(end);
            }
        };
        if pause == GroupPause::Exited {
            self.collect(&mut group);
            return self.launch.group_done();
        }
        group.is_first_turn = false;
        let at = self.suspended.partition_point(|(other, _)| other.number < group.number);
        self.suspended.insert(at, (group, self.launch.changes));
        Ok(())
    }

    /// Runs the waves of a workgroup in turns. Under a schedule, the first one in its order that can run does.
    fn run_waves(&mut self, group: &mut Workgroup<W>) -> Result<GroupPause, RunEnd> {
        let waves = group.waves.len();
        group.turns.choose_order(self.scheduler.as_deref_mut(), waves);
        loop {
            let mut progress = false;
            for place in std::mem::take(&mut group.resumed_at)..waves {
                let index = group.turns.member(place, waves);
                let runs = match group.waves[index].1 {
                    WaveStatus::Ready | WaveStatus::Preempted => true,
                    WaveStatus::Spinning(changes) | WaveStatus::Polling(changes) => {
                        changes != self.launch.changes
                    }
                    WaveStatus::AtBarrier | WaveStatus::Exited => false,
                };
                if runs {
                    if let Some(Switch::Cluster) = self.run_wave(group, index)? {
                        return Ok(GroupPause::Preempted);
                    }
                    progress = true;
                    if self.scheduler.is_some() {
                        break;
                    }
                }
            }
            let count = |state| group.waves.iter().filter(|(_, other)| *other == state).count();
            let (ended, waiting) = (count(WaveStatus::Exited), count(WaveStatus::AtBarrier));
            if ended == waves {
                return Ok(GroupPause::Exited);
            }
            if waiting == waves {
                if let Some((sanitizer, shadow)) = self.sanitizer.as_mut().zip(group.shadow.as_mut()) {
                    sanitizer.barrier(shadow);
                }
                group.waves.iter_mut().for_each(|(_, state)| *state = WaveStatus::Ready);
            } else if waiting + ended == waves {
                return Err(RunEnd::Fault(self.barrier_deadlock(group)));
            } else if !progress {
                return Ok(GroupPause::Blocked);
            }
        }
    }

    /// Runs a wave until it cannot continue, or until the schedule switches to others, which is returned.
    fn run_wave(&mut self, group: &mut Workgroup<W>, index: usize) -> Result<Option<Switch>, RunEnd> {
        let has_paused = group.waves[index].1 == WaveStatus::Preempted;
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.runs(has_paused));
        loop {
            let status = match self.run_to_stop(group, index)? {
                Stop::Exited => {
                    self.launch.wave_ended(WarpId { cta: group.id, warp: index as u32 });
                    Some(WaveStatus::Exited)
                }
                Stop::Barrier => Some(WaveStatus::AtBarrier),
                Stop::Traced => return Err(RunEnd::Traced),
                Stop::Spinning => Some(WaveStatus::Spinning(self.launch.changes)),
                Stop::Polling => Some(WaveStatus::Polling(self.launch.changes)),
                Stop::Paused => None,
                Stop::Preempted => match self.preempt(group, index)? {
                    None => continue,
                    switch => return Ok(switch),
                },
            };
            if let Some(status) = status {
                group.waves[index].1 = status;
            }
            if matches!(status, Some(WaveStatus::Exited | WaveStatus::AtBarrier)) {
                return Ok(None);
            }
            self.launch.poll()?;
            self.begin_recording(group);
            self.leave_checkpoint(group, index);
            if self.further.as_ref().is_some_and(|further| further.is_over) {
                return Err(RunEnd::StepLimit);
            }
            if status.is_some() {
                return Ok(None);
            }
        }
    }

    /// Runs a wave until something stops it, or the limit or the next poll is due.
    fn run_to_stop(&mut self, group: &mut Workgroup<W>, index: usize) -> Result<Stop, RunEnd> {
        let LaunchState { options, geometry, .. } = self.launch;
        let limit = self.max_steps;
        let launch = &mut self.launch;
        if launch.steps >= limit {
            return Err(RunEnd::StepLimit);
        }
        let pause = limit.min(launch.next_pause());
        let memory = Memory::of(&mut group.local, &mut launch.memory, &mut launch.changes);
        let mut ctx = ExecContext {
            program: self.program,
            geometry,
            workgroup: group.id,
            memory: Memory { lane_order: self.lane_order, ..memory },
            pause,
            limit,
            steps: &mut launch.steps,
            sanitizer: self.sanitizer.as_deref_mut().zip(group.shadow.as_mut()),
            further: self.further.as_deref_mut(),
            scheduler: self.scheduler.as_deref_mut(),
            order_log: self.order_log.as_deref_mut(),
            findings: &mut launch.findings,
            max_findings: options.limits.max_findings,
        };
        let stop = group.waves[index].0.run(&mut ctx);
        self.max_steps = ctx.limit;
        stop.map_err(RunEnd::Fault)
    }

    /// Begins to send steps to the recording, if its first step is due.
    fn begin_recording(&mut self, running: &mut Workgroup<W>) {
        let program = self.program;
        let Some(tap) = self.launch.begin_recording() else { return };
        let others = self.suspended.iter_mut().map(|(group, _)| group);
        for group in others.chain([running]) {
            group.send_held(program, &self.launch, tap);
            for (wave, _) in &mut group.waves {
                let id = WarpId { cta: group.id, warp: wave.index };
                let (set, recorder) = (&self.launch.registers, &wave.recorder);
                tap.visited(id, &recorder.visits());
                wave.tracer = Some(Box::new(ValueTracer::joining(tap, id, program, set, recorder)));
            }
        }
    }

    /// Goes on after an access out of range, without it, to find the other statements that have them. What the run shows
    /// is as of its first fault.
    fn find_further_faults(&mut self, first: &Fault, mut groups: Vec<Workgroup<W>>) -> Result<(), RunEnd> {
        let options = &self.launch.options;
        let is_observed = options.trace.is_some()
            || options.watch.is_some()
            || options.schedule.is_some()
            || self.launch.streams();
        let Some(at) = first.finding.statement.filter(|_| first.finding.kind == FindingKind::OutOfBounds)
        else {
            return Ok(());
        };
        let stopped = groups[0].waves.iter().find(|(wave, _)| wave.index == first.finding.warp);
        let can_skip = stopped.is_some_and(|(wave, _)| wave.can_skip(&self.program.ops[at.index()]));
        if is_observed || options.ends_at_fault || !can_skip || self.launch.memory.size() > MAX_COPY {
            return Ok(());
        }
        for (wave, _) in groups.iter_mut().flat_map(|group| &mut group.waves) {
            wave.recorder = Recorder::new(self.program.statements(), 0, 0);
        }
        let (sanitizer, memory) = (self.sanitizer.take(), self.launch.memory.clone());
        self.further = Some(Box::new(FurtherFaults::after(at.0)));
        self.max_steps = self.max_steps.min(self.launch.steps.saturating_add(MAX_STEPS));
        let ended = self.search(groups);
        (self.sanitizer, self.launch.memory) = (sanitizer, memory);
        if let Err(RunEnd::Cancelled) = ended { Err(RunEnd::Cancelled) } else { Ok(()) }
    }

    /// Runs these workgroups and those that have not started.
    fn search(&mut self, groups: Vec<Workgroup<W>>) -> Result<(), RunEnd> {
        for mut group in groups {
            self.run_waves(&mut group)?;
        }
        for number in self.started..self.launch.groups {
            let mut group = self.group(number);
            self.run_waves(&mut group)?;
        }
        Ok(())
    }

    fn collect(&mut self, group: &mut Workgroup<W>) {
        let (program, width) = (self.program, self.launch.geometry.width);
        if let Some(tap) = self.launch.awaited_recording().filter(|tap| tap.has_room()) {
            group.send_held(program, &self.launch, tap);
        }
        for (wave, _) in &mut group.waves {
            let registers = self.launch.options.registers.then(|| wave.registers(program, width));
            let reconvergences = wave.reconvergences.as_mut().map(|reconvergences| reconvergences.take());
            let done = FinishedWave {
                id: WarpId { cta: group.id, warp: wave.index },
                launched: wave.launched,
                recorder: std::mem::take(&mut wave.recorder),
                registers,
                reconvergences: reconvergences.unwrap_or_default(),
                values: wave.tracer.take().and_then(|tracer| tracer.finish(&program.named)),
            };
            self.launch.listing.take(group.number, done, group.listed);
        }
    }

    fn barrier_deadlock(&self, group: &Workgroup<W>) -> Fault {
        let ended = group.waves.iter().filter(|(_, state)| *state == WaveStatus::Exited).count();
        let message = format!(
            "{ended} of {} waves exited without arriving at a barrier\nthe other waves of the workgroup wait \
             there; let all waves execute the barrier before any of them halts",
            group.waves.len()
        );
        Fault::new(Status::NoProgress, self.waiting(group, FindingKind::BarrierDeadlock, message))
    }

    fn no_progress(&mut self, suspended: &[(Workgroup<W>, u64)]) {
        if let Some((group, _)) = suspended.first() {
            let message = "Livelock: lanes repeat a loop whose exit condition no wave can change\nupdate the condition of its \
                           `break` inside the loop, or let another wave store the awaited value"
                .to_owned();
            let finding = self.waiting(group, FindingKind::NoProgress, message);
            self.launch.findings.push(finding);
        }
    }

    /// A finding at the first blocked wave; spinning waves come first.
    fn waiting(&self, group: &Workgroup<W>, kind: FindingKind, message: String) -> Finding {
        let spins = |state: &WaveStatus| matches!(state, WaveStatus::Spinning(_) | WaveStatus::Polling(_));
        let mut waves: Vec<_> =
            group.waves.iter().filter(|(_, state)| *state != WaveStatus::Exited).collect();
        waves.sort_by_key(|(wave, state)| (!spins(state), wave.index));
        let waiting = waves.into_iter().map(|(wave, state)| {
            let (statement, lanes) = wave.blocked_at(spins(state));
            let what = if spins(state) { "repeats this loop" } else { "waits at this barrier" };
            WaitingWave { index: wave.index, statement: Some(statement), lanes, what }
        });
        blocked_waves((kind, message), group.id, waiting)
    }
}

/// Bytes of the registers of a wave.
fn wave_bytes<const W: usize>(program: &Program) -> u64 {
    program.rows() as u64 * W as u64 * 4
}

/// The statements of the reported data races.
fn raced_statements(findings: &[Finding]) -> FxHashSet<StatementId> {
    let races = findings.iter().filter(|finding| finding.kind == FindingKind::DataRace);
    races.flat_map(|race| race.related.iter().map(|other| other.statement).chain(race.statement)).collect()
}
