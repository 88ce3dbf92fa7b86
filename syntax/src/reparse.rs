//! The tree of an edited item from the tree before the edit: in a long item only the edited chunk of the body is parsed again.

use std::sync::Arc;

use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};

use crate::chunks::CHUNKED_FROM;
use crate::edited_chunk::{EditedChunk, ParsedChunk, Step};
use crate::error::SyntaxError;
use crate::green;
use crate::language::Language;
use crate::parse::{Parse, parse_shared_item};

/// Gives the result of [`parse_shared_item`] for `text`, but starts from the parse of an earlier text of the same item where that is
/// faster. If nothing else holds the earlier parse, its memory is reused. `edited` is the range of the earlier text outside of which
/// nothing changed; `None` if it is not known.
pub fn reparse_item(language: Language, old: Parse, text: &Arc<str>, edited: Option<TextRange>) -> Parse {
    if old.text() == &**text {
        return old;
    }
    let Some((path, ParsedChunk { tree, errors })) = reparse_chunk(language, &old, text, edited) else {
        return parse_shared_item(language, text);
    };
    let green = old.known_green().map(|known| with_replaced(known, &path[1..], green::build(&tree)));
    let path: Vec<usize> = path.iter().map(|step| step.index).collect();
    Parse::new(old.into_tree().replace(&path, &tree, text), errors, green)
}

/// The path from the root to the edited chunk, with the new tree of the chunk and all errors of the item; `None` if the whole item has
/// to be parsed.
fn reparse_chunk(
    language: Language,
    old: &Parse,
    text: &str,
    edited: Option<TextRange>,
) -> Option<(Vec<Step>, ParsedChunk)> {
    let parse_chunk = language.parse_chunk?;
    let old_text = old.text();
    // Whether nodes after the declaration are errors depends on all of them.
    if old_text.len().min(text.len()) <= CHUNKED_FROM || old.root().nodes().nth(1).is_some() {
        return None;
    }
    let whole = TextRange::up_to(TextSize::of(old_text));
    let changed = changed_within(old_text, text, edited.unwrap_or(whole));
    let delta = text.len() as i64 - old_text.len() as i64;
    let chunk = EditedChunk::find(old.root(), changed, text, delta)?;
    let mut parsed = parse_chunk(&chunk)?;
    parsed.errors = merge(old.errors(), chunk.node.range(), delta, parsed.errors);
    Some((chunk.path, parsed))
}

/// Replaces a node of rowan's tree; the unchanged nodes are shared.
fn with_replaced(node: &GreenNodeData, path: &[Step], new: GreenNode) -> GreenNode {
    let Some((first, rest)) = path.split_first() else { return new };
    let inner = node.children().nth(first.child).and_then(NodeOrToken::into_node);
    let inner = inner.map_or_else(|| new.clone(), |inner| with_replaced(inner, rest, new.clone()));
    node.replace_child(first.child, NodeOrToken::Node(inner))
}

/// [`changed`], where all changes are known to be in a range of the old text.
fn changed_within(old: &str, new: &str, edited: TextRange) -> TextRange {
    let (start, after) = (usize::from(edited.start()), old.len() - usize::from(edited.end()));
    changed(&old[edited], &new[start..new.len() - after]) + edited.start()
}

/// The part of the old text between the common prefix and the common suffix of both texts.
fn changed(old: &str, new: &str) -> TextRange {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let mut before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old[before..].iter().rev().zip(new[before..].iter().rev());
    let mut after = rest.take_while(|(old, new)| old == new).count();
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

/// The errors outside of the old chunk, moved to their new offsets, and the errors of the new chunk.
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
