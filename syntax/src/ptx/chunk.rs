//! Parses one chunk of a function body alone, which fails if an open block comment or brace may reach past
//! it.

use memchr::memmem;
use rowan::NodeOrToken;

use super::{grammar, lexer};
use crate::T;
use crate::edited_chunk::{EditedChunk, ParsedChunk};
use crate::generated::kinds::SyntaxKind;
use crate::tree::{Node, Token};

/// Parses the chunk, if its text is exactly one chunk and no surrounding text can become part of it.
pub(super) fn parse(chunk: &EditedChunk<'_>) -> Option<ParsedChunk> {
    let is_last = is_closed_last(chunk).filter(|_| is_independent(chunk))?;
    if memmem::find(chunk.inserted, b"*/").is_some() {
        // It may close a comment that opens before the chunk.
        return None;
    }
    let lexed = lexer::lex(chunk.text);
    if lexed.open_comment && memmem::find(&chunk.tail.as_bytes()[chunk.text.len()..], b"*/").is_some() {
        // The comment ends after the chunk.
        return None;
    }
    chunk
        .parse(lexed, |parser| grammar::STATEMENTS.lone_chunk(parser, is_last))
        .filter(|parsed| is_closed(parsed.tree.root()))
}

/// Whether the chunk is the last one of its body. `None` if the body is not closed or something other than
/// `}` follows.
fn is_closed_last(chunk: &EditedChunk<'_>) -> Option<bool> {
    if chunk.next().is_some_and(|next| next.kind() == SyntaxKind::CHUNK) {
        return Some(false);
    }
    // The last brace of the text may close a block in the chunk while the body has none.
    let last = chunk.parent.elements().last().and_then(NodeOrToken::into_token);
    last.is_some_and(|last| last.kind == T!['}']).then_some(true)
}

/// Whether the tokens between the previous chunk and this one cannot continue in this one.
fn is_independent(chunk: &EditedChunk<'_>) -> bool {
    let mut is_independent = true;
    for element in chunk.parent.elements() {
        match element {
            NodeOrToken::Node(node) if node.range() == chunk.node.range() => break,
            NodeOrToken::Node(_) => is_independent = true,
            NodeOrToken::Token(token) => is_independent &= is_complete(token),
        }
    }
    is_independent
}

/// Whether a token between chunks cannot continue in the text after it.
fn is_complete(token: Token<'_>) -> bool {
    match token.kind {
        SyntaxKind::COMMENT => {
            token.text.starts_with("//") || token.text.len() > 3 && token.text.ends_with("*/")
        }
        kind => kind != T![error_token],
    }
}

/// Whether the last statement ends with its own `;` or `}`.
fn is_closed(chunk: Node<'_>) -> bool {
    let Some(NodeOrToken::Node(statement)) = chunk.elements().last() else { return false };
    let close = if statement.kind() == SyntaxKind::BLOCK { T!['}'] } else { T![;] };
    matches!(statement.elements().last(), Some(NodeOrToken::Token(last)) if last.kind == close)
}
