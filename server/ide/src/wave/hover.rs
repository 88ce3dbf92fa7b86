//! Hovers of WAVE.

mod callable;
mod sharing;
mod structure;
mod written;

use text_size::TextRange;
use warplens_hir::wave::{Code, Instruction, Name, Operand, Value, literal};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Access, FilePosition, Named, count, names, notation};
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::wave::explain;

pub(super) fn hover(position: &FilePosition<'_>) -> Option<(TextRange, String)> {
    let code = wave_code(position.db, position.item);
    let token = position.token()?;
    let instruction = code.instruction_at(token.text_range().start());
    if let Some(index) = instruction.filter(|index| touches(code.instructions[*index].mnemonic_range, &token))
    {
        return mnemonic(position, &code, index);
    }
    if let Some(named) = names::named(position) {
        let name = &code.name_at(position.offset)?.name;
        return Some((named.range, self::name(position, &named, name)?));
    }
    let markdown = match token.kind() {
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => match instruction {
            Some(index) => number(&code.instructions[index], token.text_range())?,
            None => notation::integer(argument(token.text())?),
        },
        _ => {
            let page = explain::explain(token.text())?;
            match callable::asked_for(&code, token.text()) {
                Some(here) => format!("{page}\n\n{here}"),
                None => page,
            }
        }
    };
    Some((token.text_range(), markdown))
}

#[cfg(test)]
mod tests;

fn touches(range: TextRange, token: &SyntaxToken) -> bool {
    range.contains_range(token.text_range())
}

/// The instruction as written, with the other keywords of its construct.
fn mnemonic(position: &FilePosition<'_>, code: &Code, index: usize) -> Option<(TextRange, String)> {
    let instruction = &code.instructions[index];
    let written = &position.text()[instruction.mnemonic_range];
    let entry = instruction.entry?.0;
    let suffix = written.strip_prefix(instruction.mnemonic.as_str()).filter(|suffix| !suffix.is_empty());
    let mut page = explain::instruction(entry, suffix);
    if let Some(way) = sharing::of_construct(position, code, index) {
        page = format!("{way}\n\n{page}");
    }
    if let Some(joined) = structure::joined(position, code, index) {
        page = format!("{joined}\n\n{page}");
    }
    Some((instruction.mnemonic_range, page))
}

fn name(position: &FilePosition<'_>, named: &Named, name: &Name) -> Option<String> {
    let occurrences = names::occurrences(position, &named.subject);
    let of = |access: Access| occurrences.iter().filter(|found| found.access == access).count();
    match name {
        Name::Special(special) => Some(explain::special_register(special.0)),
        Name::Kernel(name) => Some(callable::kernel(position, name)),
        Name::Label(name) => callable::function(position, name),
        Name::Register(_) | Name::Predicate(_) => {
            let text = &position.text()[named.range];
            let (written, read) = (of(Access::Write), of(Access::Read));
            let usage = format!(
                "In this kernel: written {}, read {}.",
                count(written, "time", "times"),
                count(read, "time", "times")
            );
            let here = [written::before(position), sharing::of_register(position)];
            let parts = [explain::register(text)?, usage].into_iter().chain(here.into_iter().flatten());
            Some(parts.collect::<Vec<_>>().join("\n\n"))
        }
    }
}

/// A number with the type of its operand.
fn number(instruction: &Instruction, range: TextRange) -> Option<String> {
    let operand = instruction.operands.iter().find(|operand| operand.range.contains_range(range))?;
    match operand.value {
        Value::Integer { value, .. } => Some(notation::integer(value as u64)),
        Value::Float(bits) => Some(float(instruction, operand, f64::from_bits(bits))),
        _ => None,
    }
}

/// The bits of a number with a decimal point, and the bits that the toolchain stores.
fn float(instruction: &Instruction, operand: &Operand, value: f64) -> String {
    let mut form = instruction.entry.into_iter().flat_map(|entry| entry.operands);
    let ty = form.find(|form| form.name == operand.name).map_or("", |form| form.ty);
    let meant = literal(value, ty);
    // Without a width, a number is binary32.
    let ty = if ty.contains("f16") { ty } else { "f32" };
    let stored = value.to_bits() as u32;
    let note = match instruction.mnemonic == "mov_imm" && stored != meant {
        true => format!(
            "\n\nToolchain 0.1.2 stores `0x{stored:08X}`, the low half of its 64 bits: write `0x{meant:08X}` for it."
        ),
        false => String::new(),
    };
    format!("`{value:?}` · as `{ty}` `0x{meant:08X}`{note}")
}

/// The argument of a directive.
fn argument(text: &str) -> Option<u64> {
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}
