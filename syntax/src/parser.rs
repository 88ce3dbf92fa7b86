//! The parser that every grammar drives: it reads tokens without trivia and builds the tree. It is
//! independent of the language.
//!
//! Convention: a rule `foo` produces a node or an error, a rule `opt_foo` may produce nothing. A rule without
//! `opt_` may assume that the next token can start it.

use std::sync::Arc;

use rowan::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::T;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::generated::kinds::SyntaxKind;
use crate::lexed::Lexed;
use crate::tree::{Builder, Tree};

/// The maximum nesting depth of blocks and expressions. Deeper text is kept as plain tokens.
const MAX_DEPTH: u32 = 128;

/// Reads tokens and builds a tree.
pub struct Parser<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    position: usize,
    depth: u32,
    tree: Builder<'t>,
    errors: Vec<SyntaxError>,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, lexed: &'t Lexed) -> Parser<'t> {
        Parser { text, lexed, position: 0, depth: 0, tree: Builder::new(lexed), errors: Vec::new() }
    }

    pub(crate) fn finish(self, text: &Arc<str>) -> (Tree, Vec<SyntaxError>) {
        (self.tree.finish(text), self.errors)
    }

    #[inline]
    pub fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    #[inline]
    pub fn nth(&self, n: usize) -> SyntaxKind {
        self.lexed.significant_kind(self.position + n)
    }

    #[inline]
    pub fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    pub fn at_any(&self, kinds: &[SyntaxKind]) -> bool {
        kinds.contains(&self.current())
    }

    /// The text of the next token, empty at the end.
    pub fn current_text(&self) -> &'t str {
        self.nth_text(0)
    }

    pub fn nth_text(&self, n: usize) -> &'t str {
        let nth = self.position + n;
        if nth < self.lexed.significant_len() { &self.text[self.token_range(nth)] } else { "" }
    }

    /// Whether the text of the token `n` after the next one starts with this byte.
    #[inline]
    pub fn nth_starts_with(&self, n: usize, byte: u8) -> bool {
        let nth = self.position + n;
        nth < self.lexed.significant_len()
            && self.text.as_bytes()[self.lexed.start(self.lexed.raw_index(nth))] == byte
    }

    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// The text from `start` to the end of the previous token.
    pub fn text_before(&self, start: usize) -> &'t str {
        let end = self.position.checked_sub(1).map_or(start, |nth| self.lexed.end(self.lexed.raw_index(nth)));
        &self.text[start..end]
    }

    pub fn previous_text(&self) -> &'t str {
        self.position.checked_sub(1).map_or("", |previous| &self.text[self.token_range(previous)])
    }

    /// Whether the token `n` after the next one is the first of its line.
    #[inline]
    pub fn nth_starts_line(&self, n: usize) -> bool {
        self.lexed.starts_line(self.position + n)
    }

    pub fn first_indentation(&self) -> Option<usize> {
        self.indentation(0)
    }

    /// The `{` that the previous token closes, if that token is a `}` at the start of a line, indented no
    /// more than the item. Judged by its layout, such a `}` closes the item.
    pub fn brace_closed_by_last(&self, item_indentation: Option<usize>) -> Option<TextRange> {
        let last = self.position.checked_sub(1)?;
        if self.lexed.significant_kind(last) != T!['}'] || self.indentation(last)? > item_indentation? {
            return None;
        }
        let mut depth = 0;
        (0..=last).rev().find_map(|nth| {
            match self.lexed.significant_kind(nth) {
                T!['}'] => depth += 1,
                T!['{'] => depth -= 1,
                _ => {}
            }
            (depth == 0).then(|| self.token_range(nth))
        })
    }

    /// The indentation in bytes of a token that starts a line.
    fn indentation(&self, nth: usize) -> Option<usize> {
        let start = self.lexed.start(self.lexed.raw_index(nth));
        let line = &self.text[..start];
        let line = &line[line.rfind(['\n', '\r']).map_or(0, |end| end + 1)..];
        line.bytes().all(|byte| byte == b' ' || byte == b'\t').then_some(line.len())
    }

    /// Whether there is no gap before the token `n` after the next one.
    pub fn nth_is_joint(&self, n: usize) -> bool {
        let nth = self.position + n;
        nth > 0
            && nth < self.lexed.significant_len()
            && self.lexed.raw_index(nth - 1) + 1 == self.lexed.raw_index(nth)
    }

    /// The number of consumed tokens; loops compare it to check that they make progress.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Consumes the next token, of any kind. Does nothing at the end.
    #[inline]
    pub fn bump(&mut self) {
        if self.position < self.lexed.significant_len() {
            self.tree.token(self.lexed.raw_index(self.position));
            self.position += 1;
        }
    }

    /// Consumes the next token if it is of this kind, and returns whether it did.
    #[inline]
    pub fn eat(&mut self, kind: SyntaxKind) -> bool {
        let fits = self.at(kind);
        if fits {
            self.bump();
        }
        fits
    }

    /// Consumes the next token if it is of this kind; otherwise reports an error after the previous token.
    pub fn expect(&mut self, kind: SyntaxKind, message: &'static str) -> bool {
        let fits = self.eat(kind);
        if !fits {
            self.error_after_previous(message);
        }
        fits
    }

    /// Reports an error at the next token, or after the last one at the end.
    pub fn error(&mut self, message: impl Into<SmolStr>) {
        if self.at(SyntaxKind::EOF) {
            return self.error_after_previous(message);
        }
        self.error_at(self.current_range(), message);
    }

    /// Reports an error at the next token even if the lexer has reported one for the previous token.
    pub fn error_of_its_own(&mut self, message: impl Into<SmolStr>) {
        let range = self.current_range();
        if !self.lexer_error_in(range) {
            self.errors.push(SyntaxError::new(range, message));
        }
    }

    /// Reports that something is missing after the previous token. The error points at that token's last
    /// character.
    pub fn error_after_previous(&mut self, message: impl Into<SmolStr>) {
        self.error_at(self.last_of_previous(), message);
    }

    /// Like [`Self::error_after_previous`], for languages in which a statement ends with its line: a lexer
    /// error in a token on the next line does not suppress it.
    pub fn error_at_line_end(&mut self, message: impl Into<SmolStr>) {
        let range = self.last_of_previous();
        if !self.nth_starts_line(0) {
            self.error_at(range, message);
        } else if !self.lexer_error_in(range) {
            self.errors.push(SyntaxError::new(range, message));
        }
    }

    /// The last character of the previous token. At the start it is the first token, or the whole text if there
    /// are no tokens.
    fn last_of_previous(&self) -> TextRange {
        match self.position.checked_sub(1) {
            Some(previous) => {
                let range = self.token_range(previous);
                let last = self.text[range].chars().next_back().map_or(0, char::len_utf8);
                TextRange::new(range.end() - TextSize::new(last as u32), range.end())
            }
            None if self.lexed.significant_len() > 0 => self.token_range(0),
            None => TextRange::up_to(TextSize::of(self.text)),
        }
    }

    /// Reports an error in `range`, unless the lexer has already reported one between the previous token and
    /// the next.
    pub fn error_at(&mut self, range: TextRange, message: impl Into<SmolStr>) {
        if !self.lexed.errors.is_empty() && self.lexer_error_here() {
            return;
        }
        self.errors.push(SyntaxError::new(range, message));
    }

    fn lexer_error_here(&self) -> bool {
        let start = self.position.checked_sub(1).map_or(0, |nth| self.lexed.start(self.lexed.raw_index(nth)));
        self.lexer_error_in(TextRange::new(TextSize::new(start as u32), self.current_range().end()))
    }

    fn lexer_error_in(&self, here: TextRange) -> bool {
        // The lexer's errors are in text order and do not overlap.
        let next = self.lexed.errors.partition_point(|error| error.range.end() <= here.start());
        self.lexed.errors.get(next).is_some_and(|error| error.range.start() < here.end())
    }

    pub fn current_range(&self) -> TextRange {
        if self.position < self.lexed.significant_len() {
            self.token_range(self.position)
        } else {
            TextRange::empty(TextSize::of(self.text))
        }
    }

    fn token_range(&self, nth: usize) -> TextRange {
        let index = self.lexed.raw_index(nth);
        TextRange::new(
            TextSize::new(self.lexed.start(index) as u32),
            TextSize::new(self.lexed.end(index) as u32),
        )
    }

    pub fn error_count(&self) -> usize {
        self.errors.len()
    }

    pub fn last_error_is(&mut self, kind: SyntaxErrorKind) {
        if let Some(error) = self.errors.last_mut() {
            error.kind = kind;
        }
    }

    /// Keeps the first `count` errors and drops the others, which are consequences of an earlier one.
    pub fn truncate_errors(&mut self, count: usize) {
        self.errors.truncate(count);
    }

    #[inline]
    pub fn start(&mut self) -> Marker {
        Marker { at: self.tree.start() }
    }

    /// Enters a nesting level, if the limit allows it; [`Parser::leave`] leaves it.
    pub fn enter(&mut self) -> bool {
        let allowed = self.depth < MAX_DEPTH;
        if allowed {
            self.depth += 1;
        }
        allowed
    }

    /// Leaves the level that a successful [`Parser::enter`] entered.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// A node that has started; it must be completed or abandoned.
pub struct Marker {
    at: u32,
}

impl Marker {
    /// Ends the node after the previous token and sets its kind.
    #[inline]
    pub fn complete(self, p: &mut Parser<'_>, kind: SyntaxKind) -> CompletedMarker {
        p.tree.end(self.at, kind);
        CompletedMarker { at: self.at, kind }
    }

    /// Discards the node and moves its children to its parent.
    pub fn abandon(self, p: &mut Parser<'_>) {
        p.tree.take_back(self.at);
    }
}

/// A node that has ended.
#[derive(Clone, Copy)]
pub struct CompletedMarker {
    at: u32,
    kind: SyntaxKind,
}

impl CompletedMarker {
    /// Starts a node around this one. No node that started later may be open.
    pub fn precede(self, p: &mut Parser<'_>) -> Marker {
        p.tree.start_around(self.at);
        Marker { at: self.at }
    }

    pub fn kind(self) -> SyntaxKind {
        self.kind
    }
}
