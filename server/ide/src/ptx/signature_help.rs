//! Signature help in PTX: the signature of a callee, or else the forms of the opcode.

mod calls;
mod forms;

use warplens_ide_db::{FilePosition, SignatureHelp};

use crate::ptx::completion::context::{Context, Statement};

pub(super) fn help(position: &FilePosition<'_>) -> Option<SignatureHelp> {
    let statement = Statement::before(position);
    let Context::Operand(operand) = statement.context() else { return None };
    calls::help(position, &operand).or_else(|| forms::help(&operand))
}
