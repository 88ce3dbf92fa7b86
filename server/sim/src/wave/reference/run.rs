//! A launch under the reference emulator: workgroups in order, the waves of each in turn, one instruction each.

use crate::memory::DeviceMemory;
use crate::trace::{
    Beside, Cancelled, Control, Finding, Parting, Progress, Related, RunOptions, RunResult, Severity, Status,
    WarpId,
};
use crate::wave::LaunchConfig;
use crate::wave::listing::{Done, Listing};
use crate::wave::memory::{Memory, over_limit};
use crate::wave::state::Geometry;

use super::decode::EXTRA_ROWS;
use super::program::Program;
use super::wave::{Fault, Step, Surroundings, Wave};

/// Steps between two questions to the caller.
const POLL: u64 = 4096;

/// Steps of a workgroup after which the emulator gives up, those under an empty mask among them.
const GROUP_STEPS: u64 = 10_000_000;

/// Waves that a barrier knows of.
const BARRIER_WAVES: u32 = 64;

/// Runs `program` as `launch` says, under the model `wave-emu`.
///
/// The kernel's `.local_memory` decides over the launch's; `launch` must have obeyed its `.workgroup_size`. Steps under an empty
/// mask count towards the bound of steps too.
/// With `other`, a run of the same launch under another model, it is held against that, and each wave that is listed says where it
/// parts.
pub fn run(
    program: &Program,
    launch: LaunchConfig,
    options: &RunOptions,
    control: Control<'_>,
    other: Option<(&'static str, RunResult)>,
) -> Result<RunResult, Cancelled> {
    let beside = other.as_ref().map(|(_, other)| other);
    let (mut result, partings) = if launch.wave_width > 32 {
        Launch::<64>::new(program, launch, options, control, beside).run()?
    } else {
        Launch::<32>::new(program, launch, options, control, beside).run()?
    };
    result.beside = other.map(|(model, other)| Box::new(Beside { model, warps: other.warps, partings }));
    Ok(result)
}

/// Why a run ends before all workgroups have.
enum End {
    Fault(Fault),
    StepLimit,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    AtBarrier,
    Ended,
    /// Goes round for ever without a lane; the others may go on.
    Lost,
}

struct Workgroup<'l, const W: usize> {
    number: u64,
    id: [u32; 3],
    local: Vec<u8>,
    waves: Vec<(Wave<'l, W>, State)>,
    /// How many of its waves are listed in the result.
    listed: u32,
    /// The waves that have come to the barrier.
    arrived: u64,
    /// The wave whose turn it is, or the next one that can go on.
    turn: usize,
    steps: u64,
}

struct Launch<'l, const W: usize> {
    program: &'l Program,
    options: &'l RunOptions,
    control: Control<'l>,
    other: Option<&'l RunResult>,
    geometry: Geometry,
    registers: Vec<(u8, u32)>,
    local_bytes: usize,
    memory: DeviceMemory,
    steps: u64,
    changes: u64,
    findings: Vec<Finding>,
    listing: Listing<'l>,
    partings: Vec<Parting>,
    groups: u64,
}

impl<'l, const W: usize> Launch<'l, W> {
    fn new(
        program: &'l Program,
        launch: LaunchConfig,
        options: &'l RunOptions,
        control: Control<'l>,
        other: Option<&'l RunResult>,
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
            other,
            geometry,
            groups: launch.workgroups(),
            local_bytes: program.local_memory.unwrap_or(launch.local_memory) as usize,
            registers: launch.registers,
            memory: launch.memory,
            steps: 0,
            changes: 0,
            findings: Vec::new(),
            listing: Listing::new(options),
            partings: Vec::new(),
        }
    }

    fn run(mut self) -> Result<(RunResult, Vec<Parting>), Cancelled> {
        let stopped = self.refused().map(|finding| (finding, Status::Unsupported));
        let stopped = stopped.or_else(|| Some((self.too_large()?, Status::Faulted)));
        let status = match stopped {
            Some((finding, status)) => {
                self.findings.push(finding);
                status
            }
            None => match (0..self.groups).try_for_each(|number| self.run_group(number)) {
                Ok(()) => Status::Finished,
                Err(End::StepLimit) => Status::StepLimit,
                Err(End::Cancelled) => return Err(Cancelled),
                Err(End::Fault(fault)) => {
                    self.findings.push(fault.finding);
                    fault.status
                }
            },
        };
        Ok((self.listing.finish(status, self.findings, self.memory), self.partings))
    }

    /// What to say if the assembler does not take the kernel.
    fn refused(&self) -> Option<Finding> {
        let (statement, message) = self.program.refused.as_ref()?;
        Some(Finding {
            statement: Some(*statement),
            ..Finding::about_launch("not-assembled", message.clone())
        })
    }

    /// What to say if the launch needs more memory than allowed.
    fn too_large(&self) -> Option<Finding> {
        let rows = usize::from(self.program.registers) + EXTRA_ROWS;
        let waves = u64::from(self.geometry.waves) * rows as u64 * W as u64 * 4;
        over_limit(waves + self.local_bytes as u64 + self.memory.size(), self.options)
    }

    /// Workgroup `number` at its start.
    fn group(&mut self, number: u64) -> Workgroup<'l, W> {
        let id = self.geometry.workgroup_id(number);
        let listed = self.listing.reserve(self.geometry.waves);
        let waves = (0..self.geometry.waves).map(|warp| {
            let warp = WarpId { cta: id, warp };
            let recorder = self.listing.recorder(self.program.statements(), warp, listed);
            (
                Wave::new(self.program, self.geometry, warp, &self.registers, recorder, self.other),
                State::Ready,
            )
        });
        let waves = waves.collect();
        Workgroup {
            number,
            id,
            local: vec![0; self.local_bytes],
            waves,
            listed,
            arrived: 0,
            turn: 0,
            steps: 0,
        }
    }

    fn run_group(&mut self, number: u64) -> Result<(), End> {
        let mut group = self.group(number);
        let ended = self.run_waves(&mut group);
        self.collect(group);
        if ended.is_ok() {
            self.poll(number + 1)?;
        }
        ended
    }

    fn run_waves(&mut self, group: &mut Workgroup<'l, W>) -> Result<(), End> {
        loop {
            if group.all_are(State::Ended) {
                return Ok(());
            }
            if group.barrier_is_full() {
                group.open_barrier();
                continue;
            }
            let Some(index) = group.next_ready() else { return Err(End::Fault(self.stuck(group))) };
            if self.steps >= self.options.limits.max_steps {
                return Err(End::StepLimit);
            }
            if group.steps >= GROUP_STEPS {
                return Err(End::Fault(self.gives_up(group, index)));
            }
            self.steps += 1;
            group.steps += 1;
            self.step(group, index)?;
            if self.steps.is_multiple_of(POLL) {
                self.poll(group.number)?;
            }
        }
    }

    fn poll(&self, groups_done: u64) -> Result<(), End> {
        let progress = Progress { steps: self.steps, blocks_done: groups_done, blocks: self.groups };
        (self.control.progress)(progress);
        if (self.control.cancelled)() { Err(End::Cancelled) } else { Ok(()) }
    }

    fn step(&mut self, group: &mut Workgroup<'l, W>, index: usize) -> Result<(), End> {
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
        };
        let (wave, state) = &mut group.waves[index];
        match wave.step(&mut around).map_err(End::Fault)? {
            Step::On => {}
            Step::Ended => *state = State::Ended,
            Step::Lost => *state = State::Lost,
            Step::Barrier => {
                *state = State::AtBarrier;
                if wave.id.warp < BARRIER_WAVES {
                    group.arrived |= 1 << wave.id.warp;
                }
            }
        }
        if wave.is_at(self.program.own_words()) {
            self.note_overrun(index as u32, group.id);
        }
        Ok(())
    }

    /// A wave goes on behind its kernel: that is said once.
    fn note_overrun(&mut self, warp: u32, cta: [u32; 3]) {
        let (Some(next), Some(last)) = (&self.program.next, self.program.last_statement()) else { return };
        if self.findings.iter().any(|finding| finding.code == "missing-halt") {
            return;
        }
        let message = format!("the emulator goes on in the next kernel, `{next}`: end this one with `halt`");
        let finding = Finding::about_launch("missing-halt", message);
        let severity = Severity::Warning;
        self.findings.push(Finding { statement: Some(last), severity, cta, warp, ..finding });
    }

    /// Takes what the waves of a workgroup have recorded.
    fn collect(&mut self, group: Workgroup<'l, W>) {
        let (program, width) = (self.program, self.geometry.width);
        for (mut wave, _) in group.waves {
            self.partings.extend(wave.parting());
            let registers = self.options.registers.then(|| wave.registers(program, width));
            let done = Done { id: wave.id, launched: wave.launched, recorder: wave.recorder, registers };
            self.listing.take(group.number, done, group.listed);
        }
    }

    /// No wave of a workgroup can go on.
    fn stuck(&self, group: &Workgroup<'l, W>) -> Fault {
        let lost = group.waves.iter().any(|(_, state)| *state == State::Lost);
        let (code, state, message) = if lost {
            let message = "the emulator goes round in this loop for ever: `continue` goes back without a lane, and nobody is left to break";
            ("no-progress", State::Lost, message.to_owned())
        } else {
            let ended = group.waves.iter().filter(|(_, state)| *state == State::Ended).count();
            let message = format!(
                "waves wait at a barrier that not all of the workgroup's {} come to ({ended} have ended): the emulator reports a deadlock",
                group.waves.len()
            );
            ("barrier-deadlock", State::AtBarrier, message)
        };
        self.waiting(group, code, state, message)
    }

    fn gives_up(&self, group: &Workgroup<'l, W>, index: usize) -> Fault {
        let message = format!("the emulator gives up: a workgroup has {GROUP_STEPS} steps");
        let (wave, _) = &group.waves[index];
        let place = wave.statement(self.program);
        let finding = Finding::about_launch("no-progress", message);
        let finding = Finding { statement: place, cta: group.id, warp: index as u32, ..finding };
        Fault { status: Status::StepLimit, finding }
    }

    /// A finding at the first wave in a state, with the places of the others.
    fn waiting(&self, group: &Workgroup<'l, W>, code: &'static str, state: State, message: String) -> Fault {
        let mut waves = group.waves.iter().filter(|(_, other)| *other == state).map(|(wave, _)| wave);
        let finding = Finding::about_launch(code, message);
        let finding = match waves.next() {
            Some(first) => Finding {
                statement: first.statement(self.program),
                cta: group.id,
                warp: first.id.warp,
                lanes: first.active(),
                related: waves
                    .filter_map(|wave| {
                        let statement = wave.statement(self.program)?;
                        Some(Related { statement, message: format!("wave {} is here", wave.id.warp) })
                    })
                    .collect(),
                ..finding
            },
            None => finding,
        };
        Fault { status: Status::NoProgress, finding }
    }
}

impl<const W: usize> Workgroup<'_, W> {
    fn all_are(&self, wanted: State) -> bool {
        self.waves.iter().all(|(_, state)| *state == wanted)
    }

    fn barrier_is_full(&self) -> bool {
        let waves = (self.waves.len() as u32).min(BARRIER_WAVES);
        waves != 0 && self.arrived == u64::MAX >> (BARRIER_WAVES - waves)
    }

    fn open_barrier(&mut self) {
        for (wave, state) in &mut self.waves {
            if *state == State::AtBarrier {
                wave.pass_barrier();
                *state = State::Ready;
            }
        }
        self.arrived = 0;
    }

    fn next_ready(&mut self) -> Option<usize> {
        let count = self.waves.len();
        let ready = |index: &usize| self.waves[*index].1 == State::Ready;
        let next = (0..count).map(|offset| (self.turn + offset) % count).find(ready)?;
        self.turn = (next + 1) % count;
        Some(next)
    }
}
