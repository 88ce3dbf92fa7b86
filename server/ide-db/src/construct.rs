//! Words that make one construct, such as an `if` with its `else` and `endif`.

use text_size::TextRange;

/// A keyword of a construct, relative to the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The range of the keyword.
    pub focus: TextRange,
    /// The range of its statement.
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
    /// The target of a navigation: the keyword that opens the construct, and from there the one that closes it.
    pub fn counterpart(&self) -> Option<Word> {
        let other = if self.at == 0 { self.words.len() - 1 } else { 0 };
        (other != self.at).then(|| self.words[other])
    }
}
