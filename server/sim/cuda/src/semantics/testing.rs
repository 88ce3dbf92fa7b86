//! Runs an operation in one lane, for the tests of a family.

use crate::registers::{FULL, Registers, Row};
use crate::slot::Slots;

const SLOTS: Slots = Slots { d: 0, a: 1, b: 2, c: 3, e: 0 };

/// The 32-bit destination that `f` writes, given 32-bit sources.
pub(crate) fn word3(a: u32, b: u32, c: u32, f: impl FnOnce(&Slots, &mut Registers, u32)) -> u32 {
    let words = [0, a, b, c].map(Row::all).to_vec();
    let mut registers = Registers { words, ..Registers::default() };
    f(&SLOTS, &mut registers, FULL);
    registers.words[0][7]
}

/// The 64-bit destination that `f` writes, given 64-bit sources.
pub(crate) fn double3(a: u64, b: u64, c: u64, f: impl FnOnce(&Slots, &mut Registers, u32)) -> u64 {
    let doubles = [0, a, b, c].map(Row::all).to_vec();
    let mut registers = Registers { doubles, ..Registers::default() };
    f(&SLOTS, &mut registers, FULL);
    registers.doubles[0][7]
}
