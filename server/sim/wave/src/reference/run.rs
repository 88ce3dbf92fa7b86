//! Runs a launch under the reference emulator: workgroups in order, and the waves of each one in turn, one
//! instruction at a time.

use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{
    Cancelled, Control, Divergence, Finding, ModelDiff, RunOptions, RunOutcome, RunResult, Status, WarpId,
};

use crate::launch_state::{Fault, LaunchState, POLL, RunEnd, WaitingWave, blocked_waves};
use crate::listing::FinishedWave;
use crate::memory::Memory;

use super::decode::EXTRA_ROWS;
use super::program::Program;
use super::wave::{ExecContext, Step, Wave};

/// The emulator's step limit for a workgroup, including steps with an empty mask.
const GROUP_STEPS: u64 = 10_000_000;

/// How many waves a barrier tracks.
const BARRIER_WAVES: u32 = 64;

/// Runs `program` with `launch` under the model `wave-emu`.
///
/// The kernel's `.local_memory` takes precedence over the launch's; the caller has applied the kernel's
/// `.workgroup_size` to `launch`. Steps with an empty mask also count towards the step limit. `other` is a
/// run of the same launch under another model; the result then reports the first difference of each listed
/// wave.
pub fn run(
    program: &Program,
    launch: LaunchConfig,
    options: &RunOptions,
    control: Control<'_>,
    other: Option<(&'static str, RunResult)>,
) -> RunOutcome {
    let model_diff = other.as_ref().map(|(_, other)| other);
    let (mut result, divergences) = if launch.warp_width > 32 {
        Run::<64>::new(program, launch, options, control, model_diff).run()?
    } else {
        Run::<32>::new(program, launch, options, control, model_diff).run()?
    };
    result.model_diff =
        other.map(|(model, other)| Box::new(ModelDiff { model, warps: other.warps, divergences }));
    Ok(result)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaveStatus {
    Ready,
    AtBarrier,
    Exited,
    /// The wave loops forever without an active lane; other waves may continue.
    Livelocked,
}

struct Workgroup<'l, const W: usize> {
    number: u64,
    id: [u32; 3],
    local: Vec<u8>,
    waves: Vec<(Wave<'l, W>, WaveStatus)>,
    /// How many of its waves the result lists.
    listed: u32,
    arrived: u64,
    /// The next wave to schedule, if it is ready.
    turn: usize,
    steps: u64,
}

struct Run<'l, const W: usize> {
    program: &'l Program,
    launch: LaunchState<'l>,
    other: Option<&'l RunResult>,
    divergences: Vec<Divergence>,
}

impl<'l, const W: usize> Run<'l, W> {
    fn new(
        program: &'l Program,
        launch: LaunchConfig,
        options: &'l RunOptions,
        control: Control<'l>,
        other: Option<&'l RunResult>,
    ) -> Self {
        // The emulator counts steps that visit no statement, so that a recording cannot begin at one.
        if let Some(tap) = control.tap.filter(|tap| !tap.is_on()) {
            tap.begin(0);
        }
        let launch = LaunchState::new(launch, W, program.local_memory, options, control);
        Run { program, launch, other, divergences: Vec::new() }
    }

    fn run(mut self) -> Result<(RunResult, Vec<Divergence>), Cancelled> {
        let ended = self.run_groups();
        Ok((self.launch.finish(ended)?, self.divergences))
    }

    fn run_groups(&mut self) -> Result<Status, RunEnd> {
        self.check_assembled()?;
        let rows = usize::from(self.program.registers) + EXTRA_ROWS;
        self.launch.check_memory(rows as u64 * W as u64 * 4, self.program.statements())?;
        (0..self.launch.groups).try_for_each(|number| self.run_group(number))?;
        Ok(Status::Finished)
    }

    /// A kernel that the assembler rejects is not run.
    fn check_assembled(&self) -> Result<(), RunEnd> {
        let Some((statement, message)) = &self.program.refused else { return Ok(()) };
        let finding = Finding::about_launch(FindingKind::NotAssembled, message.clone());
        let finding = Finding { statement: Some(*statement), ..finding };
        Err(RunEnd::Fault(Fault::new(Status::Unsupported, finding)))
    }

    fn group(&mut self, number: u64) -> Workgroup<'l, W> {
        let (program, launch, other) = (self.program, &mut self.launch, self.other);
        let id = launch.geometry.workgroup_id(number);
        let listed = launch.listing.reserve(launch.geometry.waves);
        let waves = (0..launch.geometry.waves).map(|warp| {
            let warp = WarpId { cta: id, warp };
            let recorder = launch.recorder(program.statements(), warp, listed);
            let mut wave = Wave::new(program, launch.geometry, warp, &launch.registers, recorder, other);
            wave.tracer = launch.tracer(warp, program.statements(), program.registers);
            (wave, WaveStatus::Ready)
        });
        let waves = waves.collect();
        Workgroup {
            number,
            id,
            local: vec![0; launch.local_bytes],
            waves,
            listed,
            arrived: 0,
            turn: 0,
            steps: 0,
        }
    }

    fn run_group(&mut self, number: u64) -> Result<(), RunEnd> {
        let mut group = self.group(number);
        let ended = self.run_waves(&mut group);
        self.collect(group);
        ended?;
        self.launch.group_done()
    }

    fn run_waves(&mut self, group: &mut Workgroup<'l, W>) -> Result<(), RunEnd> {
        loop {
            if group.waves.iter().all(|(_, state)| *state == WaveStatus::Exited) {
                return Ok(());
            }
            if group.barrier_is_full() {
                group.release_barrier();
                continue;
            }
            let Some(index) = group.next_ready() else { return Err(RunEnd::Fault(self.blocked(group))) };
            if self.launch.steps >= self.launch.options.limits.max_steps {
                return Err(RunEnd::StepLimit);
            }
            if group.steps >= GROUP_STEPS {
                return Err(RunEnd::Fault(self.group_step_limit(group, index)));
            }
            self.launch.steps += 1;
            group.steps += 1;
            self.step(group, index)?;
            if self.launch.steps.is_multiple_of(POLL) {
                self.launch.poll()?;
            }
        }
    }

    fn step(&mut self, group: &mut Workgroup<'l, W>, index: usize) -> Result<(), RunEnd> {
        let mut ctx = ExecContext {
            program: self.program,
            geometry: self.launch.geometry,
            workgroup: group.id,
            memory: Memory::of(&mut group.local, &mut self.launch.memory, &mut self.launch.changes),
        };
        let (wave, state) = &mut group.waves[index];
        match wave.step(&mut ctx).map_err(RunEnd::Fault)? {
            Step::Continue => {}
            Step::Exited => *state = WaveStatus::Exited,
            Step::Livelock => *state = WaveStatus::Livelocked,
            Step::Barrier => {
                *state = WaveStatus::AtBarrier;
                if wave.id.warp < BARRIER_WAVES {
                    group.arrived |= 1 << wave.id.warp;
                }
            }
        }
        if wave.tracer.as_ref().is_some_and(|tracer| tracer.is_complete()) {
            return Err(RunEnd::Traced);
        }
        // It has just run past the end of its own kernel.
        if wave.pc == self.program.own_words() && wave.active != 0 {
            self.note_overrun(index as u32, group.id);
        }
        Ok(())
    }

    /// Reports once that a wave continues past its kernel.
    fn note_overrun(&mut self, warp: u32, cta: [u32; 3]) {
        let (Some(next), Some(last)) = (&self.program.next, self.program.last_statement()) else { return };
        if self.launch.findings.iter().any(|finding| finding.kind == FindingKind::MissingHalt) {
            return;
        }
        let message =
            format!("the emulator continues into the next kernel, `{next}`\nend this kernel with `halt`");
        let finding = Finding::about_launch(FindingKind::MissingHalt, message);
        self.launch.findings.push(Finding { statement: Some(last), cta, warp, ..finding });
    }

    fn collect(&mut self, group: Workgroup<'l, W>) {
        let (program, width) = (self.program, self.launch.geometry.width);
        for (mut wave, _) in group.waves {
            self.divergences.extend(wave.comparison.divergence.take());
            let registers =
                self.launch.options.registers.then(|| wave.state.registers(program.registers, width));
            let done = FinishedWave {
                id: wave.id,
                launched: wave.launched,
                recorder: wave.recorder,
                registers,
                // The emulator restores masks whichever lanes arrive, so there are no reconvergences.
                reconvergences: Vec::new(),
                values: wave.tracer.and_then(|tracer| tracer.finish(&program.named)),
            };
            self.launch.listing.take(group.number, done, group.listed);
        }
    }

    /// The fault if no wave of a workgroup can continue.
    fn blocked(&self, group: &Workgroup<'l, W>) -> Fault {
        let livelocked = group.waves.iter().any(|(_, state)| *state == WaveStatus::Livelocked);
        let (kind, state, message) = if livelocked {
            let message = "Livelock: the emulator repeats this loop forever\n`continue` jumps back with no active lane and no lane is left to break";
            (FindingKind::NoProgress, WaveStatus::Livelocked, message.to_owned())
        } else {
            let ended = group.waves.iter().filter(|(_, state)| *state == WaveStatus::Exited).count();
            let message = format!(
                "not all of the {} waves reach the barrier at which others wait\n{ended} have exited; the emulator stops with an error",
                group.waves.len()
            );
            (FindingKind::BarrierDeadlock, WaveStatus::AtBarrier, message)
        };
        let waves = group.waves.iter().filter(|(_, other)| *other == state);
        let waiting = waves.map(|(wave, _)| WaitingWave {
            index: wave.id.warp,
            statement: wave.statement(self.program),
            lanes: wave.active,
            what: "is here",
        });
        Fault::new(Status::NoProgress, blocked_waves((kind, message), group.id, waiting))
    }

    fn group_step_limit(&self, group: &Workgroup<'l, W>, index: usize) -> Fault {
        let message = format!("Step limit: the emulator stops after {GROUP_STEPS} steps of a workgroup");
        let (wave, _) = &group.waves[index];
        let statement = wave.statement(self.program);
        let finding = Finding::about_launch(FindingKind::NoProgress, message);
        let finding = Finding { statement, cta: group.id, warp: index as u32, ..finding };
        Fault::new(Status::StepLimit, finding)
    }
}

impl<const W: usize> Workgroup<'_, W> {
    fn barrier_is_full(&self) -> bool {
        let waves = (self.waves.len() as u32).min(BARRIER_WAVES);
        waves != 0 && self.arrived == u64::MAX >> (BARRIER_WAVES - waves)
    }

    fn release_barrier(&mut self) {
        for (wave, state) in &mut self.waves {
            if *state == WaveStatus::AtBarrier {
                wave.pc += 1;
                *state = WaveStatus::Ready;
            }
        }
        self.arrived = 0;
    }

    fn next_ready(&mut self) -> Option<usize> {
        let count = self.waves.len();
        let ready = |index: &usize| self.waves[*index].1 == WaveStatus::Ready;
        let next = (0..count).map(|offset| (self.turn + offset) % count).find(ready)?;
        self.turn = (next + 1) % count;
        Some(next)
    }
}
