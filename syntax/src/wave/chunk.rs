//! Parses one chunk of a kernel alone. No token continues on the next line, so only the chunk's last line may
//! leave something open: a comment (then the chunk ends with trivia) or a string.

use super::{grammar, lexer};
use crate::edited_chunk::{EditedChunk, ParsedChunk};

/// Parses the chunk, if its text is exactly one chunk and no surrounding text can become part of it.
pub(super) fn parse(chunk: &EditedChunk<'_>) -> Option<ParsedChunk> {
    if chunk.text.lines().next_back()?.contains(['"', '\'']) {
        return None;
    }
    let is_last = chunk.next().is_none();
    chunk.parse(lexer::lex(chunk.text), |parser| grammar::STATEMENTS.lone_chunk(parser, is_last))
}
