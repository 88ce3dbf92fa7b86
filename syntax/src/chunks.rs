//! Cuts long bodies into chunks, so that only the edited chunk is parsed again.

use crate::SyntaxKind::{CHUNK, EOF};
use crate::parser::Parser;

/// Items longer than this have the statements of their body grouped into chunks.
pub const CHUNKED_FROM: usize = 64 * 1024;

/// The shortest and the longest chunk. In between, a hash of the text decides where a chunk ends, so that an
/// edit moves only the boundaries of its own chunk.
const LENGTH: std::ops::Range<usize> = 2048..32768;

/// How a language parses the statements of a body.
pub(crate) struct Statements {
    /// Parses a statement, which has at least one token.
    pub(crate) statement: fn(&mut Parser<'_>),
    /// Whether the body ends before the next token.
    pub(crate) at_end: fn(&Parser<'_>) -> bool,
    /// Whether a statement is complete, judged by the end of its text.
    pub(crate) is_complete: fn(text: &str) -> bool,
}

impl Statements {
    /// The statements of a body, in chunks if the item is long.
    pub(crate) fn body(&self, p: &mut Parser<'_>) {
        if p.text_len() > CHUNKED_FROM { self.chunks(p) } else { self.plain(p) }
    }

    /// The statements up to the end of the body.
    pub(crate) fn plain(&self, p: &mut Parser<'_>) {
        while !(self.at_end)(p) {
            (self.statement)(p);
        }
    }

    pub(crate) fn chunks(&self, p: &mut Parser<'_>) {
        while !(self.at_end)(p) {
            let chunk = p.start();
            self.chunk(p);
            chunk.complete(p, CHUNK);
        }
    }

    /// A chunk that is parsed alone, as the root of its tree. Returns whether it is also exactly one chunk inside
    /// its body; only the last chunk may be short.
    pub(crate) fn lone_chunk(&self, p: &mut Parser<'_>, is_last: bool) -> bool {
        let chunk = p.start();
        let is_full = self.chunk(p);
        let is_whole = p.at(EOF) && (is_full || is_last);
        while !p.at(EOF) {
            p.bump();
        }
        chunk.complete(p, CHUNK);
        is_whole
    }

    /// Statements up to the end of the chunk or of the body. Returns whether the chunk is full, which depends on its
    /// own text alone.
    fn chunk(&self, p: &mut Parser<'_>) -> bool {
        let start = usize::from(p.current_range().start());
        while !(self.at_end)(p) {
            (self.statement)(p);
            let text = p.text_before(start);
            if p.nth_starts_line(0) && (self.is_complete)(text) && is_full(text) {
                return true;
            }
        }
        false
    }
}

/// Whether a chunk with this text is complete, given that a statement and a line end with it. It depends on
/// the text alone.
fn is_full(text: &str) -> bool {
    text.len() >= LENGTH.start && (text.len() >= LENGTH.end || ends_by_itself(text))
}

/// True for about one statement in sixty, decided by its last characters.
fn ends_by_itself(text: &str) -> bool {
    let last = &text.as_bytes()[text.len() - 24..];
    let hash = last.iter().fold(0u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash >> 26 == 0
}
