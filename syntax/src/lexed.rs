//! The tokens of a text, written by a lexer and read by the parser and the tree builder.

use rowan::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::error::SyntaxError;
use crate::generated::kinds::SyntaxKind;

/// A text cut into tokens, including trivia. The tokens cover the text without gaps.
#[derive(Debug, Default)]
pub struct Lexed {
    tokens: Vec<LexedToken>,
    /// The tokens that are not trivia, which are the ones the parser sees.
    significant: Vec<Significant>,
    /// Whether a line ends in the trivia after the last significant token.
    line_ended: bool,
    pub(crate) errors: Vec<SyntaxError>,
    /// Whether a block comment never ends.
    pub(crate) open_comment: bool,
}

/// A token. It starts where the previous token ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LexedToken {
    pub(crate) kind: SyntaxKind,
    pub(crate) end: u32,
}

/// A token that is not trivia.
#[derive(Debug, Clone, Copy)]
struct Significant {
    kind: SyntaxKind,
    /// Whether a line ends between the previous significant token and this one.
    starts_line: bool,
    /// The index among all tokens.
    index: u32,
}

impl Lexed {
    /// Creates an empty list with the capacity that a text of this length usually needs.
    pub fn with_capacity(text: &str) -> Lexed {
        let tokens = text.len() / 3;
        Lexed {
            tokens: Vec::with_capacity(tokens),
            significant: Vec::with_capacity(tokens / 2),
            ..Lexed::default()
        }
    }

    #[inline]
    pub fn push(&mut self, kind: SyntaxKind, end: usize) {
        if !kind.is_trivia() {
            let index = self.tokens.len() as u32;
            let starts_line = std::mem::take(&mut self.line_ended);
            self.significant.push(Significant { kind, starts_line, index });
        }
        self.tokens.push(LexedToken { kind, end: end as u32 });
    }

    /// Records that the trivia to be added next contains the end of a line.
    #[inline]
    pub fn end_line(&mut self) {
        self.line_ended = true;
    }

    pub fn error(&mut self, start: usize, end: usize, message: impl Into<SmolStr>) {
        let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
        self.errors.push(SyntaxError::new(range, message));
    }

    #[inline]
    pub(crate) fn tokens(&self) -> &[LexedToken] {
        &self.tokens
    }

    /// Where the token at `index` starts; `index` counts trivia.
    #[inline]
    pub(crate) fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.tokens[index - 1].end as usize }
    }

    /// Where the token at `index` ends; `index` counts trivia.
    #[inline]
    pub(crate) fn end(&self, index: usize) -> usize {
        self.tokens[index].end as usize
    }

    #[inline]
    pub(crate) fn significant_len(&self) -> usize {
        self.significant.len()
    }

    /// The kind of the `nth` significant token, `EOF` after the last.
    #[inline]
    pub(crate) fn significant_kind(&self, nth: usize) -> SyntaxKind {
        self.significant.get(nth).map_or(SyntaxKind::EOF, |token| token.kind)
    }

    /// Whether the `nth` significant token is the first of its line. True at the end of the text.
    #[inline]
    pub(crate) fn starts_line(&self, nth: usize) -> bool {
        nth == 0 || self.significant.get(nth).is_none_or(|token| token.starts_line)
    }

    /// The index of the `nth` significant token among all tokens.
    #[inline]
    pub(crate) fn raw_index(&self, nth: usize) -> usize {
        self.significant[nth].index as usize
    }
}
