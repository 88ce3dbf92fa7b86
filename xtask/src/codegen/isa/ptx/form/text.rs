//! Renders a form for hovers and messages.

use crate::codegen::isa::schema::ptx::Instruction;
use crate::codegen::isa::schema::ptx_form::{FormOperand, OperandKind, Presence, Slot};

/// The text of a form: `add{.sat}.{u16x2,s16x2} d, a, b`.
pub(super) fn form(entry: &Instruction, slots: &[Slot], operands: &[FormOperand]) -> String {
    let mut text = entry.opcode().to_owned() + &entry.words.concat();
    for slot in slots {
        let word = match slot.values.as_slice() {
            _ if slot.whole && slot.values.len() > 1 => format!(".{}", slot.class),
            [value] => value.words.concat(),
            values => {
                let words: Vec<String> =
                    values.iter().map(|value| value.words.concat()[1..].to_owned()).collect();
                format!(".{{{}}}", words.join(","))
            }
        };
        text += &if slot.optional { format!("{{{word}}}") } else { word };
    }
    for (index, operand) in operands.iter().enumerate() {
        let written = self::operand(entry, operand);
        let comma = if index == 0 { " " } else { ", " };
        text += &match operand.presence {
            Presence::Required => format!("{comma}{written}"),
            Presence::Optional | Presence::With(_) => format!("{{{comma}{written}}}"),
        };
    }
    text
}

/// The text of an operand: `d{|p}`, `[a]`, `[tmap, coords]`.
fn operand(entry: &Instruction, operand: &FormOperand) -> String {
    let mut written = entry.operands[operand.index].name.clone();
    for part in operand.inside.iter().skip(1) {
        let name = &entry.operands[part.index].name;
        written += &match part.presence {
            Presence::Required => format!(", {name}"),
            Presence::Optional | Presence::With(_) => format!("{{, {name}}}"),
        };
    }
    if operand.kinds.contains(&OperandKind::Address) {
        written = format!("[{written}]");
    }
    match operand.second {
        Some((second, true)) => format!("{written}{{|{}}}", entry.operands[second].name),
        Some((second, false)) => format!("{written}|{}", entry.operands[second].name),
        None => written,
    }
}
