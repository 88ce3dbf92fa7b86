//! Which registers an instruction names: what is looked at when somebody asks for values, and what is read and written when
//! somebody asks whether lanes read what they never wrote.

use warplens_hir::wave::{Instruction, Role, Value};

use super::program::{Cell, Named};

/// The registers of an instruction, each once, in the order in which they stand; its guard first.
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
        // Of a register of which a half is written the other half stays.
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
