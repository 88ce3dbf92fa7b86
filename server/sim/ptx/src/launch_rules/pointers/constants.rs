//! Registers that hold one constant.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Operand};

use super::places::{Place, place_of};

/// The registers that instructions write. A register has a value if its only writer is a `mov` of a constant.
#[derive(Default)]
pub(super) struct Constants(FxHashMap<Place, Option<u64>>);

impl Constants {
    /// Adds the registers of the function with this number.
    pub(super) fn add(&mut self, function: &Function, number: usize) {
        let writers = function.instructions().filter(|it| !matches!(it.opcode(), "st" | "red"));
        for writer in writers {
            let Some(register) = writer.operands().first().and_then(|to| place_of(function, number, *to))
            else {
                continue;
            };
            let value = match (writer.opcode(), writer.operands()) {
                ("mov", &[_, Operand::Constant(id)]) => function.constant(id).as_integer(),
                _ => None,
            };
            self.0.entry(register).and_modify(|only| *only = None).or_insert(value);
        }
    }

    /// The value of a constant, or of a register that holds one constant.
    pub(super) fn value(&self, function: &Function, number: usize, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Constant(id) => function.constant(id).as_integer(),
            _ => *self.0.get(&place_of(function, number, operand)?)?,
        }
    }
}
