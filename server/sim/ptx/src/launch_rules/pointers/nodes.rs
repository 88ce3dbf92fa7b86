//! Nodes of the value flow: registers and variables by number, and the flows between them.

use warplens_hir::ptx::{Function, Operand};

/// A value that flows into a register, a variable or a slot of the stack frame.
pub(super) struct Flow {
    pub(super) from: From,
    pub(super) to: usize,
}

#[derive(Clone, Copy)]
pub(super) enum From {
    Param(usize, u64),
    Node(usize),
}

/// The number of a plain register or variable.
pub(super) fn node_of(entry: &Function, operand: Operand) -> Option<usize> {
    match operand {
        Operand::Register { name, component: None } | Operand::Symbol(name) => {
            Some(entry.name(name).referent.index())
        }
        _ => None,
    }
}
