//! Tokens, the same for all hosts, and their brackets.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    /// A string, with its prefix.
    String,
    Char,
    Punctuation(u8),
    /// The body of a macro of C starts. The token is its parameters.
    MacroStart,
    MacroEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn is(&self, punctuation: u8) -> bool {
        self.kind == Kind::Punctuation(punctuation)
    }

    pub(crate) fn text<'t>(&self, source: &'t str) -> &'t str {
        &source[self.start..self.end]
    }
}

/// The work that a file may cause, in proportion to its length: unclosed calls inside each other would take its square.
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn new(length: usize) -> Budget {
        Budget(16 * length + (1 << 16))
    }

    /// Whether the work may still be done.
    pub(crate) fn spend(&mut self, work: impl FnOnce() -> usize) -> bool {
        if self.0 > 0 {
            self.0 = self.0.saturating_sub(work());
        }
        self.0 > 0
    }
}

/// How many brackets are open after a token, if `depth` are open before it.
pub(crate) fn depth_after(token: &Token, depth: usize) -> usize {
    match token.kind {
        Kind::Punctuation(b'(' | b'[' | b'{') => depth + 1,
        Kind::Punctuation(b')' | b']' | b'}') => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The index after the group that opens at `open`.
pub(crate) fn group_end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        depth = depth_after(token, depth);
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// The parts between the separators outside of brackets.
pub(crate) fn parts(tokens: &[Token], separator: u8) -> Vec<&[Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (index, token) in tokens.iter().enumerate() {
        depth = depth_after(token, depth);
        if depth == 0 && token.is(separator) {
            parts.push(&tokens[start..index]);
            start = index + 1;
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// The parts between the commas outside of brackets, except for an empty last one.
pub(crate) fn arguments(tokens: &[Token]) -> Vec<&[Token]> {
    let mut arguments = parts(tokens, b',');
    arguments.pop_if(|last| last.is_empty());
    arguments
}

/// The range of tokens in the text.
pub(crate) fn span(tokens: &[Token]) -> Option<Range<usize>> {
    Some(tokens.first()?.start..tokens.last()?.end)
}

/// A part of the text without white space at its ends.
pub(crate) fn trimmed(source: &str, range: Range<usize>) -> &str {
    source.get(range).unwrap_or_default().trim()
}
