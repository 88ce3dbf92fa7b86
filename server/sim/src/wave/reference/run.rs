//! A launch under the reference emulator: workgroups in order, the waves of each in turn, one instruction each.

use crate::trace::{
    Cancelled, Control, Divergence, Finding, ModelDiff, RunOptions, RunResult, Severity, Status, WarpId,
};
use crate::wave::LaunchConfig;
use crate::wave::listing::Done;
use crate::wave::memory::Memory;
use crate::wave::probe::Probe;
use crate::wave::stage::{End, Fault, POLL, Stage, Waiting, about_waves};

use super::decode::EXTRA_ROWS;
use super::program::Program;
use super::wave::{Step, Surroundings, Wave};

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
    let (mut result, divergences) = if launch.wave_width > 32 {
        Launch::<64>::new(program, launch, options, control, beside).run()?
    } else {
        Launch::<32>::new(program, launch, options, control, beside).run()?
    };
    result.model_diff =
        other.map(|(model, other)| Box::new(ModelDiff { model, warps: other.warps, divergences }));
    Ok(result)
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
    stage: Stage<'l>,
    other: Option<&'l RunResult>,
    divergences: Vec<Divergence>,
}

impl<'l, const W: usize> Launch<'l, W> {
    fn new(
        program: &'l Program,
        launch: LaunchConfig,
        options: &'l RunOptions,
        control: Control<'l>,
        other: Option<&'l RunResult>,
    ) -> Self {
        let stage = Stage::new(launch, W, program.local_memory, options, control);
        Launch { program, stage, other, divergences: Vec::new() }
    }

    fn run(mut self) -> Result<(RunResult, Vec<Divergence>), Cancelled> {
        let ended = self.run_groups();
        Ok((self.stage.finish(ended)?, self.divergences))
    }

    fn run_groups(&mut self) -> Result<Status, End> {
        self.check_assembled()?;
        let rows = usize::from(self.program.registers) + EXTRA_ROWS;
        self.stage.check_room(rows as u64 * W as u64 * 4)?;
        (0..self.stage.groups).try_for_each(|number| self.run_group(number))?;
        Ok(Status::Finished)
    }

    /// A kernel that the assembler does not take is not run.
    fn check_assembled(&self) -> Result<(), End> {
        let Some((statement, message)) = &self.program.refused else { return Ok(()) };
        let finding = Finding::about_launch("not-assembled", message.clone());
        let finding = Finding { statement: Some(*statement), ..finding };
        Err(End::Fault(Fault { status: Status::Unsupported, finding }))
    }

    /// Workgroup `number` at its start.
    fn group(&mut self, number: u64) -> Workgroup<'l, W> {
        let (program, stage, other) = (self.program, &mut self.stage, self.other);
        let id = stage.geometry.workgroup_id(number);
        let listed = stage.listing.reserve(stage.geometry.waves);
        let waves = (0..stage.geometry.waves).map(|warp| {
            let warp = WarpId { cta: id, warp };
            let recorder = stage.listing.recorder(program.statements(), warp, listed);
            let mut wave = Wave::new(program, stage.geometry, warp, &stage.registers, recorder, other);
            let probe = |look| Probe::new(program.statements(), program.registers, &look, &stage.registers);
            wave.probe = stage.look_at(warp).map(|look| Box::new(probe(look)));
            (wave, State::Ready)
        });
        let waves = waves.collect();
        Workgroup {
            number,
            id,
            local: vec![0; stage.local_bytes],
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
        ended?;
        self.stage.group_done()
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
            if self.stage.steps >= self.stage.options.limits.max_steps {
                return Err(End::StepLimit);
            }
            if group.steps >= GROUP_STEPS {
                return Err(End::Fault(self.gives_up(group, index)));
            }
            self.stage.steps += 1;
            group.steps += 1;
            self.step(group, index)?;
            if self.stage.steps.is_multiple_of(POLL) {
                self.stage.poll()?;
            }
        }
    }

    fn step(&mut self, group: &mut Workgroup<'l, W>, index: usize) -> Result<(), End> {
        let mut around = Surroundings {
            program: self.program,
            geometry: self.stage.geometry,
            workgroup: group.id,
            memory: Memory::of(&mut group.local, &mut self.stage.memory, &mut self.stage.changes),
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
        if wave.probe.as_ref().is_some_and(|probe| probe.is_done()) {
            return Err(End::Looked);
        }
        if wave.is_at(self.program.own_words()) {
            self.note_overrun(index as u32, group.id);
        }
        Ok(())
    }

    /// A wave goes on behind its kernel: that is said once.
    fn note_overrun(&mut self, warp: u32, cta: [u32; 3]) {
        let (Some(next), Some(last)) = (&self.program.next, self.program.last_statement()) else { return };
        if self.stage.findings.iter().any(|finding| finding.code == "missing-halt") {
            return;
        }
        let message = format!("the emulator goes on in the next kernel, `{next}`: end this one with `halt`");
        let finding = Finding::about_launch("missing-halt", message);
        let severity = Severity::Warning;
        self.stage.findings.push(Finding { statement: Some(last), severity, cta, warp, ..finding });
    }

    /// Takes what the waves of a workgroup have recorded.
    fn collect(&mut self, group: Workgroup<'l, W>) {
        let (program, width) = (self.program, self.stage.geometry.width);
        for (mut wave, _) in group.waves {
            self.divergences.extend(wave.parting());
            if let Some(probe) = wave.probe.take() {
                self.stage.values = Some(probe.finish(&program.named));
            }
            let registers = self.stage.options.registers.then(|| wave.registers(program, width));
            // Masks are restored there, whoever comes: lanes do not meet.
            let reconvergences = Vec::new();
            let done = Done {
                id: wave.id,
                launched: wave.launched,
                recorder: wave.recorder,
                registers,
                reconvergences,
            };
            self.stage.listing.take(group.number, done, group.listed);
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
        let waves = group.waves.iter().filter(|(_, other)| *other == state);
        let waiting = waves.map(|(wave, _)| Waiting {
            index: wave.id.warp,
            statement: wave.statement(self.program),
            lanes: wave.active(),
            what: "is here",
        });
        Fault { status: Status::NoProgress, finding: about_waves((code, message), group.id, waiting) }
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
