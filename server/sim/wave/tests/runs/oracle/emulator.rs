//! Steps through a program with the reference emulator, so that the masks before and after every step are
//! visible.

use wave_emu::decoder::Decoder;
use wave_emu::executor::{Executor, StepResult};
use wave_emu::memory::{DeviceMemory, LocalMemory};
use wave_emu::stats::ExecutionStats;
use wave_emu::wave::Wave;

use super::generator::Launch;

/// The compared results.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// In the order of workgroups and their waves.
    pub(crate) waves: Vec<WaveOutcome>,
    pub(crate) memory: Vec<u8>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct WaveOutcome {
    /// For each instruction, the active and the executing lanes of every visit.
    pub(crate) visits: Vec<Vec<(u64, u64)>>,
    /// The general registers and then the predicates of each lane, with all NaNs equal.
    pub(crate) registers: Vec<Vec<u32>>,
}

/// Maps every NaN to the same one.
pub(crate) fn same_nan(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits }
}

/// `text` for crates 0.1.2, which swap the conversions between integers and floats.
fn for_crates(text: &str) -> String {
    let pairs = [("cvt_f32_i32 ", "cvt_i32_f32 "), ("cvt_f32_u32 ", "cvt_u32_f32 ")];
    pairs.iter().fold(text.to_owned(), |text, (one, other)| {
        text.replace(one, "cvt_swap ").replace(other, one).replace("cvt_swap ", other)
    })
}

/// Runs a launch like the emulator's own scheduler: workgroups one after another, their waves in turns of one
/// step.
pub(crate) fn run(text: &str, launch: &Launch) -> Outcome {
    let assembled = wave_asm::assemble(&for_crates(text), "random.wave");
    let binary = assembled.unwrap_or_else(|error| panic!("{error}\n{text}")).binary;
    let word =
        |at: usize| u32::from_le_bytes([binary[at], binary[at + 1], binary[at + 2], binary[at + 3]]) as usize;
    let code = Code::new(&binary[word(8)..word(8) + word(12)]);
    let mut device = DeviceMemory::new(launch.device() as usize);
    let [gx, gy, gz] = launch.grid;
    let mut waves = Vec::new();
    for z in 0..gz {
        for y in 0..gy {
            for x in 0..gx {
                waves.extend(run_group(&code, launch, [x, y, z], &mut device, text));
            }
        }
    }
    let memory = (0..launch.device()).map(|at| device.read_u8(at.into()).expect("inside")).collect();
    Outcome { waves, memory }
}

fn run_group(
    code: &Code<'_>,
    launch: &Launch,
    group: [u32; 3],
    device: &mut DeviceMemory,
    text: &str,
) -> Vec<WaveOutcome> {
    let mut local = LocalMemory::new(launch.local() as usize);
    let mut executor = Executor::new(code.bytes, false, group);
    let mut stats = ExecutionStats::default();
    let Launch { workgroup, grid, width, .. } = *launch;
    let mut waves: Vec<Stepped> = (0..launch.waves())
        .map(|wave| {
            let wave = Wave::new(
                width,
                32,
                wave,
                group,
                workgroup,
                grid,
                wave * width,
                launch.threads(),
                launch.waves(),
            );
            Stepped { wave, waits: false, visits: vec![Vec::new(); code.kinds.len()] }
        })
        .collect();
    loop {
        for stepped in waves.iter_mut().filter(|stepped| !stepped.waits && !stepped.wave.is_halted()) {
            let before = stepped.look(code);
            let result = executor.step(&mut stepped.wave, &mut local, device, &mut stats);
            let result = result.unwrap_or_else(|error| panic!("{error}\n{text}"));
            stepped.note(code, before);
            stepped.waits = result == StepResult::Barrier;
        }
        if waves.iter().all(|stepped| stepped.wave.is_halted()) {
            return waves.into_iter().map(Stepped::outcome).collect();
        }
        if waves.iter().all(|stepped| stepped.waits) {
            for stepped in &mut waves {
                stepped.waits = false;
                stepped.wave.pc += 4;
            }
        }
    }
}

struct Stepped {
    wave: Wave,
    waits: bool,
    visits: Vec<Vec<(u64, u64)>>,
}

struct Before {
    pc: u32,
    active: u64,
    /// The lanes that are not predicated off.
    executed: u64,
}

impl Stepped {
    fn look(&self, code: &Code<'_>) -> Before {
        let Wave { pc, active_mask: active, .. } = self.wave;
        let executed =
            code.guards[code.numbers[pc as usize]].map_or(active, |guard| active & self.holds(guard));
        Before { pc, active, executed }
    }

    /// Records the visits of a step, except those with an empty mask.
    fn note(&mut self, code: &Code<'_>, before: Before) {
        let Before { pc, active: before, executed } = before;
        let number = code.numbers[pc as usize];
        let after = self.wave.active_mask;
        let mut visit = |number: usize, active: u64, executed: u64| {
            if active != 0 {
                self.visits[number].push((active, executed));
            }
        };
        match code.kinds[number] {
            Kind::If => visit(number, before, after),
            Kind::Break => visit(number, before, before & !after),
            Kind::Else | Kind::EndIf | Kind::Loop => visit(number, after, after),
            Kind::EndLoop => {
                visit(number, before, before);
                if self.wave.pc <= pc {
                    // The `loop` is the instruction before the first one of the body.
                    visit(code.numbers[self.wave.pc as usize] - 1, after, after);
                }
            }
            Kind::Other => visit(number, before, executed),
        }
    }

    fn holds(&self, (predicate, negated): (u8, bool)) -> u64 {
        let lanes = 0..self.wave.wave_width;
        let holding =
            lanes.filter(|lane| self.wave.threads[*lane as usize].read_predicate(predicate) != negated);
        holding.fold(0, |mask, lane| mask | 1 << lane)
    }

    fn outcome(self) -> WaveOutcome {
        let lane = |lane: u32| {
            let thread = &self.wave.threads[lane as usize];
            let general = (0..32).map(|register| same_nan(thread.read_register(register)));
            general.chain((0..4).map(|p| u32::from(thread.read_predicate(p)))).collect()
        };
        WaveOutcome { registers: (0..self.wave.wave_width).map(lane).collect(), visits: self.visits }
    }
}

/// How an instruction changes the masks.
#[derive(Clone, Copy, Debug)]
enum Kind {
    If,
    Else,
    EndIf,
    Loop,
    EndLoop,
    Break,
    Other,
}

/// The machine code and its instructions.
struct Code<'c> {
    bytes: &'c [u8],
    /// The number of the instruction at each offset.
    numbers: Vec<usize>,
    kinds: Vec<Kind>,
    /// The guard of each instruction, and whether it is negated.
    guards: Vec<Option<(u8, bool)>>,
}

impl Code<'_> {
    fn new(bytes: &[u8]) -> Code<'_> {
        let decoder = Decoder::new(bytes);
        let mut code =
            Code { bytes, numbers: vec![0; bytes.len() + 1], kinds: Vec::new(), guards: Vec::new() };
        let mut pc = 0;
        while pc < bytes.len() {
            let Ok(instruction) = decoder.decode_at(pc as u32) else { break };
            code.numbers[pc] = code.kinds.len();
            let text = decoder.disassemble(&instruction);
            let guard = (instruction.pred_reg, instruction.pred_neg);
            code.guards.push(instruction.is_predicated().then_some(guard));
            code.kinds.push(match text.split_whitespace().next() {
                Some("if") => Kind::If,
                Some("else") => Kind::Else,
                Some("endif") => Kind::EndIf,
                Some("loop") => Kind::Loop,
                Some("endloop") => Kind::EndLoop,
                Some("break") => Kind::Break,
                _ => Kind::Other,
            });
            pc += instruction.size as usize;
        }
        code
    }
}
