//! The tokens of a text: produced by a lexer, read by the parser and the tree builder.

use rowan::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::error::SyntaxError;
use crate::generated::kinds::SyntaxKind;

/// A text cut into tokens, trivia included; they cover it without gaps.
#[derive(Debug, Default)]
pub struct Lexed {
    kinds: Vec<SyntaxKind>,
    /// Where each token ends; it starts where the one before it ends.
    ends: Vec<u32>,
    /// The tokens that the parser sees: their kinds, and their places in `kinds`.
    significant_kinds: Vec<SyntaxKind>,
    significant: Vec<u32>,
    pub(crate) errors: Vec<SyntaxError>,
    /// Whether a block comment has no end in the text.
    pub(crate) open_comment: bool,
}

impl Lexed {
    /// An empty list with the capacity that a text of this length usually needs.
    pub fn with_capacity(text: &str) -> Lexed {
        let tokens = text.len() / 3;
        Lexed {
            kinds: Vec::with_capacity(tokens),
            ends: Vec::with_capacity(tokens),
            significant_kinds: Vec::with_capacity(tokens / 2),
            significant: Vec::with_capacity(tokens / 2),
            errors: Vec::new(),
            open_comment: false,
        }
    }

    /// Adds the token that ends at `end`.
    #[inline]
    pub fn push(&mut self, kind: SyntaxKind, end: usize) {
        if !kind.is_trivia() {
            self.significant_kinds.push(kind);
            self.significant.push(self.kinds.len() as u32);
        }
        self.kinds.push(kind);
        self.ends.push(end as u32);
    }

    /// Adds an error about a part of the text.
    pub fn error(&mut self, start: usize, end: usize, message: impl Into<SmolStr>) {
        let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
        self.errors.push(SyntaxError::new(range, message));
    }

    /// How many tokens there are, trivia included.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The kind of the token at `index`, trivia counted.
    #[inline]
    pub(crate) fn kind(&self, index: usize) -> SyntaxKind {
        self.kinds[index]
    }

    /// Where the token at `index` starts, trivia counted.
    #[inline]
    pub(crate) fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.ends[index - 1] as usize }
    }

    /// Where the token at `index` ends, trivia counted.
    #[inline]
    pub(crate) fn end(&self, index: usize) -> usize {
        self.ends[index] as usize
    }

    /// How many tokens the parser sees.
    pub(crate) fn significant_len(&self) -> usize {
        self.significant.len()
    }

    /// The kind of the `nth` token that the parser sees, `EOF` after the last.
    #[inline]
    pub(crate) fn significant_kind(&self, nth: usize) -> SyntaxKind {
        self.significant_kinds.get(nth).copied().unwrap_or(SyntaxKind::EOF)
    }

    /// The index of the `nth` token that the parser sees among all tokens.
    #[inline]
    pub(crate) fn raw_index(&self, nth: usize) -> usize {
        self.significant[nth] as usize
    }
}
