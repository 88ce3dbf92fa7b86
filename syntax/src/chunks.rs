//! Cuts long bodies into chunks, so that only the edited chunk is parsed again, and reads their statements.

use crate::ast::AstNode;
use crate::{SyntaxKind, SyntaxNode};

/// Items longer than this have the statements of their body grouped into chunks.
pub const CHUNKED_FROM: usize = 64 * 1024;

/// The shortest and the longest chunk. In between, a hash of the text decides where a chunk ends, so that an
/// edit moves only the boundaries of its own chunk.
const LENGTH: std::ops::Range<usize> = 2048..32768;

/// Whether a chunk with this text is complete, given that a statement and a line end with it. It depends on
/// the text alone.
pub(crate) fn is_full(text: &str) -> bool {
    text.len() >= LENGTH.start && (text.len() >= LENGTH.end || ends_by_itself(text))
}

/// True for about one statement in sixty, decided by its last characters.
fn ends_by_itself(text: &str) -> bool {
    let last = &text.as_bytes()[text.len() - 24..];
    let hash = last.iter().fold(0u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash >> 26 == 0
}

/// The statements of a body in order, including those in chunks.
pub(crate) fn statements<S: AstNode>(body: &SyntaxNode) -> impl Iterator<Item = S> + use<S> {
    body.children().flat_map(|child| {
        let (chunk, direct): (Option<SyntaxNode>, _) = match child.kind() {
            SyntaxKind::CHUNK => (Some(child), None),
            _ => (None, S::cast(child)),
        };
        let inside = chunk.into_iter().flat_map(|chunk| chunk.children()).filter_map(S::cast);
        direct.into_iter().chain(inside)
    })
}
