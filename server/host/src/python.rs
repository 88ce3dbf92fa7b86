//! Python: `inline_asm_elementwise` of Triton, Gluon and PyTorch, `llvm.inline_asm` of CuTe, `ir.InlineAsm` of llvmlite. Mojo has
//! the same literals.

mod bindings;
mod call;
mod launches;
pub(crate) mod lexer;
pub(crate) mod strings;

use crate::statement::Statement;
use lexer::lex;

pub(crate) use launches::launches;

pub(crate) fn statements(source: &str) -> Vec<Statement> {
    call::statements(source, &lex(source))
}
