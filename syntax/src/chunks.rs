//! How long bodies are cut into chunks, so that only the chunk with the edit is parsed again,
//! and how the statements of chunks are read.

use crate::ast::AstNode;
use crate::{SyntaxKind, SyntaxNode};

/// The length of an item from which the statements of its body are grouped into chunks.
pub const CHUNKED_FROM: usize = 64 * 1024;

/// How long chunks are. Between these lengths the text itself decides, so that an edit moves only the boundaries
/// of its own chunk.
const LENGTH: std::ops::Range<usize> = 2048..32768;

/// Whether a chunk with this text ends with it, if a statement and a line do. It follows from the text alone.
pub(crate) fn is_full(text: &str) -> bool {
    text.len() >= LENGTH.start && (text.len() >= LENGTH.end || ends_by_itself(text))
}

/// True for about one statement in sixty; only its last characters decide.
fn ends_by_itself(text: &str) -> bool {
    let last = &text.as_bytes()[text.len() - 24..];
    let hash = last.iter().fold(0u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash >> 26 == 0
}

/// The statements of a body in order, those in chunks included.
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
