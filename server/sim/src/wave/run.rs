//! A launch: workgroups in order, the waves of each in order, and what comes out.
//!
//! Workgroups run x fastest, then y, then z. A wave runs until it ends, comes to a barrier, or spins until memory changes; then the
//! next one of its workgroup runs. A workgroup whose waves all wait while one spins is set aside, and tried again whenever memory
//! has changed since.

use pulp::Arch;

use crate::trace::{Cancelled, Control, Finding, RunOptions, RunResult, Status, WarpId};

use super::LaunchConfig;
use super::listing::Done;
use super::machine::{Stop, Surroundings, Wave};
use super::memory::Memory;
use super::probe::Probe;
use super::program::Program;
use super::scattered::scattered;
use super::stage::{End, Fault, POLL, Stage, Waiting, about_waves};
use super::watch::{GroupWatch, Watch};

/// Runs `program` as `launch` says, under the model `structured`.
///
/// The kernel's `.local_memory` decides over the launch's; `launch` must have obeyed its `.workgroup_size`.
pub fn run(
    program: &Program,
    launch: LaunchConfig,
    options: &RunOptions,
    control: Control<'_>,
) -> Result<RunResult, Cancelled> {
    if launch.wave_width > 32 {
        Launch::<64>::new(program, launch, options, control).run()
    } else {
        Launch::<32>::new(program, launch, options, control).run()
    }
}

/// What a workgroup waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    AtBarrier,
    /// Spins since memory had changed this often.
    Spinning(u64),
    Ended,
}

struct Workgroup<const W: usize> {
    /// Its number in the order of the grid.
    number: u64,
    id: [u32; 3],
    local: Vec<u8>,
    waves: Vec<(Wave<W>, State)>,
    /// What is known of it, where it is watched.
    watched: Option<GroupWatch>,
    /// How many of its waves are listed in the result.
    listed: u32,
}

struct Launch<'l, const W: usize> {
    program: &'l Program,
    stage: Stage<'l>,
    arch: Arch,
    watch: Option<Box<Watch>>,
}

impl<'l, const W: usize> Launch<'l, W> {
    fn new(
        program: &'l Program,
        launch: LaunchConfig,
        options: &'l RunOptions,
        control: Control<'l>,
    ) -> Self {
        let stage = Stage::new(launch, W, program.local_memory, options, control);
        Launch { program, stage, arch: Arch::new(), watch: Watch::new(options.checks) }
    }

    fn run(mut self) -> Result<RunResult, Cancelled> {
        let wave_bytes = self.program.rows() as u64 * W as u64 * 4;
        let ended = self.stage.check_room(wave_bytes).and_then(|()| self.run_groups());
        let mut result = self.stage.finish(ended)?;
        explain_by_races(&mut result.findings);
        if self.watch.is_some() {
            result.findings.extend(scattered(self.program, &result));
        }
        Ok(result)
    }

    fn run_groups(&mut self) -> Result<Status, End> {
        let mut aside: Vec<(Workgroup<W>, u64)> = Vec::new();
        for number in 0..self.stage.groups {
            let group = self.group(number);
            self.run_group(group, &mut aside)?;
            self.retry(&mut aside)?;
            let width = u64::from(self.stage.geometry.width);
            let room = self.stage.options.limits.max_memory / (self.program.rows() as u64 * width * 4 + 1);
            if aside.iter().map(|(group, _)| group.waves.len() as u64).sum::<u64>() > room {
                break;
            }
        }
        match aside.is_empty() {
            true => Ok(Status::Finished),
            false => {
                self.no_progress(&aside);
                aside.into_iter().for_each(|(group, _)| self.collect(group));
                Ok(Status::NoProgress)
            }
        }
    }

    /// Runs the groups that were set aside again, as long as memory has changed since they last ran.
    fn retry(&mut self, aside: &mut Vec<(Workgroup<W>, u64)>) -> Result<(), End> {
        while let Some(at) = aside.iter().position(|(_, changes)| *changes != self.stage.changes) {
            let (group, _) = aside.remove(at);
            self.run_group(group, aside)?;
        }
        Ok(())
    }

    /// Workgroup `number` at its start.
    fn group(&mut self, number: u64) -> Workgroup<W> {
        let (program, stage, watch) = (self.program, &mut self.stage, self.watch.as_ref());
        let id = stage.geometry.workgroup_id(number);
        let listed = stage.listing.reserve(stage.geometry.waves);
        let waves = (0..stage.geometry.waves).map(|index| {
            let warp = WarpId { cta: id, warp: index };
            let recorder = stage.listing.recorder(program.statements(), warp, listed);
            let mut wave = Wave::new(program, stage.geometry, index, &stage.registers, recorder);
            let probe = |look| Probe::new(program.statements(), program.registers, &look, &stage.registers);
            wave.meetings = stage.listing.lists(warp, listed).then(Box::default);
            wave.probe = stage.look_at(warp).map(|look| Box::new(probe(look)));
            wave.watched = watch.map(|watch| Box::new(watch.wave(program, &stage.registers)));
            (wave, State::Ready)
        });
        let waves = waves.collect();
        let watched = watch.map(|watch| watch.group(stage.local_bytes, &stage.options.limits));
        Workgroup { number, id, local: vec![0; stage.local_bytes], waves, watched, listed }
    }

    /// Runs a workgroup to its end, or until it can only wait; then it goes to the back of `aside`, in the order of the grid.
    fn run_group(
        &mut self,
        mut group: Workgroup<W>,
        aside: &mut Vec<(Workgroup<W>, u64)>,
    ) -> Result<(), End> {
        let done = match self.run_waves(&mut group) {
            Ok(done) => done,
            Err(end) => {
                self.collect(group);
                std::mem::take(aside).into_iter().for_each(|(group, _)| self.collect(group));
                return Err(end);
            }
        };
        if done {
            self.collect(group);
            return self.stage.group_done();
        }
        let place = aside.partition_point(|(other, _)| other.number < group.number);
        aside.insert(place, (group, self.stage.changes));
        Ok(())
    }

    /// Answers whether all waves have ended.
    fn run_waves(&mut self, group: &mut Workgroup<W>) -> Result<bool, End> {
        loop {
            let mut progress = false;
            for index in 0..group.waves.len() {
                let runs = match group.waves[index].1 {
                    State::Ready => true,
                    State::Spinning(changes) => changes != self.stage.changes,
                    State::AtBarrier | State::Ended => false,
                };
                if runs {
                    group.waves[index].1 = self.run_wave(group, index)?;
                    progress = true;
                }
            }
            let count = |state| group.waves.iter().filter(|(_, other)| *other == state).count();
            let (ended, waiting) = (count(State::Ended), count(State::AtBarrier));
            if ended == group.waves.len() {
                return Ok(true);
            }
            if waiting == group.waves.len() {
                if let Some((watch, watched)) = self.watch.as_mut().zip(group.watched.as_mut()) {
                    watch.barrier(watched);
                }
                group.waves.iter_mut().for_each(|(_, state)| *state = State::Ready);
            } else if waiting + ended == group.waves.len() {
                return Err(End::Fault(self.barrier_deadlock(group)));
            } else if !progress {
                return Ok(false);
            }
        }
    }

    fn run_wave(&mut self, group: &mut Workgroup<W>, index: usize) -> Result<State, End> {
        let Stage { options, geometry, .. } = self.stage;
        let limit = options.limits.max_steps;
        loop {
            let stage = &mut self.stage;
            if stage.steps >= limit {
                return Err(End::StepLimit);
            }
            let mut around = Surroundings {
                program: self.program,
                geometry,
                workgroup: group.id,
                memory: Memory::of(&mut group.local, &mut stage.memory, &mut stage.changes),
                pause: limit.min(stage.steps + POLL),
                limit,
                arch: self.arch,
                steps: &mut stage.steps,
                watch: self.watch.as_deref_mut().zip(group.watched.as_mut()),
                findings: &mut stage.findings,
                max_findings: options.limits.max_findings,
            };
            let stop = group.waves[index].0.run(&mut around).map_err(End::Fault)?;
            match stop {
                Stop::Ended => return Ok(State::Ended),
                Stop::Barrier => return Ok(State::AtBarrier),
                Stop::Spinning => return Ok(State::Spinning(self.stage.changes)),
                Stop::Looked => return Err(End::Looked),
                Stop::Paused => self.stage.poll()?,
            }
        }
    }

    /// Takes what the waves of a workgroup have recorded.
    fn collect(&mut self, group: Workgroup<W>) {
        let (program, width) = (self.program, self.stage.geometry.width);
        for (mut wave, _) in group.waves {
            if let Some(probe) = wave.probe.take() {
                self.stage.values = Some(probe.finish(&program.named));
            }
            let registers = self.stage.options.registers.then(|| wave.registers(program, width));
            let id = WarpId { cta: group.id, warp: wave.index };
            let reconvergences = wave.meetings.map(|mut meetings| meetings.take()).unwrap_or_default();
            let done =
                Done { id, launched: wave.launched, recorder: wave.recorder, registers, reconvergences };
            self.stage.listing.take(group.number, done, group.listed);
        }
    }

    fn barrier_deadlock(&self, group: &Workgroup<W>) -> Fault {
        let ended = group.waves.iter().filter(|(_, state)| *state == State::Ended).count();
        let message = format!(
            "waves wait at a barrier that {ended} of the workgroup's {} waves ended without coming to: let all waves pass it before \
             any of them halts",
            group.waves.len()
        );
        Fault { status: Status::NoProgress, finding: self.waiting(group, "barrier-deadlock", message) }
    }

    fn no_progress(&mut self, aside: &[(Workgroup<W>, u64)]) {
        if let Some((group, _)) = aside.first() {
            let message = "lanes go round in a loop for something that nobody brings about: change in the loop what its `break` \
                           asks, or let another wave store what it waits for"
                .to_owned();
            let finding = self.waiting(group, "no-progress", message);
            self.stage.findings.push(finding);
        }
    }

    /// A finding at the first wave that waits for something nobody does, those that go round first.
    fn waiting(&self, group: &Workgroup<W>, code: &'static str, message: String) -> Finding {
        let spins = |state: &State| matches!(state, State::Spinning(_));
        let mut waves: Vec<_> = group.waves.iter().filter(|(_, state)| *state != State::Ended).collect();
        waves.sort_by_key(|(wave, state)| (!spins(state), wave.index));
        let waiting = waves.into_iter().map(|(wave, state)| {
            let (statement, lanes) = wave.place(spins(state));
            let what = if spins(state) { "goes round here" } else { "waits at this barrier" };
            Waiting { index: wave.index, statement: Some(statement), lanes, what }
        });
        about_waves((code, message), group.id, waiting)
    }
}

/// Takes back unwritten reads that a race explains: what was read too early was to be written by the other side.
fn explain_by_races(findings: &mut Vec<Finding>) {
    let races = findings.iter().filter(|finding| finding.code == "data-race");
    let sides = races.flat_map(|race| race.related.iter().map(|other| other.statement).chain(race.statement));
    let raced: Vec<_> = sides.collect();
    findings.retain(|finding| {
        let explained = finding.statement.is_some_and(|statement| raced.contains(&statement));
        finding.code != "uninitialized-read" || !explained
    });
}
