//! The registers that an instruction names, for value traces and for the check of uninitialized reads.

use warplens_hir::wave::{Instruction, Role, Value};

use super::program::{Cell, Named};

/// The registers of an instruction, each once: the guard first, then in source order.
pub(super) fn named(instruction: &Instruction) -> Box<[Named]> {
    let mut all: Vec<Named> = Vec::new();
    let guard = instruction.guard.map(|guard| Named {
        cell: Cell::Predicate(guard.predicate),
        count: 1,
        read: true,
        written: false,
    });
    let operands = instruction.operands.iter().filter(|_| instruction.complete).filter_map(|operand| {
        let (cell, half) = match operand.value {
            Value::Register { index, half } => (Cell::General(index), half.is_some()),
            Value::Predicate { index, .. } => (Cell::Predicate(index), false),
            _ => return None,
        };
        let written = matches!(operand.role, Role::Write | Role::ReadWrite);
        // Writing a register half keeps the other half.
        let read = matches!(operand.role, Role::Read | Role::ReadWrite) && !(half && written);
        Some(Named { cell, count: operand.registers.max(1), read, written })
    });
    for one in guard.into_iter().chain(operands) {
        match all.iter_mut().find(|other| other.cell == one.cell) {
            Some(other) => {
                other.count = other.count.max(one.count);
                other.read |= one.read;
                other.written |= one.written;
            }
            None => all.push(one),
        }
    }
    all.into()
}
