//! A launch: workgroups in order, the waves of each in order, and what comes out.
//!
//! Workgroups run x fastest, then y, then z. A wave runs until it ends, comes to a barrier, or spins until memory changes; then the
//! next one of its workgroup runs. A workgroup whose waves all wait while one spins is set aside, and tried again whenever memory
//! has changed since.

use pulp::Arch;

use crate::memory::DeviceMemory;
use crate::trace::{
    Cancelled, Control, Finding, Progress, Related, RunOptions, RunResult, Severity, Status, WarpId,
};

use crate::values::Values;

use super::LaunchConfig;
use super::listing::{Done, Listing};
use super::machine::{Fault, Stop, Surroundings, Wave};
use super::memory::{Memory, over_limit};
use super::probe::Probe;
use super::program::Program;
use super::scattered::scattered;
use super::state::Geometry;
use super::watch::{GroupWatch, Watch};

/// Steps between two questions to the caller.
const POLL: u64 = 4096;

/// Waves beside the first that a finding names.
const MOST_RELATED: usize = 8;

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

/// Why a run ends before all workgroups have.
enum End {
    Fault(Fault),
    StepLimit,
    Cancelled,
    /// What was to be seen of a wave was seen.
    Looked,
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
    options: &'l RunOptions,
    control: Control<'l>,
    geometry: Geometry,
    arch: Arch,
    registers: Vec<(u8, u32)>,
    local_bytes: usize,
    memory: DeviceMemory,
    steps: u64,
    changes: u64,
    findings: Vec<Finding>,
    listing: Listing<'l>,
    groups: u64,
    groups_done: u64,
    /// What was seen of the wave that somebody looks at.
    values: Option<Values>,
    watch: Option<Box<Watch>>,
}

impl<'l, const W: usize> Launch<'l, W> {
    fn new(
        program: &'l Program,
        launch: LaunchConfig,
        options: &'l RunOptions,
        control: Control<'l>,
    ) -> Self {
        let geometry = Geometry {
            grid: launch.grid,
            workgroup: launch.workgroup,
            width: launch.wave_width.clamp(1, W as u32),
            waves: u32::try_from(launch.waves()).unwrap_or(u32::MAX),
        };
        Launch {
            program,
            options,
            control,
            geometry,
            arch: Arch::new(),
            groups: launch.workgroups(),
            local_bytes: program.local_memory.unwrap_or(launch.local_memory) as usize,
            registers: launch.registers,
            memory: launch.memory,
            steps: 0,
            changes: 0,
            findings: Vec::new(),
            listing: Listing::new(options),
            groups_done: 0,
            values: None,
            watch: Watch::new(options.checks),
        }
    }

    fn run(mut self) -> Result<RunResult, Cancelled> {
        let status = match self.too_large() {
            Some(finding) => {
                self.findings.push(finding);
                Status::Faulted
            }
            None => match self.run_groups() {
                Ok(status) => status,
                Err(End::StepLimit) => Status::StepLimit,
                Err(End::Looked) => Status::Finished,
                Err(End::Cancelled) => return Err(Cancelled),
                Err(End::Fault(fault)) => {
                    self.findings.push(fault.finding);
                    fault.status
                }
            },
        };
        explain_by_races(&mut self.findings);
        let mut result = self.listing.finish(status, self.findings, self.memory);
        result.values = self.values;
        if self.watch.is_some() {
            result.findings.extend(scattered(self.program, &result));
        }
        Ok(result)
    }

    /// What to say if the launch needs more memory than allowed.
    fn too_large(&self) -> Option<Finding> {
        let wave = self.program.rows() as u64 * W as u64 * 4;
        let waves = u64::from(self.geometry.waves) * wave;
        over_limit(waves + self.local_bytes as u64 + self.memory.size(), self.options)
    }

    fn run_groups(&mut self) -> Result<Status, End> {
        let mut aside: Vec<(Workgroup<W>, u64)> = Vec::new();
        for number in 0..self.groups {
            let group = self.group(number);
            self.run_group(group, &mut aside)?;
            self.retry(&mut aside)?;
            let Geometry { width, .. } = self.geometry;
            let room =
                self.options.limits.max_memory / (self.program.rows() as u64 * u64::from(width) * 4 + 1);
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
        while let Some(at) = aside.iter().position(|(_, changes)| *changes != self.changes) {
            let (group, _) = aside.remove(at);
            self.run_group(group, aside)?;
        }
        Ok(())
    }

    /// Workgroup `number` at its start.
    fn group(&mut self, number: u64) -> Workgroup<W> {
        let id = self.geometry.workgroup_id(number);
        let listed = self.listing.reserve(self.geometry.waves);
        let watch = self.watch.as_ref();
        let waves = (0..self.geometry.waves).map(|index| {
            let warp = WarpId { cta: id, warp: index };
            let recorder = self.listing.recorder(self.program.statements(), warp, listed);
            let mut wave = Wave::new(self.program, self.geometry, index, &self.registers, recorder);
            let look = self.options.look.filter(|look| look.warp == warp);
            wave.probe = look.map(|look| Box::new(Probe::new(self.program, &look, &self.registers)));
            wave.watched = watch.map(|watch| Box::new(watch.wave(self.program, &self.registers)));
            (wave, State::Ready)
        });
        let waves = waves.collect();
        let watched = watch.map(|watch| watch.group(self.local_bytes, &self.options.limits));
        Workgroup { number, id, local: vec![0; self.local_bytes], waves, watched, listed }
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
            self.groups_done += 1;
            self.collect(group);
            if self.values.is_some() {
                return Err(End::Looked);
            }
            if (self.control.cancelled)() {
                return Err(End::Cancelled);
            }
        } else {
            let place = aside.partition_point(|(other, _)| other.number < group.number);
            aside.insert(place, (group, self.changes));
        }
        Ok(())
    }

    /// Answers whether all waves have ended.
    fn run_waves(&mut self, group: &mut Workgroup<W>) -> Result<bool, End> {
        loop {
            let mut progress = false;
            for index in 0..group.waves.len() {
                let runs = match group.waves[index].1 {
                    State::Ready => true,
                    State::Spinning(changes) => changes != self.changes,
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
        let limit = self.options.limits.max_steps;
        loop {
            if self.steps >= limit {
                return Err(End::StepLimit);
            }
            let flat = self.memory.buffers().first().map_or(0, |buffer| buffer.len);
            let mut around = Surroundings {
                program: self.program,
                geometry: self.geometry,
                workgroup: group.id,
                memory: Memory {
                    local: &mut group.local,
                    device: self.memory.bytes_mut(0, flat).unwrap_or_default(),
                    changes: &mut self.changes,
                },
                pause: limit.min(self.steps + POLL),
                limit,
                arch: self.arch,
                steps: &mut self.steps,
                watch: self.watch.as_deref_mut().zip(group.watched.as_mut()),
                findings: &mut self.findings,
                max_findings: self.options.limits.max_findings,
            };
            let stop = group.waves[index].0.run(&mut around).map_err(End::Fault)?;
            match stop {
                Stop::Ended => return Ok(State::Ended),
                Stop::Barrier => return Ok(State::AtBarrier),
                Stop::Spinning => return Ok(State::Spinning(self.changes)),
                Stop::Looked => return Err(End::Looked),
                Stop::Paused => {
                    let progress =
                        Progress { steps: self.steps, blocks_done: self.groups_done, blocks: self.groups };
                    (self.control.progress)(progress);
                    if (self.control.cancelled)() {
                        return Err(End::Cancelled);
                    }
                }
            }
        }
    }

    /// Takes what the waves of a workgroup have recorded.
    fn collect(&mut self, group: Workgroup<W>) {
        let (program, width) = (self.program, self.geometry.width);
        for (mut wave, _) in group.waves {
            if let Some(probe) = wave.probe.take() {
                self.values = Some(probe.finish(program));
            }
            let registers = self.options.registers.then(|| wave.registers(program, width));
            let id = WarpId { cta: group.id, warp: wave.index };
            let done = Done { id, launched: wave.launched, recorder: wave.recorder, registers };
            self.listing.take(group.number, done, group.listed);
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
            self.findings.push(finding);
        }
    }

    /// A finding at the first wave that waits for something nobody does, with the places of the others.
    fn waiting(&self, group: &Workgroup<W>, code: &'static str, message: String) -> Finding {
        let spins = |state: &State| matches!(state, State::Spinning(_));
        let mut waves: Vec<_> = group.waves.iter().filter(|(_, state)| *state != State::Ended).collect();
        waves.sort_by_key(|(wave, state)| (!spins(state), wave.index));
        let related = waves.iter().skip(1).take(MOST_RELATED).map(|(wave, state)| Related {
            statement: wave.place(spins(state)).0,
            message: match spins(state) {
                true => format!("wave {} goes round here", wave.index),
                false => format!("wave {} waits at this barrier", wave.index),
            },
        });
        let finding =
            Finding { related: related.collect(), cta: group.id, ..Finding::about_launch(code, message) };
        match waves.first() {
            Some((wave, state)) => {
                let (statement, lanes) = wave.place(spins(state));
                Finding { statement: Some(statement), lanes, warp: wave.index, ..finding }
            }
            None => finding,
        }
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
