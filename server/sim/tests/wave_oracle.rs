//! Random WAVE programs against the reference toolchain: the same text is assembled by `wave-asm` and stepped by `wave-emu`, and the
//! lanes of every instruction, the final registers and device memory must be the same.
//!
//! The programs keep to the part of the language in which toolchain 0.1.2 does what the texts say: no `continue`, no `break` inside
//! an `if`, guards on plain instructions only and never `@p0`, no division of floats, no clamps, no compare-and-swap.

mod oracle {
    pub(crate) mod emulator;
    pub(crate) mod generator;
    pub(crate) mod ours;
}

use oracle::{emulator, generator, ours};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_registers_and_memory_agree(program in generator::program(), width in 1u32..=64, missing in 0u32..8) {
        let text = program.text();
        let threads = width.saturating_sub(missing).max(1);
        let theirs = emulator::run(&text, width, threads);
        let ours = ours::run(&text, width, threads);
        prop_assert_eq!(ours.lanes.len(), theirs.lanes.len());
        for (at, (ours, theirs)) in ours.lanes.iter().zip(&theirs.lanes).enumerate() {
            prop_assert_eq!(ours, theirs, "lanes of instruction {} of\n{}", at, text);
        }
        for (lane, (ours, theirs)) in ours.registers.iter().zip(&theirs.registers).enumerate() {
            for (register, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                prop_assert_eq!(ours, theirs, "register {} of lane {} of\n{}", register, lane, text);
            }
        }
        prop_assert!(ours.memory == theirs.memory, "device memory after\n{text}");
    }
}
