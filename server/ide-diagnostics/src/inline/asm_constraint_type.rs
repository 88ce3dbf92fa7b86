//! `asm-constraint-type`: an operand whose constraint gives a register of another type than the instruction needs, and constraints
//! that the compiler does not accept.

use warplens_host::{Dialect, Direction, Operand, Statement, Template};
use warplens_ide_db::{Diagnostic, Severity, count};

use super::module::{register, register_type};
use super::ranges::{diagnostic, text_range};
use crate::codes;

/// Names the constraint in a problem about the type of an operand.
pub(super) fn of_operand(statement: &Statement, text: &str, found: Diagnostic) -> Diagnostic {
    if found.code != codes::OPERAND_TYPE {
        return found;
    }
    let operand = (0..statement.operands.len()).find(|index| register(statement, *index) == text);
    let Some(operand) = operand.map(|index| &statement.operands[index]) else { return found };
    let constraint = &operand.constraint;
    let ty = register_type(statement, operand).unwrap_or_default();
    let message = format!("{}; the constraint `{constraint}` makes it a `{ty}` register", found.message);
    Diagnostic { code: codes::ASM_CONSTRAINT_TYPE, message, fixes: Vec::new(), ..found }
}

/// Reports constraints that are wrong whatever the template is.
pub(super) fn check_constraints(statement: &Statement, found: &mut Vec<Diagnostic>) {
    match statement.dialect {
        Dialect::Gcc => found.extend(tied(statement).or_else(|| refused(statement))),
        Dialect::PtxAsm => found.extend(refused(statement)),
        Dialect::Triton => found.extend(pack(statement)),
        Dialect::Cute | Dialect::Llvm => found.extend(arguments(statement)),
        Dialect::Rust => {}
    }
}

/// nvcc has no matching constraints.
fn tied(statement: &Statement) -> Option<Diagnostic> {
    let operand = statement.operands.iter().find(|operand| operand.tied().is_some())?;
    let message = format!(
        "nvcc does not accept the matching constraint `\"{}\"`; write the output with `+`, and remove this input",
        operand.constraint
    );
    Some(diagnostic(&operand.range, Severity::Error, codes::ASM_CONSTRAINT_TYPE, message))
}

/// What nvcc and `ptx_asm!` say no to: outputs without `=`, inputs with it, and letters of other targets.
fn refused(statement: &Statement) -> Option<Diagnostic> {
    if !statement.knows_operands {
        return None;
    }
    // Clang has `i`, `b` and `c` too.
    let is_letter = |c: char| matches!(c, 'h' | 'r' | 'l' | 'q' | 'f' | 'd' | 'n' | 'C' | 'i' | 'b' | 'c');
    statement.operands.iter().find_map(|operand| {
        let Operand { constraint, direction, range, .. } = operand;
        let is_written = constraint.starts_with(['=', '+']);
        let problem = if constraint.is_empty() || constraint.contains(Template::HOLE) {
            return None;
        } else if *direction != Direction::Input && !is_written {
            let sign = if *direction == Direction::Both { '+' } else { '=' };
            format!(
                "the constraint `\"{constraint}\"` of an output lacks `{sign}`; write `\"{sign}{constraint}\"`"
            )
        } else if *direction != Direction::Input && matches!(operand.class(), "n" | "C" | "i") {
            format!("the constraint `\"{constraint}\"` is that of a constant, but an output needs a register: write `h`, `r`, `l`, `q`, `f` or `d`")
        } else if *direction == Direction::Input && is_written {
            format!("the constraint `\"{constraint}\"` is one of an output; write `\"{}\"`, or move the operand", operand.class())
        } else if !operand.class().chars().all(is_letter) {
            format!(
                "the constraint `\"{constraint}\"` does not exist in PTX; write `h`, `r`, `l`, `q`, `f`, `d`, `n` or `C`"
            )
        } else {
            return None;
        };
        Some(diagnostic(range, Severity::Error, codes::ASM_CONSTRAINT_TYPE, problem))
    })
}

/// LLVM needs an argument for each input.
fn arguments(statement: &Statement) -> Option<Diagnostic> {
    let arguments = statement.arguments.filter(|_| statement.knows_operands)?;
    let operands = &statement.operands;
    // An output in memory takes an argument too.
    if operands.iter().any(|operand| operand.constraint.contains('*')) {
        return None;
    }
    let inputs = operands.iter().filter(|operand| operand.direction == Direction::Input).count();
    let range = text_range(statement.constraints.as_ref()?);
    let message = format!(
        "the constraints have {}, but the call passes {}: each argument needs one",
        count(inputs, "input", "inputs"),
        count(arguments, "argument", "arguments")
    );
    (inputs != arguments)
        .then(|| Diagnostic::new(range, Severity::Error, codes::ASM_CONSTRAINT_TYPE, message))
}

/// A call with `pack` needs registers for all elements that it processes at once.
fn pack(statement: &Statement) -> Option<Diagnostic> {
    let pack = statement.pack.filter(|_| statement.knows_operands)?;
    let range = text_range(statement.constraints.as_ref()?);
    let count =
        |direction| statement.operands.iter().filter(|operand| operand.direction == direction).count();
    let (outputs, inputs) = (count(Direction::Output), count(Direction::Input));
    let elements = pack.elements as usize;
    let wrong = |what: &str, needed: usize, have: usize| {
        let message = format!(
            "`pack={elements}` needs {needed} {what} in the constraints, not {have}: a register for each 32 bits of the elements of a call"
        );
        Diagnostic::new(range, Severity::Error, codes::ASM_CONSTRAINT_TYPE, message)
    };
    if let Some(bits) = pack.result_bits {
        let needed = if bits >= 32 { elements } else { (elements * bits as usize).div_ceil(32) };
        // Registers of bits may hold several elements, whatever the result is called.
        let is_packed =
            ["16x2", "8x4", ".b16", ".b8"].iter().any(|word| statement.template.text.contains(word));
        if outputs != needed && !(is_packed && outputs < needed) {
            return Some(wrong("outputs", needed, outputs));
        }
    }
    let arguments = statement.arguments?;
    let least = arguments * (elements * 8).div_ceil(32);
    if inputs < least {
        return Some(wrong("inputs or more", least, inputs));
    }
    let most = arguments * elements;
    let message = format!(
        "the constraints have {inputs} inputs, but {arguments} arguments with `pack={elements}` fill {most} registers at most: one for each element"
    );
    (inputs > most).then(|| Diagnostic::new(range, Severity::Error, codes::ASM_CONSTRAINT_TYPE, message))
}
