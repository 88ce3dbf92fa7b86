//! Whether all lanes of a warp have the same value in a register, as far as the text shows it.

use warplens_isa::sass::{self as isa, Flow};

use super::flow::flow;
use super::model::Function;
use super::operand::Value;
use super::reaching::Reaching;
use super::register::Register;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameValue {
    Same,
    /// The lanes may have different values because of this instruction.
    Differs(usize),
    /// The text does not show it.
    Unknown,
}

/// Whether all lanes have the same value in a register before an instruction reads it, or after the
/// instruction writes it.
pub fn same_value(
    function: &Function,
    reaching: &Reaching<'_>,
    index: usize,
    register: Register,
    is_write: bool,
) -> SameValue {
    let start = if is_write { vec![index] } else { reaching.definitions(index, register) };
    if !is_write && reaching.is_from_start(index, register) {
        return SameValue::Unknown;
    }
    let mut seen = vec![false; function.instructions.len()];
    let mut open = start;
    // Different definitions may reach different lanes.
    let mut merges = (open.len() > 1).then(|| open[1]);
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let instruction = &function.instructions[at];
        match source(function, at) {
            SameValue::Same => {}
            other => return other,
        }
        if instruction.guard.is_some_and(|guard| !guard.is_always() && !guard.register.is_uniform()) {
            merges = merges.or(Some(at));
        }
        for access in reaching.accesses(at).iter().filter(|access| !access.is_write) {
            if access.register.is_uniform() {
                continue;
            }
            for register in access.registers() {
                if reaching.is_from_start(at, register) {
                    return SameValue::Unknown;
                }
                let definitions = reaching.definitions(at, register);
                if definitions.len() > 1 {
                    merges = merges.or(Some(definitions[1]));
                }
                open.extend(definitions);
            }
        }
    }
    merges.map_or(SameValue::Same, SameValue::Differs)
}

/// The contribution of an instruction itself: whether its result depends on its registers alone.
fn source(function: &Function, at: usize) -> SameValue {
    let instruction = &function.instructions[at];
    let opcode = instruction.opcode.as_str();
    if flow(instruction) == Flow::Call {
        return SameValue::Unknown;
    }
    let special = function.operands(instruction).iter().find_map(|operand| match &operand.value {
        Value::Special(name) => Some(name),
        _ => None,
    });
    if let Some(name) = special {
        let varies = isa::special_register(name).is_none_or(|register| register.varies);
        return if varies { SameValue::Differs(at) } else { SameValue::Same };
    }
    let category = isa::opcode(opcode).map_or("", |entry| entry.category.id);
    match category {
        // Loads of constants from the same address give the same value; other memory may change.
        "memory" if !matches!(opcode, "LDC" | "ULDC" | "LDCU") => SameValue::Differs(at),
        "warp" if matches!(opcode, "VOTE" | "VOTEU" | "REDUX" | "CREDUX") => SameValue::Same,
        "warp" | "texture" | "surface" | "tensor" | "tma" | "tmem" | "" => SameValue::Differs(at),
        _ => SameValue::Same,
    }
}
