//! Propagation of undefined values through registers.
//!
//! A register is undefined if it may be read before it is written, or after a load of uninitialized memory. That is not an
//! error in itself: compilers pack, select and move values that are never used. It is one where the value matters: in an
//! address, a guard, a branch condition, or a store that other threads see. The finding is at the origin of the value, and
//! names the statement where it matters.

use crate::ptx::program::{Function, Mixing, Part};
use crate::ptx::registers::FULL;

/// The origin of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndefinedOrigin {
    pub(super) statement: u32,
    /// The uninitialized register; `None` for memory.
    pub(super) register: Option<u32>,
}

/// A use of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndefinedUse {
    pub(super) root: UndefinedOrigin,
    pub(super) statement: u32,
    pub(super) part: Part,
    pub(super) lanes: u32,
}

/// The undefined values in the registers of one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndefinedValues {
    /// Undefined lanes by register.
    lanes: Vec<u32>,
    /// Origins by register; `None` if it was never written.
    roots: Vec<Option<UndefinedOrigin>>,
    /// Number of registers with undefined lanes.
    count: usize,
}

impl UndefinedValues {
    /// At the start of a call.
    pub(crate) fn new(function: &Function) -> UndefinedValues {
        let mut undefined = UndefinedValues::default();
        for &register in &function.flow.suspects {
            undefined.grow(function);
            undefined.set(register, FULL, FULL, None);
        }
        undefined
    }

    /// Whether everything is defined.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn grow(&mut self, function: &Function) {
        let registers = function.frame.registers.len();
        self.lanes.resize(registers, 0);
        self.roots.resize(registers, None);
    }

    fn set(&mut self, register: u32, executed: u32, undefined: u32, root: Option<UndefinedOrigin>) {
        let lanes = &mut self.lanes[register as usize];
        let before = *lanes;
        *lanes = before & !executed | undefined & executed;
        self.count = self.count + usize::from(*lanes != 0) - usize::from(before != 0);
        if undefined & executed != 0 {
            self.roots[register as usize] = root;
        }
    }

    /// Lanes execute a statement: returns the use of an undefined value, and the lanes with undefined sources.
    pub(crate) fn step(
        &mut self,
        function: &Function,
        pc: u32,
        active: u32,
        executed: u32,
    ) -> (Option<UndefinedUse>, u32) {
        let statement = function.first_statement + pc;
        let (mut used, mut any, mut all, mut source) = (None, 0, executed, None);
        for read in function.flow.reads_of(pc) {
            let at = read.register as usize;
            let lanes = self.lanes[at] & if read.part == Part::Guard { active } else { executed };
            if read.part == Part::Source {
                any |= lanes;
                all &= lanes;
            }
            if lanes == 0 {
                continue;
            }
            let root = self.roots[at].unwrap_or(UndefinedOrigin { statement, register: Some(read.register) });
            if read.part == Part::Source {
                source.get_or_insert(root);
            } else {
                used.get_or_insert(UndefinedUse { root, statement, part: read.part, lanes });
            }
        }
        let undefined = match function.flow.mixing_of(pc) {
            _ if source.is_none() => 0,
            Mixing::Defined => 0,
            Mixing::Any => any,
            Mixing::All => all,
        };
        for &register in function.writes_of(pc) {
            self.set(register, executed, undefined, source);
        }
        (used, any)
    }

    /// A load of uninitialized memory, by destination.
    pub(crate) fn loaded(&mut self, function: &Function, pc: u32, uninitialized: impl Iterator<Item = u32>) {
        let root = UndefinedOrigin { statement: function.first_statement + pc, register: None };
        self.grow(function);
        for (&register, lanes) in function.writes_of(pc).iter().zip(uninitialized) {
            if lanes != 0 {
                self.set(register, lanes, lanes, Some(root));
            }
        }
    }
}
