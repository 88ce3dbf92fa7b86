//! The tree of an edited item from the tree before the edit.
//!
//! Only a chunk of a long body can be parsed alone: its parse follows from its own text, because a chunk
//! starts where a statement and a line start and ends where a statement ends. Whatever could look past
//! that (a brace or comment that stays open, an edit at the chunk's edge) gives up, and the caller parses
//! everything.

use memchr::memmem;
use rowan::{GreenNode, NodeOrToken, TextRange, TextSize};

use crate::chunks::CHUNKED_FROM;
use crate::parser::Parser;
use crate::ptx::{grammar, lexer};
use crate::{Language, Parse, SyntaxError, SyntaxKind, SyntaxNode, T, builder, wave};

/// The new tree, or nothing if the whole item has to be parsed.
pub(crate) fn reparse(language: Language, old: &Parse, old_text: &str, text: &str) -> Option<Parse> {
    let long = old_text.len().min(text.len()) > CHUNKED_FROM;
    if !long || usize::from(old.green().text_len()) != old_text.len() {
        return None;
    }
    let changed = changed(old_text, text);
    if changed.is_empty() && old_text.len() == text.len() {
        return Some(old.clone());
    }
    let chunk = enclosing_chunk(&old.syntax(), changed)?;

    let range = chunk.text_range();
    let delta = text.len() as i64 - old_text.len() as i64;
    let start = usize::from(range.start());
    let end = (usize::from(range.end()) as i64 + delta) as usize;
    let new_text = &text[start..end];
    let (green, errors) = match language {
        Language::Ptx => {
            let is_last = is_last(&chunk)?;
            let after_change = (usize::from(changed.end()) as i64 + delta) as usize;
            let inserted = &text.as_bytes()[usize::from(changed.start()) - 1..=after_change];
            if memmem::find(inserted, b"*/").is_some() {
                // It may close a comment that was open before the chunk.
                return None;
            }
            parse_chunk(new_text, is_last)?
        }
        Language::Wave => parse_wave_chunk(new_text, chunk.next_sibling().is_none())?,
    };
    Some(Parse::new(chunk.replace_with(green), merge(old.errors(), range, delta, errors)))
}

/// The part of the old text that is not in the new one, between what both begin and end with.
fn changed(old: &str, new: &str) -> TextRange {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let mut before = common_prefix(old, new);
    let room = old.len().min(new.len()) - before;
    let mut after = common_suffix(&old[old.len() - room..], &new[new.len() - room..]);
    // Characters are not cut: a byte that continues one belongs to the change.
    let continues = |bytes: &[u8], at: usize| bytes.get(at).is_some_and(|byte| (byte & 0xc0) == 0x80);
    while before > 0 && (continues(old, before) || continues(new, before)) {
        before -= 1;
    }
    while after > 0 && continues(old, old.len() - after) {
        after -= 1;
    }
    TextRange::new(TextSize::new(before as u32), TextSize::new((old.len() - after) as u32))
}

/// How many bytes both begin with; found in blocks, because the texts are long and nearly equal.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes both end with; they are equally long.
fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks =
        a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let (a, b) = (&a[..a.len() - blocks], &b[..b.len() - blocks]);
    blocks + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

const BLOCK: usize = 256;

/// The chunk that has the change strictly inside.
fn enclosing_chunk(root: &SyntaxNode, changed: TextRange) -> Option<SyntaxNode> {
    let (start, end) = (changed.start(), changed.end());
    let mut node = root.clone();
    loop {
        let child = node.child_or_token_at_range(changed)?.into_node()?;
        let range = child.text_range();
        if child.kind() == SyntaxKind::CHUNK {
            return (range.start() < start && end < range.end()).then_some(child);
        }
        node = child;
    }
}

/// Whether it is the last chunk of its body; nothing if what surrounds it could say more than its text does.
fn is_last(chunk: &SyntaxNode) -> Option<bool> {
    let quiet = |element: &NodeOrToken<SyntaxNode, crate::SyntaxToken>| match element.kind() {
        SyntaxKind::COMMENT => {
            let text = element.as_token().map_or("", |token| token.text());
            text.starts_with("//") || text.len() > 3 && text.ends_with("*/")
        }
        kind => kind != T![error_token],
    };
    let mut before = chunk.clone().prev_sibling_or_token();
    while let Some(NodeOrToken::Token(token)) = before {
        before = token.prev_sibling_or_token();
        if !quiet(&NodeOrToken::Token(token)) {
            return None;
        }
    }
    if chunk.next_sibling().is_some_and(|next| next.kind() == SyntaxKind::CHUNK) {
        return Some(false);
    }
    let closed = chunk.parent()?.last_token().is_some_and(|token| token.kind() == T!['}']);
    closed.then_some(true)
}

/// The chunk's tree and errors, if its text is one chunk that ends in itself.
fn parse_chunk(text: &str, is_last: bool) -> Option<(GreenNode, Vec<SyntaxError>)> {
    let lexed = lexer::lex(text);
    if lexed.open_comment {
        // It may be closed after the chunk.
        return None;
    }
    let mut parser = Parser::new(text, &lexed);
    let whole = grammar::lone_chunk(&mut parser, is_last);
    let (events, found) = parser.finish();
    let mut errors = lexed.errors.clone();
    errors.extend(found);
    errors.sort_by_key(|error| error.range.start());
    let green = builder::build(text, &lexed, events);
    (whole && is_closed(&green)).then_some((green, errors))
}

/// The tree and errors of a chunk of a WAVE kernel. Nothing in that language goes over the end of its line, so only what the
/// chunk's last line may have open has to be feared: a comment (then the chunk ends with trivia) or a string.
fn parse_wave_chunk(text: &str, is_last: bool) -> Option<(GreenNode, Vec<SyntaxError>)> {
    if text.lines().next_back()?.contains(['"', '\'']) {
        return None;
    }
    let lexed = wave::lexer::lex(text);
    let mut parser = Parser::new(text, &lexed);
    let whole = wave::grammar::lone_chunk(&mut parser, is_last);
    let (events, found) = parser.finish();
    let mut errors = lexed.errors.clone();
    errors.extend(found);
    errors.sort_by_key(|error| error.range.start());
    let green = builder::build(text, &lexed, events);
    let is_node = |child: Option<NodeOrToken<_, _>>| matches!(child, Some(NodeOrToken::Node(_)));
    (whole && is_node(green.children().next()) && is_node(green.children().last())).then_some((green, errors))
}

/// Whether it starts with a statement, and the last one ends with its own `;` or `}`, so that no text around could
/// belong to it.
fn is_closed(chunk: &GreenNode) -> bool {
    let Some(NodeOrToken::Node(_)) = chunk.children().next() else { return false };
    let Some(NodeOrToken::Node(statement)) = chunk.children().last() else { return false };
    let last = statement.children().last().and_then(NodeOrToken::into_token);
    let is_block = statement.kind() == SyntaxKind::BLOCK.into();
    let close = if is_block { T!['}'] } else { T![;] };
    last.is_some_and(|token| token.kind() == close.into())
}

/// The errors outside of the old chunk at their new places, and those of the new chunk.
fn merge(old: &[SyntaxError], chunk: TextRange, delta: i64, new: Vec<SyntaxError>) -> Vec<SyntaxError> {
    let before = old.iter().take_while(|error| error.range.start() < chunk.start()).cloned();
    let inside = new.into_iter().map(|error| SyntaxError { range: error.range + chunk.start(), ..error });
    let moved = |offset: TextSize| TextSize::new((i64::from(u32::from(offset)) + delta) as u32);
    let after = old.iter().skip_while(|error| error.range.start() < chunk.end()).map(|error| SyntaxError {
        range: TextRange::new(moved(error.range.start()), moved(error.range.end())),
        ..error.clone()
    });
    before.chain(inside).chain(after).collect()
}
