//! `parameter-access`: a store to a parameter of a function, or a load from its result.

use warplens_hir::ptx::{Function, Instruction, Operand, SymbolKind};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::symbols::local;

/// The result of a function is write-only.
pub(super) fn load(function: &Function, instruction: Instruction<'_>) -> Option<Problem> {
    let [_, from, ..] = instruction.operands() else { return None };
    let why = "the result of this function and write-only; keep the value in a register";
    problem(function, *from, true, why)
}

/// An input parameter is read-only.
pub(super) fn store(function: &Function, instruction: Instruction<'_>) -> Option<Problem> {
    let is_param = |word: &smol_str::SmolStr| word.split("::").next() == Some("param");
    if !instruction.modifiers().iter().any(is_param) {
        return None;
    }
    let why = "a parameter of this function and read-only; store to a local variable";
    problem(function, *instruction.operands().first()?, false, why)
}

fn problem(function: &Function, address: Operand, of_result: bool, why: &str) -> Option<Problem> {
    let Operand::Symbol(name) = function.address(address)?.base else { return None };
    let SymbolKind::Param { is_return, .. } = local(function, name)? else { return None };
    let name = function.name(name);
    let message = format!("`{}` is {why}", function.referent_text(name.referent));
    (*is_return == of_result).then(|| Problem::error(name.range, codes::PARAMETER_ACCESS, message))
}
