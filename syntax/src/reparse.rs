//! The tree of an edited item from the tree before the edit: in a long body only the chunk that changed is parsed.

use std::sync::Arc;

use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};

use crate::chunks::CHUNKED_FROM;
use crate::edited_chunk::{EditedChunk, ParsedChunk, Step};
use crate::error::SyntaxError;
use crate::green;
use crate::language::Language;
use crate::parse::{Parse, parse_shared_item};

/// The result of [`parse_shared_item`] for `text`, made from the parse of an earlier text of the same item where that is faster.
pub fn reparse_item(language: Language, old: &Parse, text: &Arc<str>) -> Parse {
    reparse(language, old, text).unwrap_or_else(|| parse_shared_item(language, text))
}

/// The new tree, or nothing if the whole item has to be parsed.
fn reparse(language: Language, old: &Parse, text: &Arc<str>) -> Option<Parse> {
    let parse_chunk = language.parse_chunk?;
    let old_text = old.text();
    if old_text.len().min(text.len()) <= CHUNKED_FROM {
        return None;
    }
    let changed = changed(old_text, text);
    if changed.is_empty() && old_text.len() == text.len() {
        return Some(old.clone());
    }
    let delta = text.len() as i64 - old_text.len() as i64;
    let chunk = EditedChunk::find(old.root(), changed, text, delta)?;
    let ParsedChunk { tree, errors } = parse_chunk(&chunk)?;
    let path: Vec<usize> = chunk.path.iter().map(|step| step.index).collect();
    let whole = old.tree().with_replaced(&path, &tree, text);
    let parse = Parse::new(whole, merge(old.errors(), chunk.node.range(), delta, errors));
    Some(match old.known_green() {
        Some(known) => parse.with_green(with_replaced(known, &chunk.path[1..], green::build(&tree))),
        None => parse,
    })
}

/// The same for rowan's tree: unchanged nodes are shared.
fn with_replaced(node: &GreenNodeData, path: &[Step], new: GreenNode) -> GreenNode {
    let Some((first, rest)) = path.split_first() else { return new };
    let inner = node.children().nth(first.child).and_then(NodeOrToken::into_node);
    let inner = inner.map_or_else(|| new.clone(), |inner| with_replaced(inner, rest, new.clone()));
    node.replace_child(first.child, NodeOrToken::Node(inner))
}

/// The part of the old text between the common prefix and the common suffix of both texts.
fn changed(old: &str, new: &str) -> TextRange {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let mut before = common_prefix(old, new);
    let max = old.len().min(new.len()) - before;
    let mut after = common_suffix(&old[old.len() - max..], &new[new.len() - max..]);
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

/// The length of the common prefix; compared in blocks, because the texts are long and nearly equal.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

/// The length of the common suffix of two texts of one length.
fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks =
        a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let (a, b) = (&a[..a.len() - blocks], &b[..b.len() - blocks]);
    blocks + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

const BLOCK: usize = 256;

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
