//! Matching keywords of a WAVE construct: an `if` with its `else` and `endif`, a `loop` with its `break`s,
//! `continue`s and `endloop`, a `.kernel` with its `.end`.
//!
//! They are not names: [`crate::names`] does not include them, and they cannot be renamed. A keyword without
//! a match (an `endif` without an `if`) belongs to no construct.

use text_size::TextRange;
use warplens_hir::wave::{Code, Link};

use crate::construct::{Construct, Word};
use crate::db::FilePosition;
use crate::wave::lowered::wave_code;

pub fn at(position: &FilePosition<'_>) -> Option<Construct> {
    let range = position.token()?.text_range();
    let code = wave_code(position.db, position.item);
    let words = match code.instruction_at(range.start()) {
        Some(index) if code.instructions[index].mnemonic_range.contains_range(range) => {
            code.construct(index).into_iter().map(|index| word(&code, index)).collect()
        }
        _ => kernel(&code),
    };
    let at = words.iter().position(|word: &Word| word.focus.contains_range(range))?;
    Some(Construct { words, at })
}

fn word(code: &Code, index: usize) -> Word {
    let instruction = &code.instructions[index];
    Word { focus: instruction.mnemonic_range, statement: instruction.range }
}

fn kernel(code: &Code) -> Vec<Word> {
    let Some(header) = &code.kernel else { return Vec::new() };
    let directive = TextRange::at(header.range.start(), text_size::TextSize::of(".kernel"));
    let end = header.end.map(|end| Word { focus: end, statement: end });
    std::iter::once(Word { focus: directive, statement: header.range }).chain(end).collect()
}

/// A whole construct, a path of an `if` or the body of a `loop`: the indices of the statements that open and
/// close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub open: usize,
    pub close: usize,
}

/// Closed constructs, in the order of their starts.
pub fn closed(code: &Code) -> impl Iterator<Item = Span> {
    code.links.iter().enumerate().filter_map(|(open, link)| match link {
        Some(Link::If { end: Some(end), .. } | Link::Loop { end: Some(end) }) => {
            Some(Span { open, close: *end as usize })
        }
        _ => None,
    })
}

/// The paths and bodies of all closed constructs, in the order of their starts.
pub fn sides(code: &Code) -> impl Iterator<Item = Span> {
    code.links.iter().enumerate().filter_map(|(open, link)| {
        let close = match link {
            Some(Link::If { otherwise, end: Some(end) }) => otherwise.unwrap_or(*end),
            Some(Link::Else { end: Some(end), .. } | Link::Loop { end: Some(end) }) => *end,
            _ => return None,
        };
        Some(Span { open, close: close as usize })
    })
}
