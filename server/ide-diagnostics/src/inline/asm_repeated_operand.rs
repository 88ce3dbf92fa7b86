//! `asm-repeated-operand`: an element that is passed twice, in place of the one beside it.

use std::ops::Range;

use warplens_host::{Direction, Operand, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::diagnostic;
use crate::codes;

/// The fewest elements in a row that show a pattern.
const MIN_RUN: usize = 3;

pub(super) fn check(text: &str, statement: &Statement, found: &mut Vec<Diagnostic>) {
    let inputs = statement.operands.iter().position(|operand| operand.direction == Direction::Input);
    let (outputs, inputs) = statement.operands.split_at(inputs.unwrap_or(statement.operands.len()));
    let vectors = vectors(statement);
    for (first, operands) in [(0, outputs), (outputs.len(), inputs)] {
        for number in [number_in as fn(&str) -> Option<Range<usize>>, component_of] {
            let elements: Vec<_> = operands.iter().map(|operand| Element::new(operand, number)).collect();
            found.extend(runs(&elements).filter_map(|(start, run)| {
                let (second, other, missing) = repeated(&run)?;
                let element = elements[start + second].as_ref()?;
                let meant = element.with(missing);
                // Other instructions may take a value twice on purpose.
                let is_vector = vectors
                    .iter()
                    .any(|vector| [second, other].iter().all(|at| vector.contains(&(first + start + at))));
                let exists = run.iter().any(|index| *index > missing)
                    || text.contains(&meant)
                    || element.is_of_array(text, missing + 1);
                (is_vector && exists).then(|| problem(&operands[start + second], &meant))
            }));
        }
    }
}

fn problem(operand: &Operand, meant: &str) -> Diagnostic {
    let text = operand.expression.as_deref().unwrap_or_default();
    let message = format!("`{text}` is passed twice, and `{meant}` never; the others are in sequence");
    diagnostic(&operand.range, Severity::Warning, codes::ASM_REPEATED_OPERAND, message)
}

/// The operands in each pair of braces of the template, which are the elements of a vector.
fn vectors(statement: &Statement) -> Vec<Vec<usize>> {
    let (mut vectors, mut is_inside) = (Vec::<Vec<usize>>::new(), false);
    for part in parts(statement) {
        match part.kind {
            PartKind::Operand(operand) if is_inside => {
                vectors.last_mut().expect("a brace opened one").extend(operand);
            }
            PartKind::Operand(_) => {}
            _ => {
                let text = &statement.template.text[part.range];
                let Some(last) = text.rfind(['{', '}', ';']) else { continue };
                is_inside = text[last..].starts_with('{');
                vectors.push(Vec::new());
            }
        }
    }
    vectors
}

/// An operand as an element of a sequence: `a[2]`, `a2`, `*(a + 2)`, `v.z`.
struct Element<'s> {
    /// What precedes and what follows the number.
    around: [&'s str; 2],
    index: u32,
    is_component: bool,
}

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl<'s> Element<'s> {
    fn new(operand: &'s Operand, number: fn(&str) -> Option<Range<usize>>) -> Option<Element<'s>> {
        let text = operand.expression.as_deref()?.trim();
        let range = number(text)?;
        let (written, around) = (&text[range.clone()], [&text[..range.start], &text[range.end..]]);
        let component = COMPONENTS.iter().position(|name| *name == written);
        let index = match (component, written.strip_prefix("0x")) {
            (Some(component), _) => component as u32,
            (None, Some(digits)) => u32::from_str_radix(digits, 16).ok()?,
            (None, None) => written.parse().ok()?,
        };
        Some(Element { around, index, is_component: component.is_some() })
    }

    /// Whether a text declares an array of so many elements: `a[4]`, `(&a)[4]`.
    fn is_of_array(&self, text: &str, elements: u32) -> bool {
        let Some(name) = self.around[0].strip_suffix('[').filter(|_| self.around[1] == "]") else {
            return false;
        };
        [format!("{name}[{elements}]"), format!("{name})[{elements}]")].iter().any(|form| text.contains(form))
    }

    /// The element with another number.
    fn with(&self, index: u32) -> String {
        let [before, after] = self.around;
        match COMPONENTS.get(index as usize).filter(|_| self.is_component) {
            Some(component) => format!("{before}{component}{after}"),
            None => format!("{before}{index}{after}"),
        }
    }
}

/// The last number of an expression that begins with a name.
fn number_in(text: &str) -> Option<Range<usize>> {
    if !text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '*' | '(')) {
        return None;
    }
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    if text[start..end].starts_with("0x") {
        return Some(start..end);
    }
    let digits = text[..end].bytes().rev().take_while(u8::is_ascii_digit).count();
    Some(end - digits..end)
}

/// The component at the end of an expression.
fn component_of(text: &str) -> Option<Range<usize>> {
    let (base, component) = text.rsplit_once('.')?;
    COMPONENTS.contains(&component).then_some(base.len() + 1..text.len())
}

/// The elements that differ only in their numbers and follow each other: where they begin, and the numbers.
fn runs(elements: &[Option<Element<'_>>]) -> impl Iterator<Item = (usize, Vec<u32>)> {
    let mut start = 0;
    let are_alike = |a: &Option<Element<'_>>, b: &Option<Element<'_>>| match (a, b) {
        (Some(a), Some(b)) => a.around == b.around,
        _ => false,
    };
    elements.chunk_by(are_alike).map(move |run| {
        let first = start;
        start += run.len();
        (first, run.iter().flatten().map(|element| element.index).collect())
    })
}

/// The later position of the number that stands where the only missing one would be in sequence, the other one, and what is missing.
fn repeated(run: &[u32]) -> Option<(usize, usize, u32)> {
    if run.len() < MIN_RUN {
        return None;
    }
    let fits = |first: u32| {
        let mut wrong = run.iter().enumerate().filter(|(at, index)| **index != first + *at as u32);
        let (at, index) = wrong.next()?;
        wrong.next().is_none().then_some((at, *index))
    };
    let mut firsts = std::iter::once(run[0]).chain(run[1].checked_sub(1));
    let (at, index, missing) =
        firsts.find_map(|first| fits(first).map(|(at, index)| (at, index, first + at as u32)))?;
    let other = run.iter().enumerate().position(|(other, value)| other != at && *value == index)?;
    Some((at.max(other), at.min(other), missing))
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn the_element_beside_is_missing() {
        assert_eq!(repeated(&[0, 2, 2, 3]), Some((2, 1, 1)));
        assert_eq!(repeated(&[0, 1, 1]), Some((2, 1, 2)));
        assert_eq!(repeated(&[4, 5, 6, 6, 8]), Some((3, 2, 7)));
        assert_eq!(repeated(&[1, 1, 2, 3]), Some((1, 0, 0)));
        assert_eq!(repeated(&[0, 0, 2, 3]), Some((1, 0, 1)));
        assert_eq!(repeated(&[0, 1, 2, 3]), None);
        assert_eq!(repeated(&[0, 0]), None);
        assert_eq!(repeated(&[0, 0, 1, 1]), None);
        assert_eq!(repeated(&[3, 3, 3, 3]), None);
        assert_eq!(repeated(&[0, 1, 7, 3]), None);
    }
}
