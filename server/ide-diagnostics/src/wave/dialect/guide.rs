//! Rewrites into the guide's dialect: names with a dot, the value of a store first, the scope of an atomic as a suffix.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Code, Instruction, Value};
use warplens_isa::wave::Suffix;

use crate::wave::dialect::edits::Edits;

/// The edits that rewrite an instruction in the guide's dialect; `None` if it needs none.
pub(crate) fn instruction(text: &str, code: &Code, at: usize) -> Option<Edits> {
    let instruction = &code.instructions[at];
    let entry = instruction.entry?.0;
    if !instruction.complete {
        return None;
    }
    let mut edits = Edits::new();
    if entry.mnemonic != instruction.mnemonic {
        let range =
            TextRange::at(instruction.mnemonic_range.start(), TextSize::of(instruction.mnemonic.as_str()));
        edits.push((range, entry.mnemonic.to_owned()));
        edits.extend(reordered(text, instruction));
    }
    if entry.suffix == Suffix::Scope {
        edits.extend(scope_as_suffix(text, instruction));
    }
    (!edits.is_empty()).then_some(edits)
}

/// `.workgroup_size 256, 1, 1` as `.workgroup_size 256`.
pub(crate) fn size(text: &str, code: &Code, at: usize) -> Option<(TextRange, String)> {
    let size = code.sizes[at];
    let numbers = &text[size.range];
    let comma = numbers.find(',')?;
    let ones = numbers[comma..].split(',').skip(1).all(|number| number.trim() == "1");
    let tail = TextRange::new(size.range.start() + TextSize::new(comma as u32), size.range.end());
    ones.then(|| (tail, String::new()))
}

/// The operands in the guide's order, if that differs.
fn reordered(text: &str, instruction: &Instruction) -> Edits {
    let Some(entry) = instruction.entry else { return Edits::new() };
    let wanted = entry.0.operands.iter().filter_map(|operand| instruction.operand(operand.name));
    let places = instruction.operands.iter().zip(wanted);
    places
        .filter(|(now, then)| now.range != then.range)
        .map(|(now, then)| (now.range, text[then.range].to_owned()))
        .collect()
}

/// `, .device` at the end as a suffix of the name. A fence has nothing before its scope and keeps it.
fn scope_as_suffix(text: &str, instruction: &Instruction) -> Edits {
    let [.., before, last] = &instruction.operands[..] else { return Edits::new() };
    let scope = &text[last.range];
    let is_suffix = instruction.mnemonic_range.contains_range(last.range);
    if is_suffix || !matches!(last.value, Value::Scope(_)) || !scope.starts_with('.') {
        return Edits::new();
    }
    let insert = (TextRange::empty(instruction.mnemonic_range.end()), scope.to_owned());
    vec![insert, (TextRange::new(before.range.end(), last.range.end()), String::new())]
}
