//! `asm-repeated-operand`: an element that is passed twice, in place of the one beside it.

use warplens_host::{Direction, Operand, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::ranges::text_range;
use crate::codes;

/// The fewest elements in a row that show a pattern.
const MIN_RUN: usize = 3;

pub(super) fn check(statement: &Statement, found: &mut Vec<Diagnostic>) {
    let inputs = statement.operands.iter().position(|operand| operand.direction == Direction::Input);
    let (outputs, inputs) = statement.operands.split_at(inputs.unwrap_or(statement.operands.len()));
    check_list(outputs, found);
    check_list(inputs, found);
}

fn check_list(operands: &[Operand], found: &mut Vec<Diagnostic>) {
    let elements: Vec<_> = operands.iter().map(element).collect();
    let mut start = 0;
    while start < elements.len() {
        let Some((base, _)) = &elements[start] else {
            start += 1;
            continue;
        };
        let same =
            |element: &&Option<(String, u32)>| element.as_ref().is_some_and(|(other, _)| other == base);
        let length = elements[start..].iter().take_while(same).count();
        let run: Vec<u32> =
            elements[start..start + length].iter().flatten().map(|(_, index)| *index).collect();
        if let Some((second, missing)) = repeated(&run) {
            let operand = &operands[start + second];
            let text = operand.expression.as_deref().unwrap_or_default();
            let message = format!(
                "`{text}` is passed twice, and element {missing} of `{base}` never; the others are in sequence"
            );
            let range = text_range(&operand.range);
            found.push(Diagnostic::new(range, Severity::Warning, codes::ASM_REPEATED_OPERAND, message));
        }
        start += length;
    }
}

/// The variable and the number of an element: `a[2]`, `a2`, `v.z`.
fn element(operand: &Operand) -> Option<(String, u32)> {
    let text: String = operand.expression.as_ref()?.split_whitespace().collect();
    if let Some(inside) = text.strip_suffix(']') {
        let (base, index) = inside.rsplit_once('[')?;
        return Some((base.to_owned(), index.parse().ok()?));
    }
    if let Some((base, component)) = text.rsplit_once('.')
        && let Some(index) = ["x", "y", "z", "w"].iter().position(|name| *name == component)
    {
        return Some((base.to_owned(), index as u32));
    }
    let base = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = !base.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| Some((base.to_owned(), text[base.len()..].parse().ok()?)))?
}

/// The later position of the number that stands where the only missing one would be in sequence, and the missing one.
fn repeated(run: &[u32]) -> Option<(usize, u32)> {
    if run.len() < MIN_RUN {
        return None;
    }
    let fits = |first: u32| {
        let mut wrong = run.iter().enumerate().filter(|(at, index)| **index != first + *at as u32);
        let (at, index) = wrong.next()?;
        wrong.next().is_none().then_some((at, *index))
    };
    let firsts = [run[0], run[1].checked_sub(1)?];
    let (at, index, missing) =
        firsts.into_iter().find_map(|first| fits(first).map(|(at, index)| (at, index, first + at as u32)))?;
    let other = run.iter().enumerate().position(|(other, value)| other != at && *value == index)?;
    Some((at.max(other), missing))
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn the_element_beside_is_missing() {
        assert_eq!(repeated(&[0, 2, 2, 3]), Some((2, 1)));
        assert_eq!(repeated(&[0, 1, 1]), Some((2, 2)));
        assert_eq!(repeated(&[4, 5, 6, 6, 8]), Some((3, 7)));
        assert_eq!(repeated(&[1, 1, 2, 3]), Some((1, 0)));
        assert_eq!(repeated(&[0, 1, 2, 3]), None);
        assert_eq!(repeated(&[0, 0]), None);
        assert_eq!(repeated(&[0, 0, 1, 1]), None);
        assert_eq!(repeated(&[3, 3, 3, 3]), None);
        assert_eq!(repeated(&[0, 1, 7, 3]), None);
    }
}
