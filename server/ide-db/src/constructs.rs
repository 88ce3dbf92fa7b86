//! Words that make one construct: of WAVE an `if` with its `else` and `endif`, a `loop` with every `break` and `continue` of
//! it and its `endloop`, a `.kernel` with its `.end`.
//!
//! They are no names, so [`crate::names`] does not know them: nothing can be renamed. Where their statements are wrong
//! (an `endif` that closes nothing) they are words of no construct.

use text_size::TextRange;
use warplens_hir::wave::{Code, Link};

use crate::db::{Database, wave_code};
use crate::position::FilePosition;

/// One of the words of a construct, relative to the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub focus: TextRange,
    /// The statement that it stands in.
    pub statement: TextRange,
}

/// The words of a construct in the order of the text: the first opens it, the last closes it if it is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Construct {
    pub words: Vec<Word>,
    /// Which of them is the one that was asked for.
    at: usize,
}

impl Construct {
    /// Where one goes from the word: to what opens the construct, and from there to what closes it.
    pub fn counterpart(&self) -> Option<Word> {
        let other = if self.at == 0 { self.words.len() - 1 } else { 0 };
        (other != self.at).then(|| self.words[other])
    }
}

/// The construct of which a word is at a place.
pub fn at(db: &Database, position: &FilePosition<'_>) -> Option<Construct> {
    if position.language(db) != warplens_syntax::wave::LANGUAGE {
        return None;
    }
    let range = position.token(db)?.text_range();
    let code = wave_code(db, position.item);
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

/// `.kernel` and `.end`.
fn kernel(code: &Code) -> Vec<Word> {
    let Some(header) = &code.kernel else { return Vec::new() };
    let directive = TextRange::at(header.range.start(), text_size::TextSize::of(".kernel"));
    let end = header.end.map(|end| Word { focus: end, statement: end });
    std::iter::once(Word { focus: directive, statement: header.range }).chain(end).collect()
}

/// A whole construct, a side of an `if` or the body of a `loop`: the statements that open and close it, by their indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub open: usize,
    pub close: usize,
}

/// The constructs that are closed, in the order in which they begin.
pub fn closed(code: &Code) -> impl Iterator<Item = Span> {
    code.links.iter().enumerate().filter_map(|(open, link)| match link {
        Some(Link::If { end: Some(end), .. } | Link::Loop { end: Some(end) }) => {
            Some(Span { open, close: *end as usize })
        }
        _ => None,
    })
}

/// The sides of all constructs that are closed, in the order in which they begin.
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
