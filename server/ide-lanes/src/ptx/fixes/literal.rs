//! The literal that decides an operand.

use std::ops::Range;

use warplens_sim_warp::StatementId;

use crate::simulator::FindingInText;

/// Which literals are wanted, and what else may read a register that holds one.
pub(super) struct Wanted<'w> {
    pub(super) literal: &'w dyn Fn(&str) -> bool,
    /// Whether a change of the literal is meant for another statement that reads the register, too.
    pub(super) other_reader: &'w dyn Fn(&str) -> bool,
}

/// The operand itself, if it is a literal, or that of the only `mov` that gives its register such a literal. `None` if the register has
/// another use, which a change would affect.
pub(super) fn behind(
    found: FindingInText<'_>,
    reader: StatementId,
    operand: Range<usize>,
    wanted: &Wanted<'_>,
) -> Option<Range<usize>> {
    let register = found.text.get(operand.clone())?;
    if (wanted.literal)(register) {
        return Some(operand);
    }
    let mut only = None;
    let statements = found.statements.iter().enumerate().filter(|(id, _)| *id != reader.index());
    for (_, statement) in statements {
        let start = usize::from(statement.range.start());
        let code = found.text.get(Range::<usize>::from(statement.range))?;
        if !words(code).any(|word| word == register) {
            continue;
        }
        let opcode = usize::from(statement.opcode.end()) - start;
        let destination =
            words(code.get(opcode..)?).find(|word| word.starts_with(['%', '$']) || *word == register);
        if destination != Some(register) {
            match (wanted.other_reader)(code) {
                true => continue,
                false => return None,
            }
        }
        let literal = last_operand(found.text, start..usize::from(statement.range.end()))?;
        if code.trim_start().starts_with("mov") && (wanted.literal)(found.text.get(literal.clone())?) {
            if only.is_some() {
                return None;
            }
            only = Some(literal);
        }
    }
    only
}

/// The part of a statement after its last comma, or else after its opcode.
pub(super) fn last_operand(text: &str, statement: Range<usize>) -> Option<Range<usize>> {
    let code = text.get(statement.clone())?;
    let code = &code[..code.find(';').unwrap_or(code.len())];
    let start = code.rfind(',').or_else(|| code.find([' ', '\t']))? + 1;
    Some(trimmed(text, statement.start + start..statement.start + code.len()))
}

/// A part of a text without the spaces around it.
pub(super) fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let start = part.start;
    let part = text.get(part).unwrap_or_default();
    let from = start + part.len() - part.trim_start().len();
    from..from + part.trim().len()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$' | '.')))
}
