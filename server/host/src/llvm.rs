//! Constraints of LLVM: one string, `=r,l,~{memory}`, whose parts are operands and clobbers.

use std::ops::Range;

use crate::statement::{Direction, Operand};
use crate::template::Template;

/// The operands and clobbers of a constraint string. `values` are the expressions of the inputs, if they are known.
pub(crate) fn operands(
    constraints: &Template,
    values: &[Option<String>],
) -> (Vec<Operand>, Vec<(String, Range<usize>)>) {
    let (mut operands, mut clobbers) = (Vec::new(), Vec::new());
    let mut values = values.iter();
    for part in parts(&constraints.text) {
        let text = constraints.text[part.clone()].trim();
        if text.is_empty() {
            continue;
        }
        let range = constraints.to_host(part.clone()).unwrap_or_default();
        if let Some(clobber) = text.strip_prefix('~') {
            clobbers.push((clobber.trim_matches(['{', '}']).to_owned(), range));
            continue;
        }
        let direction = match text.as_bytes()[0] {
            b'=' => Direction::Output,
            b'+' => Direction::Both,
            _ => Direction::Input,
        };
        let expression = if direction == Direction::Input { values.next().cloned().flatten() } else { None };
        operands.push(Operand { direction, constraint: text.to_owned(), name: None, expression, range });
    }
    (operands, clobbers)
}

/// The parts between commas.
fn parts(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split(',').scan(0, |start, part| {
        let from = *start;
        *start += part.len() + 1;
        let lead = part.len() - part.trim_start().len();
        Some(from + lead..from + part.trim_end().len().max(lead))
    })
}
