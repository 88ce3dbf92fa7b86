//! Steps through a kernel of a file with the reference emulator and its own scheduler, however the run ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wave_emu::barrier::BarrierManager;
use wave_emu::decoder::{DecodedInstruction, Decoder};
use wave_emu::executor::{Executor, StepResult};
use wave_emu::memory::{DeviceMemory, LocalMemory};
use wave_emu::scheduler::Scheduler;
use wave_emu::stats::ExecutionStats;
use wave_emu::wave::Wave;
use wave_emu::{Emulator, EmulatorConfig, KernelMetadata};

use super::emulator::{Outcome, WaveOutcome, same_nan};
use super::generator::Launch;

/// What a launch needs besides its shape.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) kernel: usize,
    /// The number of words of each statement of the kernel.
    pub(crate) sizes: Vec<u32>,
    pub(crate) device: usize,
    /// Used if the kernel does not declare it.
    pub(crate) local: usize,
    /// The steps of a workgroup after which the test gives up.
    pub(crate) max_steps: u64,
}

/// Runs a kernel of `text`. An error says how it ended instead.
pub(crate) fn run(text: &str, launch: &Launch, setting: &Setting) -> Result<Outcome, String> {
    let assembled =
        catch_unwind(|| wave_asm::assemble(text, "wild.wave")).map_err(|_| "the assembler panics")?;
    let binary = assembled.map_err(|error| format!("not assembled: {error}"))?.binary;
    let mut emulator = Emulator::new(EmulatorConfig::default());
    emulator.load_binary(&binary).map_err(|error| error.to_string())?;
    let kernel = emulator.kernels()[setting.kernel].clone();
    let word = |at: usize| u32::from_le_bytes(binary[at..at + 4].try_into().expect("four")) as usize;
    let code = &binary[word(8)..word(8) + word(12)][kernel.code_offset as usize..];
    let mut machine = Machine {
        code,
        places: places(&setting.sizes),
        launch: *launch,
        statements: setting.sizes.len(),
        device: DeviceMemory::new(setting.device),
        local: match kernel.local_memory_size {
            0 => setting.local,
            bytes => bytes as usize,
        },
        max_steps: setting.max_steps,
        kernel,
    };
    let mut waves = Vec::new();
    let [gx, gy, gz] = launch.grid;
    for z in 0..gz {
        for y in 0..gy {
            for x in 0..gx {
                waves.extend(machine.run_group([x, y, z])?);
            }
        }
    }
    let memory = (0..setting.device).map(|at| machine.device.read_u8(at as u64).expect("inside")).collect();
    Ok(Outcome { waves, memory })
}

fn places(sizes: &[u32]) -> Vec<usize> {
    sizes.iter().enumerate().flat_map(|(at, size)| (0..*size).map(move |_| at)).collect()
}

struct Machine<'c> {
    code: &'c [u8],
    places: Vec<usize>,
    launch: Launch,
    statements: usize,
    device: DeviceMemory,
    local: usize,
    max_steps: u64,
    kernel: KernelMetadata,
}

impl Machine<'_> {
    fn run_group(&mut self, group: [u32; 3]) -> Result<Vec<WaveOutcome>, String> {
        let Launch { workgroup, grid, width, .. } = self.launch;
        let count = self.launch.waves();
        let registers = if self.kernel.register_count == 0 { 32 } else { self.kernel.register_count };
        let mut waves: Vec<Wave> = (0..count)
            .map(|wave| {
                let threads = self.launch.threads();
                Wave::new(width, registers, wave, group, workgroup, grid, wave * width, threads, count)
            })
            .collect();
        let mut visits = vec![vec![Vec::new(); self.statements]; count as usize];
        let mut local = LocalMemory::new(self.local);
        let mut executor = Executor::new(self.code, false, group);
        let (mut scheduler, mut barrier) = (Scheduler::new(count as usize), BarrierManager::new(count));
        let mut stats = ExecutionStats::default();
        let mut steps = 0;
        while !scheduler.all_halted(&waves) {
            if barrier.all_at_barrier() {
                barrier.check_and_release(&mut waves);
                continue;
            }
            let Some(index) = scheduler.pick_next_ready(&waves) else { return Err("deadlock".to_owned()) };
            steps += 1;
            if steps > self.max_steps {
                return Err("too many steps".to_owned());
            }
            let wave = &mut waves[index];
            let before = Before::of(wave, self.code);
            let step = || executor.step(wave, &mut local, &mut self.device, &mut stats);
            let result = catch_unwind(AssertUnwindSafe(step)).map_err(|_| "the emulator panics")?;
            let result = result.map_err(|error| error.to_string())?;
            self.note(&before, &waves[index], &mut visits[index]);
            if result == StepResult::Barrier {
                barrier.handle_barrier(&mut waves[index]);
            }
        }
        let outcome = |(wave, visits): (&Wave, Vec<_>)| {
            let lane = |lane: u32| {
                let thread = &wave.threads[lane as usize];
                let general = (0..registers).map(|register| same_nan(thread.read_register(register as u8)));
                general.chain((0..4).map(|p| u32::from(thread.read_predicate(p)))).collect()
            };
            WaveOutcome { visits, registers: (0..width).map(lane).collect() }
        };
        Ok(waves.iter().zip(visits).map(outcome).collect())
    }

    /// Records the visits of a step, except those with an empty mask.
    fn note(&self, before: &Before, wave: &Wave, visits: &mut [Vec<(u64, u64)>]) {
        let Some(instruction) = &before.instruction else { return };
        let mut visit = |pc: u32, active: u64, executed: u64| {
            if let Some(statement) = self.places.get(pc as usize / 4)
                && active != 0
            {
                visits[*statement].push((active, executed));
            }
        };
        let (pc, active, chosen, after) = (before.pc, before.active, before.chosen, wave.active_mask);
        const IF: u8 = 0;
        const ELSE: u8 = 1;
        const ENDIF: u8 = 2;
        const BREAK: u8 = 4;
        const CONTINUE: u8 = 5;
        const ENDLOOP: u8 = 6;
        let is_control =
            instruction.opcode as u8 == 0x3f && !instruction.is_sync_op() && !instruction.is_misc_op();
        match instruction.modifier {
            IF | BREAK | CONTINUE if is_control => visit(pc, active, chosen & before.source),
            ELSE | ENDIF if is_control => visit(pc, after, after),
            _ => visit(pc, active, chosen),
        }
        if is_control && matches!(instruction.modifier, CONTINUE | ENDLOOP) && wave.pc != pc + 4 {
            // The `loop` is the word before the first one of the body. A later function may have left it
            // open.
            visit(wave.pc - 4, after, after);
        }
    }
}

struct Before {
    pc: u32,
    active: u64,
    /// The lanes that are not predicated off.
    chosen: u64,
    /// The lanes in which the predicate of the first source is true.
    source: u64,
    instruction: Option<DecodedInstruction>,
}

impl Before {
    fn of(wave: &Wave, code: &[u8]) -> Before {
        let decode = || Decoder::new(code).decode_at(wave.pc).ok();
        // A wave without lanes and frames exits at any word.
        let ends = wave.active_mask == 0 && wave.control_flow.is_empty();
        let instruction = if ends { None } else { catch_unwind(AssertUnwindSafe(decode)).ok().flatten() };
        let holds = |predicate: u8| {
            let lanes =
                (0..wave.wave_width).filter(|lane| wave.threads[*lane as usize].read_predicate(predicate));
            lanes.fold(0u64, |mask, lane| mask | 1 << lane)
        };
        let guard = instruction
            .as_ref()
            .filter(|it| it.is_predicated())
            .map_or(u64::MAX, |it| if it.pred_neg { !holds(it.pred_reg) } else { holds(it.pred_reg) });
        Before {
            pc: wave.pc,
            active: wave.active_mask,
            chosen: wave.active_mask & guard,
            source: instruction.as_ref().map_or(0, |it| holds(it.rs1)),
            instruction,
        }
    }
}
