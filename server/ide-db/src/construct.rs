//! Words that make one construct, such as an `if` with its `else` and `endif`.

use text_size::TextRange;

/// A keyword of a construct, relative to the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    pub focus: TextRange,
    pub statement: TextRange,
}

/// The keywords of a construct in text order: the first opens it, the last closes it if it is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Construct {
    pub words: Vec<Word>,
    /// The index of the requested keyword.
    pub at: usize,
}

impl Construct {
    /// The target of a navigation from the requested keyword: the opening keyword, or the closing one if the
    /// request is at the opening one.
    pub fn counterpart(&self) -> Option<Word> {
        let other = if self.at == 0 { self.words.len() - 1 } else { 0 };
        (other != self.at).then(|| self.words[other])
    }
}
