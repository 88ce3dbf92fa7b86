//! Propagation of undefined values through registers.
//!
//! A register or the carry flag is undefined if it may be read before it is written, or after it loads uninitialized memory.
//! This is not an error in itself: compilers pack, select and move values that are never used. It is an error where the value
//! matters: in an address, a guard, a branch condition, or a store that other threads see. The finding is at the value's
//! origin, and names the statement where the value matters.

use rustc_hash::FxHashMap;
use warplens_sim_cuda::registers::{FULL, WIDTH, each, filter_lanes, lanes};
use warplens_sim_cuda::sanitizer::undefined_use::{Cause, UndefinedOrigin};

use super::undefined_use::UndefinedBits;
use crate::program::Function;

#[derive(Clone, Debug, Default)]
pub(crate) struct UndefinedValues {
    /// Lanes with an undefined bit, by register.
    lanes: Vec<u32>,
    /// The undefined bits, by lane, of registers that are only partly undefined. Such values come from memory, for example
    /// from the padding of a structure, and from votes.
    partial: FxHashMap<u32, Box<UndefinedBits>>,
    /// Origins by register; `None` if the register was never written.
    roots: Vec<Option<UndefinedOrigin>>,
    count: usize,
    carry: u32,
    carry_root: Option<UndefinedOrigin>,
}

impl UndefinedValues {
    pub(crate) fn new(function: &Function) -> UndefinedValues {
        let mut undefined = UndefinedValues::default();
        for &register in &function.flow.suspects {
            undefined.grow(function);
            undefined.set(register, FULL, FULL, None);
        }
        if function.flow.suspects_carry {
            undefined.grow(function);
            undefined.carry = FULL;
        }
        undefined
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.carry == 0
    }

    /// The lanes whose carry flag is undefined where a statement reads it, and the origin of its value.
    pub(super) fn carry(&self, statement: u32, executed: u32) -> Option<(u32, UndefinedOrigin)> {
        let lanes = self.carry & executed;
        let unwritten = UndefinedOrigin { statement, cause: Cause::Carry, lanes, through: None };
        (lanes != 0).then(|| (lanes, self.carry_root.unwrap_or(unwritten)))
    }

    /// Lanes write the carry flag, which is undefined in the lanes of `undefined`.
    pub(super) fn set_carry(&mut self, executed: u32, undefined: u32, root: Option<UndefinedOrigin>) {
        self.carry = self.carry & !executed | undefined & executed;
        if undefined & executed != 0 {
            self.carry_root = root;
        }
    }

    /// Lanes write a register, which is undefined in the lanes of `undefined`.
    pub(crate) fn set(
        &mut self,
        register: u32,
        executed: u32,
        undefined: u32,
        root: Option<UndefinedOrigin>,
    ) {
        let lanes = &mut self.lanes[register as usize];
        let before = *lanes;
        *lanes = before & !executed | undefined & executed;
        self.count = self.count + usize::from(*lanes != 0) - usize::from(before != 0);
        if undefined & executed != 0 {
            self.roots[register as usize] = root;
        }
        if !self.partial.is_empty() {
            self.set_all_bits(register, executed, undefined);
        }
    }

    /// Makes each lane either entirely undefined or entirely defined.
    #[cold]
    fn set_all_bits(&mut self, register: u32, executed: u32, undefined: u32) {
        if self.lanes[register as usize] == 0 {
            self.partial.remove(&register);
        } else if let Some(partial) = self.partial.get_mut(&register) {
            partial.copied |= executed;
            for lane in lanes(executed) {
                partial.bits[lane] = if undefined >> lane & 1 == 1 { u64::MAX } else { 0 };
            }
        }
    }

    /// Lanes write a register in which these bits are undefined.
    pub(crate) fn set_bits(
        &mut self,
        register: u32,
        executed: u32,
        value: &UndefinedBits,
        root: Option<UndefinedOrigin>,
    ) {
        let UndefinedBits { bits, copied } = value;
        let undefined = filter_lanes(executed, |lane| bits[lane] != 0);
        let partial = lanes(undefined).any(|lane| bits[lane] != u64::MAX);
        if partial && !self.partial.contains_key(&register) {
            let before = self.bits_of(register);
            self.partial.insert(register, Box::new(before));
        }
        self.set(register, executed, undefined, root);
        if let Some(known) = self.partial.get_mut(&register) {
            lanes(undefined).for_each(|lane| known.bits[lane] = bits[lane]);
            known.copied = known.copied & !undefined | copied & undefined;
        }
    }

    /// The lanes in which a register has an undefined bit.
    #[inline(always)]
    pub(crate) fn lanes_of(&self, register: u32) -> u32 {
        self.lanes.get(register as usize).copied().unwrap_or(0)
    }

    /// Whether a register may be partly undefined.
    pub(crate) fn is_partial(&self, register: u32) -> bool {
        !self.partial.is_empty() && self.partial.contains_key(&register)
    }

    pub(crate) fn bits(&self, register: u32, lane: usize) -> u64 {
        match self.lanes_of(register) >> lane & 1 {
            0 => 0,
            _ => self.partial.get(&register).map_or(u64::MAX, |partial| partial.bits[lane]),
        }
    }

    pub(crate) fn bits_of(&self, register: u32) -> UndefinedBits {
        let lanes = self.lanes_of(register);
        let partial = self.partial.get(&register);
        let all = partial.map_or([u64::MAX; WIDTH], |partial| partial.bits);
        UndefinedBits {
            bits: each(|lane| if lanes >> lane & 1 == 1 { all[lane] } else { 0 }),
            copied: self.copied(register),
        }
    }

    /// The lanes in which a register has the bytes that were loaded.
    pub(crate) fn copied(&self, register: u32) -> u32 {
        self.partial.get(&register).map_or(FULL, |partial| partial.copied)
    }

    pub(crate) fn grow(&mut self, function: &Function) {
        let registers = function.frame.registers.len();
        self.lanes.resize(registers, 0);
        self.roots.resize(registers, None);
    }

    /// The origin of an undefined register; `None` if it was never written.
    pub(crate) fn origin(&self, register: u32) -> Option<UndefinedOrigin> {
        self.roots.get(register as usize).copied().flatten()
    }
}
