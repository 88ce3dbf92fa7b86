//! The registers whose values depend on accesses that lanes skipped.

use crate::program::{Formal, Function, Passing};

#[derive(Clone, Debug)]
pub(crate) struct UnknownValues {
    /// By register: the lanes in which it is unknown.
    lanes: Vec<u32>,
    /// The lanes whose carry flag is unknown.
    pub(crate) carry: u32,
}

impl UnknownValues {
    pub(crate) fn new(function: &Function) -> UnknownValues {
        UnknownValues { lanes: vec![0; function.frame.registers.len()], carry: 0 }
    }

    pub(crate) fn lanes_of(&self, register: u32) -> u32 {
        self.lanes[register as usize]
    }

    /// Lanes write a register, whose value is unknown in the lanes of `unknown`.
    pub(crate) fn set(&mut self, register: u32, executed: u32, unknown: u32) {
        let lanes = &mut self.lanes[register as usize];
        *lanes = *lanes & !executed | unknown & executed;
    }

    /// Whether any register is unknown in some lane.
    pub(crate) fn has_any(&self) -> bool {
        self.lanes.iter().any(|lanes| *lanes != 0)
    }

    /// Whether any of these arguments or results is in an unknown register.
    pub(crate) fn has_formal(&self, function: &Function, formals: &[Formal], mask: u32) -> bool {
        let registers = function.frame.registers.iter().zip(&self.lanes);
        let mut unknown = registers.filter(|(_, lanes)| **lanes & mask != 0);
        unknown
            .any(|(register, _)| formals.iter().any(|formal| formal.at == Passing::Register(register.place)))
    }
}
