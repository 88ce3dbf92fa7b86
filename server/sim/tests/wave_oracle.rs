//! Random WAVE programs against the reference toolchain: the same text is assembled by `wave-asm` and stepped by `wave-emu`, and
//! the lanes of every visit of every instruction, the registers and both memories must be the same.
//!
//! The programs keep to the part of the language in which toolchain 0.1.2 does what the texts say: no `continue`, no `break` inside
//! an `if`, guards on plain instructions and on `halt` only and never `@p0`, no division by zero, bounds of clamps in order, no
//! compare-and-swap.
//!
//! How many there are is the usual setting of the tests, or `PROPTEST_CASES`; `cargo nextest run --profile oracle` runs many.

mod oracle {
    pub(crate) mod emulator;
    pub(crate) mod generator;
    pub(crate) mod instructions;
    pub(crate) mod ours;
}

use oracle::{emulator, generator, ours};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_registers_and_memory_agree(program in generator::program()) {
        agree(&program)?;
    }
}

fn agree(program: &generator::Program) -> Result<(), TestCaseError> {
    let (text, launch) = (program.text(), program.launch);
    let theirs = emulator::run(&text, &launch);
    let ours = ours::run(&text, &launch);
    prop_assert_eq!(ours.waves.len(), theirs.waves.len());
    for (wave, (ours, theirs)) in ours.waves.iter().zip(&theirs.waves).enumerate() {
        prop_assert_eq!(ours.visits.len(), theirs.visits.len());
        for (at, (ours, theirs)) in ours.visits.iter().zip(&theirs.visits).enumerate() {
            prop_assert_eq!(
                ours,
                theirs,
                "lanes of instruction {} of wave {} of {:?}\n{}",
                at,
                wave,
                launch,
                text
            );
        }
        for (lane, (ours, theirs)) in ours.registers.iter().zip(&theirs.registers).enumerate() {
            for (register, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                let place = format!("register {register} of lane {lane} of wave {wave}");
                prop_assert_eq!(ours, theirs, "{} of {:?}\n{}", place, launch, text);
            }
        }
    }
    prop_assert!(ours.memory == theirs.memory, "memory after {:?}\n{}", launch, text);
    Ok(())
}
