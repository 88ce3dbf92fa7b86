//! The tokens of a text: produced by a lexer, read by the parser and the tree builder.

use rowan::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::error::SyntaxError;
use crate::generated::kinds::SyntaxKind;

/// A text cut into tokens, trivia included; they cover it without gaps.
#[derive(Debug, Default)]
pub struct Lexed {
    tokens: Vec<LexedToken>,
    /// The tokens that the parser sees.
    significant: Vec<Significant>,
    /// Whether the trivia after the last token that the parser sees contains the end of a line.
    line_ended: bool,
    pub(crate) errors: Vec<SyntaxError>,
    /// Whether a block comment has no end in the text.
    pub(crate) open_comment: bool,
}

/// A token: it starts where the one before it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LexedToken {
    pub(crate) kind: SyntaxKind,
    pub(crate) end: u32,
}

/// A token that the parser sees.
#[derive(Debug, Clone, Copy)]
struct Significant {
    kind: SyntaxKind,
    /// Whether there is the end of a line between the token before it and this one.
    starts_line: bool,
    /// Its place among all tokens.
    index: u32,
}

impl Lexed {
    /// An empty list with the capacity that a text of this length usually needs.
    pub fn with_capacity(text: &str) -> Lexed {
        let tokens = text.len() / 3;
        Lexed {
            tokens: Vec::with_capacity(tokens),
            significant: Vec::with_capacity(tokens / 2),
            ..Lexed::default()
        }
    }

    /// The kinds of the tokens that the parser sees, in order.
    pub(crate) fn significant_kinds(&self) -> impl Iterator<Item = SyntaxKind> {
        self.significant.iter().map(|token| token.kind)
    }

    /// Adds the token that ends at `end`.
    #[inline]
    pub fn push(&mut self, kind: SyntaxKind, end: usize) {
        if !kind.is_trivia() {
            let index = self.tokens.len() as u32;
            let starts_line = std::mem::take(&mut self.line_ended);
            self.significant.push(Significant { kind, starts_line, index });
        }
        self.tokens.push(LexedToken { kind, end: end as u32 });
    }

    /// Notes that the trivia that is added next contains the end of a line.
    #[inline]
    pub fn end_line(&mut self) {
        self.line_ended = true;
    }

    /// Adds an error about a part of the text.
    pub fn error(&mut self, start: usize, end: usize, message: impl Into<SmolStr>) {
        let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
        self.errors.push(SyntaxError::new(range, message));
    }

    /// All tokens.
    #[inline]
    pub(crate) fn tokens(&self) -> &[LexedToken] {
        &self.tokens
    }

    /// Where the token at `index` starts, trivia counted.
    #[inline]
    pub(crate) fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.tokens[index - 1].end as usize }
    }

    /// Where the token at `index` ends, trivia counted.
    #[inline]
    pub(crate) fn end(&self, index: usize) -> usize {
        self.tokens[index].end as usize
    }

    /// How many tokens the parser sees.
    #[inline]
    pub(crate) fn significant_len(&self) -> usize {
        self.significant.len()
    }

    /// The kind of the `nth` token that the parser sees, `EOF` after the last.
    #[inline]
    pub(crate) fn significant_kind(&self, nth: usize) -> SyntaxKind {
        self.significant.get(nth).map_or(SyntaxKind::EOF, |token| token.kind)
    }

    /// Whether the `nth` token that the parser sees is the first of its line, or the end of the text.
    #[inline]
    pub(crate) fn starts_line(&self, nth: usize) -> bool {
        nth == 0 || self.significant.get(nth).is_none_or(|token| token.starts_line)
    }

    /// The index of the `nth` token that the parser sees among all tokens.
    #[inline]
    pub(crate) fn raw_index(&self, nth: usize) -> usize {
        self.significant[nth].index as usize
    }
}
