//! Random WAVE programs against the reference toolchain: the same text is assembled by `wave-asm` and stepped by `wave-emu`, and
//! the lanes of every visit of every instruction, the registers and both memories must be the same.
//!
//! The programs keep to the part of the language in which toolchain 0.1.2 does what the texts say: no `continue`, no `break` inside
//! an `if`, guards on plain instructions and on `halt` only and never `@p0`, no division by zero, bounds of clamps in order, no
//! compare-and-swap.
//!
//! How many there are is the usual setting of the tests, or `PROPTEST_CASES`; `cargo nextest run --profile oracle` runs many.

mod oracle {
    pub(crate) mod emulated;
    pub(crate) mod emulator;
    pub(crate) mod generator;
    pub(crate) mod instructions;
    pub(crate) mod ours;
    pub(crate) mod stepped;
    pub(crate) mod wild;
}

use oracle::{emulated, emulator, generator, ours, stepped, wild};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use warplens_sim::Status;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_registers_and_memory_agree(program in generator::program()) {
        agree(&program)?;
    }

    /// Programs without restraint, under the model `wave-emu`: the same where the emulator comes to its end, an error where it
    /// does not.
    #[test]
    fn the_emulator_is_followed_everywhere(file in wild::file()) {
        follow(&file)?;
    }
}

fn follow(file: &wild::Wild) -> Result<(), TestCaseError> {
    let (text, launch) = (file.text(), file.launch);
    let items = emulated::items(&text);
    let item = emulated::item_of(&items, file.kernel);
    let setting = stepped::Setting {
        kernel: file.kernel,
        sizes: emulated::sizes(&items[item]),
        device: 2048,
        local: 512,
    };
    let theirs = stepped::run(&text, &launch, &setting);
    let (result, ours) = emulated::run(&items, &launch, &setting);
    match theirs {
        Ok(theirs) => {
            let place = format!("{:?} kernel {} of\n{text}", launch, file.kernel);
            prop_assert_eq!(result.status, Status::Finished, "{:?} {}", result.findings, place);
            same(&ours, &theirs, &place)
        }
        Err(why) => {
            prop_assert!(result.status != Status::Finished, "{why}\n{launch:?} {}\n{text}", file.kernel);
            Ok(())
        }
    }
}

fn agree(program: &generator::Program) -> Result<(), TestCaseError> {
    let (text, launch) = (program.text(), program.launch);
    let theirs = emulator::run(&text, &launch);
    let ours = ours::run(&text, &launch);
    same(&ours, &theirs, &format!("{launch:?}\n{text}"))
}

fn same(ours: &emulator::Outcome, theirs: &emulator::Outcome, what: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.waves.len(), theirs.waves.len());
    for (wave, (ours, theirs)) in ours.waves.iter().zip(&theirs.waves).enumerate() {
        prop_assert_eq!(ours.visits.len(), theirs.visits.len());
        for (at, (ours, theirs)) in ours.visits.iter().zip(&theirs.visits).enumerate() {
            prop_assert_eq!(ours, theirs, "lanes of instruction {} of wave {} of {}", at, wave, what);
        }
        for (lane, (ours, theirs)) in ours.registers.iter().zip(&theirs.registers).enumerate() {
            for (register, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                let place = format!("register {register} of lane {lane} of wave {wave}");
                prop_assert_eq!(ours, theirs, "{} of {}", place, what);
            }
        }
    }
    prop_assert!(ours.memory == theirs.memory, "memory after {}", what);
    Ok(())
}
