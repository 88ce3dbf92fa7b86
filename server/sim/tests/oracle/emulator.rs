//! A program stepped by the reference emulator, one wave by hand, so that the mask before every step is seen.

use wave_emu::decoder::Decoder;
use wave_emu::executor::{Executor, StepResult};
use wave_emu::memory::{DeviceMemory, LocalMemory};
use wave_emu::stats::ExecutionStats;
use wave_emu::wave::Wave;

/// What is compared.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// For each instruction, the active lanes of every visit with one; empty for those that mark structure.
    pub(crate) lanes: Vec<Vec<u64>>,
    /// General registers and then predicates of each lane, NaNs as one value.
    pub(crate) registers: Vec<Vec<u32>>,
    pub(crate) memory: Vec<u8>,
}

/// Bytes of each memory.
pub(crate) const MEMORY: usize = 1024;

/// Instructions whose visits the two count in different ways.
pub(crate) const STRUCTURE: [&str; 3] = ["else", "endif", "loop"];

/// One NaN is as good as another.
pub(crate) fn same_nan(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits }
}

/// `text` for crates 0.1.2, which take conversions between integers and floats the wrong way round.
fn for_crates(text: &str) -> String {
    let pairs = [("cvt_f32_i32 ", "cvt_i32_f32 "), ("cvt_f32_u32 ", "cvt_u32_f32 ")];
    pairs.iter().fold(text.to_owned(), |text, (one, other)| {
        text.replace(one, "cvt_swap ").replace(other, one).replace("cvt_swap ", other)
    })
}

/// Runs the only wave of the only workgroup.
pub(crate) fn run(text: &str, width: u32, threads: u32) -> Outcome {
    let assembled = wave_asm::assemble(&for_crates(text), "random.wave");
    let binary = assembled.unwrap_or_else(|error| panic!("{error}\n{text}")).binary;
    let word =
        |at: usize| u32::from_le_bytes([binary[at], binary[at + 1], binary[at + 2], binary[at + 3]]) as usize;
    let code = &binary[word(8)..word(8) + word(12)];
    let (numbers, structural) = instructions(code);
    let mut wave = Wave::new(width, 32, 0, [0; 3], [threads, 1, 1], [1; 3], 0, threads, 1);
    let mut executor = Executor::new(code, false, [0; 3]);
    let (mut local, mut device) = (LocalMemory::new(MEMORY), DeviceMemory::new(MEMORY));
    let mut stats = ExecutionStats::default();
    let mut lanes = vec![Vec::new(); structural.len()];
    loop {
        let (pc, mask) = (wave.pc as usize, wave.active_mask);
        let number = numbers[pc];
        if mask != 0 && !structural[number] {
            lanes[number].push(mask);
        }
        match executor.step(&mut wave, &mut local, &mut device, &mut stats) {
            Ok(StepResult::Continue) => {}
            Ok(StepResult::Halted) => break,
            Ok(StepResult::Barrier) => panic!("the programs have no barriers"),
            Err(error) => panic!("{error}\n{text}"),
        }
    }
    let lane = |lane: u32| {
        let thread = &wave.threads[lane as usize];
        let general = (0..32).map(|register| same_nan(thread.read_register(register)));
        general.chain((0..4).map(|p| u32::from(thread.read_predicate(p)))).collect()
    };
    let memory = (0..MEMORY).map(|at| device.read_u8(at as u64).expect("inside")).collect();
    Outcome { lanes, registers: (0..threads).map(lane).collect(), memory }
}

/// The number of the instruction at each place of the code, and whether each instruction only marks structure.
fn instructions(code: &[u8]) -> (Vec<usize>, Vec<bool>) {
    let decoder = Decoder::new(code);
    let mut numbers = vec![0; code.len() + 1];
    let mut structural = Vec::new();
    let mut pc = 0;
    while pc < code.len() {
        let Ok(instruction) = decoder.decode_at(pc as u32) else { break };
        numbers[pc] = structural.len();
        let text = decoder.disassemble(&instruction);
        structural.push(STRUCTURE.contains(&text.trim()));
        pc += instruction.size as usize;
    }
    (numbers, structural)
}
