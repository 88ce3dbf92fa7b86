//! The fix of a wait at an mbarrier that should pass the first time, as a producer's does: it starts with the other parity.

use std::ops::Range;

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::StatementId;

use crate::view::LaneView;

/// Changes the parity of the wait, if it is a literal, or the only `mov` that gives its register the value 0. `None` if the register has
/// another use, which the change would affect.
pub(super) fn start_with_one(shown: &LaneView, wait: StatementId, text: &str) -> Option<Fix> {
    let range = shown.place(wait).filter(|_| shown.is_unedited(wait))?;
    let parity = parity(text, range)?;
    let zero = match text.get(parity.clone())? {
        literal if is_zero(literal) => parity,
        register => first_value(shown, wait, register, text)?,
    };
    let size = |offset: usize| TextSize::new(offset as u32);
    let range = TextRange::new(size(zero.start), size(zero.end));
    let edits = vec![TextEdit { range, insert: "1".to_owned() }];
    Some(Fix { title: "Start with parity 1".to_owned(), edits, preferred: false })
}

/// The operand after the address: `mbarrier.try_wait.parity.b64 %p1, [%r1], 0;`.
fn parity(text: &str, range: TextRange) -> Option<Range<usize>> {
    let statement =
        text.get(Range::<usize>::from(range)).filter(|statement| statement.contains(".parity"))?;
    let after = statement.find(']')? + 1;
    let comma = after + statement[after..].find(',')? + 1;
    let length = statement[comma..].find([',', ';']).unwrap_or(statement.len() - comma);
    Some(trimmed(text, usize::from(range.start()) + comma, length))
}

/// The literal of the only `mov` to a register that nothing else reads but the wait and what changes it.
fn first_value(shown: &LaneView, wait: StatementId, register: &str, text: &str) -> Option<Range<usize>> {
    let mut zero = None;
    for statement in shown.statements().filter(|statement| statement.id != wait) {
        let start = usize::from(statement.range.start());
        let code = text.get(Range::<usize>::from(statement.range))?;
        if !words(code).any(|word| word == register) {
            continue;
        }
        let opcode = code.trim_start_matches(|c| c != '.' && c != ' ' && c != '\t').len();
        let operands = code.len() - opcode;
        let destination =
            words(&code[operands..]).find(|word| word.starts_with(['%', '$']) || *word == register);
        if destination != Some(register) {
            return None;
        }
        let last = code.rfind(',')? + 1;
        let literal =
            trimmed(text, start + last, code[last..].trim_end_matches([';', ' ', '\t', '\n']).len());
        if code.trim_start().starts_with("mov") && is_zero(text.get(literal.clone())?) {
            if zero.is_some() {
                return None;
            }
            zero = Some(literal);
        }
    }
    zero
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$' | '.')))
}

fn is_zero(literal: &str) -> bool {
    matches!(literal, "0" | "0x0" | "0X0" | "0U")
}

/// A part of a text without the spaces around it.
fn trimmed(text: &str, start: usize, length: usize) -> Range<usize> {
    let part = text.get(start..start + length).unwrap_or_default();
    let from = start + part.len() - part.trim_start().len();
    from..from + part.trim().len()
}
