//! The forms of an opcode, as written in the tables of isa.

use warplens_hir::ptx::{Count, FormMatch, Mnemonic, OperandRule};
use warplens_ide_db::ptx::forms;
use warplens_ide_db::{Signature, SignatureHelp};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::Instruction;

use crate::ptx::completion::context::Operand;
use crate::ptx::explain;
use crate::ptx::explain::form::form_of;
use crate::signature_help::{Label, MAX_FORMS};

pub(super) fn help(operand: &Operand<'_>) -> Option<SignatureHelp> {
    let all = isa::by_opcode(operand.opcode);
    let takes_all = |entry: &&&Instruction| operand.modifiers.iter().all(|word| forms::accepts(entry, word));
    let fitting: Vec<&Instruction> = all.iter().filter(takes_all).copied().collect();
    let entries = if fitting.is_empty() { all.to_vec() } else { fitting };
    let forms = entries.iter().flat_map(|entry| entry.syntax.iter().map(move |form| (*entry, *form)));
    let mut forms: Vec<(usize, &Instruction, &str)> =
        forms.enumerate().map(|(index, (entry, form))| (index, entry, form)).collect();
    let best = forms.iter().min_by_key(|(index, entry, form)| (distance(entry, form, operand), *index))?.0;
    // If there are too many forms, keep the best one and those around it.
    let first = best.saturating_sub(MAX_FORMS / 2).min(forms.len().saturating_sub(MAX_FORMS));
    forms.drain(..first);
    forms.truncate(MAX_FORMS);
    let written = form_of(&mnemonic(operand), None);
    let signatures = forms.iter().map(|(index, entry, form)| {
        let written =
            written.as_ref().filter(|written| *index == best && std::ptr::eq(written.entry, *entry));
        signature(entry, form, operand.index, written)
    });
    let signatures = signatures.collect();
    Some(SignatureHelp { signatures, active: best - first })
}

/// How far a form is from the statement: whether it lacks the operand, how many words differ, and how many written
/// words it lacks.
fn distance(entry: &Instruction, form: &str, operand: &Operand<'_>) -> (bool, usize, usize) {
    let (mnemonic, operands) = halves(form);
    let classes = entry.modifiers.iter().filter(|class| mnemonic.contains(class.name));
    let of_classes: Vec<&str> =
        classes.flat_map(|class| class.values.iter().map(|value| value.name)).collect();
    let is_in_form =
        |word: &str| mnemonic.contains(word.trim_start_matches('.')) || of_classes.contains(&word);
    let foreign = operand.modifiers.iter().filter(|word| !is_in_form(word)).count();
    let is_class = |word: &str| entry.modifiers.iter().any(|class| class.name == word);
    let missing = required_words(mnemonic)
        .filter(|word| !is_class(word))
        .filter(|word| !operand.modifiers.iter().any(|have| have.trim_start_matches('.') == *word))
        .count();
    (segments(operands).len() <= operand.index, foreign + missing, foreign)
}

fn required_words(mnemonic: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let outside = mnemonic.split_inclusive(['{', '}']).filter_map(move |part| {
        let is_outside = depth == 0;
        match part.as_bytes().last() {
            Some(b'{') => depth += 1,
            Some(b'}') => depth -= 1,
            _ => {}
        }
        is_outside.then(|| part.trim_end_matches(['{', '}']))
    });
    outside.flat_map(|part| part.split('.')).skip(1).filter(|word| !word.is_empty())
}

fn mnemonic(operand: &Operand<'_>) -> Mnemonic {
    let modifiers = operand.modifiers.iter().map(|word| word.trim_start_matches('.').into());
    Mnemonic { opcode: operand.opcode.into(), modifiers: modifiers.collect() }
}

/// A form, in which operands show the registers that they take in the `written` statement.
fn signature(entry: &Instruction, form: &str, index: usize, written: Option<&FormMatch>) -> Signature {
    let mut label = Label::default();
    let (mnemonic, operands) = halves(form);
    label.push(mnemonic);
    label.push(if operands.is_empty() { "" } else { " " });
    let mut at = 0;
    for (number, (start, end)) in segments(operands).into_iter().enumerate() {
        let part = &operands[start..end];
        label.push(&operands[at..start]);
        let count = written.and_then(|written| registers(written.operands.get(number)?));
        label.push_parameter(
            &format!("{part}{}", count.unwrap_or_default()),
            documentation(entry, part, number),
        );
        at = end;
    }
    label.push(&operands[at..]);
    let target = if entry.target.is_empty() { String::new() } else { format!(", {}", entry.target) };
    label.finish(format!("{}\n\nPTX {}{target}", entry.summary, entry.since), index)
}

/// ` {4 × .f32}`
fn registers(rule: &OperandRule) -> Option<String> {
    match rule.count {
        Count::Braced(count) => Some(format!(" {{{count} × .{}}}", rule.ty?.name())),
        _ => None,
    }
}

/// Splits a form into the mnemonic, with its guard, and the operands.
fn halves(form: &str) -> (&str, &str) {
    let guard = if form.starts_with("{@") { form.find(' ').map_or(0, |space| space + 1) } else { 0 };
    match form[guard..].find(' ') {
        Some(space) => (&form[..guard + space], &form[guard + space + 1..]),
        None => (form, ""),
    }
}

/// The ranges of the operands in the text of a form, as separated by commas outside brackets and braces. A group
/// `{, x}` is optional.
fn segments(operands: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    let mut end_at = |start: usize, end: usize| {
        let text = &operands[start..end];
        let trimmed = text.trim_start().len();
        let from = end - trimmed;
        let to = from + text.trim().len();
        if from < to {
            found.push((from, to));
        }
    };
    let bytes = operands.as_bytes();
    // For each open group, whether it is optional.
    let mut groups = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' if depth == 0 && bytes.get(at + 1) == Some(&b',') => {
                end_at(start, at);
                groups.push(true);
                start = at + 2;
            }
            b'}' if depth == 0 && groups.pop().is_some() => {
                end_at(start, at);
                start = at + 1;
            }
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && start <= at => {
                end_at(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    end_at(start, operands.len());
    found
}

/// The operands that a part of a form names. If it names none, the operand with the index of the part.
fn documentation(entry: &Instruction, part: &str, number: usize) -> String {
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    let names: Vec<&str> = part.split(|char| !is_name(char)).collect();
    let mut named: Vec<_> = entry.operands.iter().filter(|operand| names.contains(&operand.name)).collect();
    if named.is_empty() {
        named.extend(entry.operands.get(number));
    }
    named.into_iter().map(explain::facts::operand).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_operands_and_groups() {
        let parts = |operands: &str| -> Vec<String> {
            segments(operands).into_iter().map(|(start, end)| operands[start..end].to_owned()).collect()
        };
        assert_eq!(parts("d, [a]{.unified}{, policy}"), ["d", "[a]{.unified}", "policy"]);
        assert_eq!(
            parts("[dst], [tmap{, gaddr}, coords], {a, ...}"),
            ["[dst]", "[tmap{, gaddr}, coords]", "{a, ...}"]
        );
        assert_eq!(parts("[dst], size{, left, right}, [mbar]"), ["[dst]", "size", "left", "right", "[mbar]"]);
        assert_eq!(parts("a{, b{, c}}"), ["a", "b", "c"]);
        assert_eq!(parts(""), [""; 0]);
    }

    #[test]
    fn the_words_that_a_form_must_have() {
        let words = |mnemonic| required_words(mnemonic).collect::<Vec<_>>();
        assert_eq!(words("ld.volatile{.ss}{.vec}.type"), ["volatile", "type"]);
        assert_eq!(words("ld.{relaxed,acquire}.scope"), ["scope"]);
    }

    #[test]
    fn a_guard_is_not_an_operand() {
        assert_eq!(halves("{@p} bra{.uni} tgt"), ("{@p} bra{.uni}", "tgt"));
        assert_eq!(halves("{@p} ret{.uni}"), ("{@p} ret{.uni}", ""));
        assert_eq!(halves("add.type d, a, b"), ("add.type", "d, a, b"));
    }

    #[test]
    fn every_operand_of_the_tables_is_explained() {
        let mut silent = Vec::new();
        let is_opcode = |entry: &&Instruction| entry.opcode.starts_with(char::is_alphabetic);
        for entry in isa::instructions().filter(is_opcode) {
            for form in entry.syntax {
                for parameter in signature(entry, form, 0, None).parameters {
                    if parameter.documentation.is_empty() {
                        silent.push(format!("{form}: {:?}", parameter.range));
                    }
                }
            }
        }
        assert!(silent.is_empty(), "{} operands:\n{}", silent.len(), silent.join("\n"));
    }
}
