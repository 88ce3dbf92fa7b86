//! Registers: where they are written and read, how wide an access is, and whether all lanes have equal
//! values.

use std::collections::BTreeSet;

use text_size::TextRange;
use warplens_hir::sass::{
    Access, FlowGraph, Function, Operand, Reaching, Register, RegisterFile, SameValue, Value, same_value,
};

/// The maximum number of instructions that a hover names.
const SHOWN: usize = 6;

/// The page of an operand that is a register with operators before it, as in `-|R2|`.
pub(super) fn operand(
    function: &Function,
    index: usize,
    range: TextRange,
    register: Register,
    operand: &Operand,
) -> Option<String> {
    let page = if register.is_constant() { constant(register) } else { page(function, index, range)? };
    Some(with_operators(page, operand))
}

/// The page of an operand, and what the operators before it do.
pub(super) fn with_operators(page: String, operand: &Operand) -> String {
    let operators = [
        (operand.inverted, "its bits are inverted"),
        (operand.not, "negated: true where it is false"),
        (operand.absolute, "its absolute value"),
        (operand.negated, "negated"),
    ];
    let applied: Vec<&str> = operators.iter().filter(|(is, _)| *is).map(|(_, meaning)| *meaning).collect();
    match applied.is_empty() {
        true => page,
        false => format!("{page}\n\nHere: {}.", applied.join(", then ")),
    }
}

/// `RZ`, `URZ`, `PT`, `UPT`
pub(super) fn constant(register: Register) -> String {
    let value = if register.is_predicate() { "always true" } else { "always zero" };
    format!("**`{register}`** · {value}; a write to it is dropped")
}

pub(super) fn page(function: &Function, index: usize, range: TextRange) -> Option<String> {
    let flow = FlowGraph::new(function);
    let reaching = Reaching::new(function, &flow);
    let accesses = reaching.accesses(index).iter().filter(|access| access.range.contains_range(range));
    let access = *accesses.into_iter().min_by_key(|access| access.range.len())?;
    let register = access.register;
    let mut parts = vec![format!("**`{register}`** · {}{}", kind(register), width(&access))];
    let is_from_start = !access.is_write && reaching.is_from_start(index, register);
    let (definitions, uses) = if access.is_write {
        (vec![index], reaching.uses(index, register))
    } else {
        let definitions = reaching.definitions(index, register);
        let first = definitions.iter().take(SHOWN);
        let mut uses: BTreeSet<usize> = first.flat_map(|at| reaching.uses(*at, register)).collect();
        if is_from_start {
            uses.extend(reaching.uses_from_start(register));
        }
        (definitions, Vec::from_iter(uses))
    };
    parts.push(match (definitions.is_empty(), is_from_start) {
        (true, _) => "Not written before: its value at the start of the function.".to_owned(),
        (false, true) => {
            format!("Written at {}, or before the start of the function.", places(function, &definitions))
        }
        (false, false) => format!("Written at {}.", places(function, &definitions)),
    });
    parts.push(if uses.is_empty() {
        "Not read.".to_owned()
    } else {
        format!("Read at {}.", places(function, &uses))
    });
    if matches!(register.file, RegisterFile::General | RegisterFile::Predicate) {
        parts.push(sameness(function, &reaching, index, &access));
    }
    Some(parts.join("\n\n"))
}

fn kind(register: Register) -> &'static str {
    match register.file {
        RegisterFile::General => "general register, 32 bits for each lane",
        RegisterFile::Uniform => "uniform register, 32 bits for the warp",
        RegisterFile::Predicate => "predicate of each lane",
        RegisterFile::UniformPredicate => "uniform predicate of the warp",
        RegisterFile::Barrier => "convergence barrier",
        RegisterFile::Scoreboard => "scoreboard",
    }
}

/// `; here R2 to R3, 64 bits`
fn width(access: &Access) -> String {
    if access.count <= 1 {
        return String::new();
    }
    let last = Register::new(access.register.file, access.register.number.saturating_add(access.count - 1));
    format!("; here `{}` to `{last}`, {} bits", access.register, 32 * u32::from(access.count))
}

fn places(function: &Function, all: &[usize]) -> String {
    let place = |at: &usize| {
        let instruction = &function.instructions[*at];
        format!("`0x{:x}` ({})", instruction.address, instruction.opcode)
    };
    let mut shown: Vec<String> = all.iter().take(SHOWN).map(place).collect();
    if all.len() > SHOWN {
        shown.push(format!("{} more", all.len() - SHOWN));
    }
    shown.join(", ")
}

/// Whether all lanes have equal values, and if not, why.
fn sameness(function: &Function, reaching: &Reaching<'_>, index: usize, access: &Access) -> String {
    match same_value(function, reaching, index, access.register, access.is_write) {
        SameValue::Same => "All lanes have the same value.".to_owned(),
        SameValue::Differs(at) => {
            let instruction = &function.instructions[at];
            let operand = function.operands(instruction).iter().find_map(|operand| match &operand.value {
                Value::Special(name) => Some(format!(" {name}")),
                _ => None,
            });
            format!(
                "The lanes may have different values, because of `{}{}` at `0x{:x}`.",
                instruction.opcode,
                operand.unwrap_or_default(),
                instruction.address
            )
        }
        SameValue::Unknown => "Whether all lanes have the same value is not known.".to_owned(),
    }
}
