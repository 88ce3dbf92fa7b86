//! Signature help in PTX: the callee of a call, else the forms of the opcode.

mod calls;
mod forms;

use warplens_ide_db::{FilePosition, SignatureHelp};

use crate::ptx::completion::context::{Context, Statement};

/// The forms of the statement whose operands are typed.
pub(super) fn help(position: &FilePosition<'_>) -> Option<SignatureHelp> {
    let statement = Statement::before(position);
    let Context::Operand(operand) = statement.context() else { return None };
    calls::help(position, &operand).or_else(|| forms::help(&operand))
}
