//! The tree of an edited item from the tree before the edit: in a long item only the edited chunk of the body is parsed again, or,
//! where that is not enough, everything from the start of the chunk on.

use std::sync::Arc;

use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};

use crate::chunks::CHUNKED_FROM;
use crate::edited_chunk::{EditedChunk, ParsedChunk, Step};
use crate::error::SyntaxError;
use crate::green;
use crate::language::Language;
use crate::parse::{Parse, parse_shared_item};
use crate::tree::{Node, Tree};

/// Gives the result of [`parse_shared_item`] for `text`, but starts from the parse of an earlier text of the same item where that is
/// faster. If nothing else holds the earlier parse, its memory is reused. `edited` is the range of the earlier text outside of which
/// nothing changed; `None` if it is not known.
pub fn reparse_item(language: Language, old: Parse, text: &Arc<str>, edited: Option<TextRange>) -> Parse {
    match Edit::find(language, &old, text, edited) {
        Some(Edit::Nothing) => old,
        Some(Edit::Chunk { path, tree, errors }) => {
            let green = old.known_green().map(|known| with_replaced(known, &path[1..], green::build(&tree)));
            let path: Vec<usize> = path.iter().map(|step| step.index).collect();
            Parse::new(old.into_tree().replace(&path, &tree, text), errors, green)
        }
        Some(Edit::Rest { around, from, tree, errors }) => {
            Parse::new(old.into_tree().replace_rest(around, from, &tree, text), errors, None)
        }
        None => parse_shared_item(language, text),
    }
}

/// The difference between two trees of an item.
enum Edit {
    Nothing,
    /// The chunk at the end of this path from the root. `errors` has all errors of the item.
    Chunk {
        path: Vec<Step>,
        tree: Tree,
        errors: Vec<SyntaxError>,
    },
    /// Everything from a chunk on: see [`Tree::replace_rest`]. `errors` has all errors of the item.
    Rest {
        around: [(usize, TextSize); 3],
        from: (usize, TextSize),
        tree: Tree,
        errors: Vec<SyntaxError>,
    },
}

impl Edit {
    /// The edit that leads to `text`; `None` if the whole item has to be parsed.
    fn find(language: Language, old: &Parse, text: &str, edited: Option<TextRange>) -> Option<Edit> {
        let parse_chunk = language.parse_chunk?;
        let old_text = old.text();
        if old_text.len().min(text.len()) <= CHUNKED_FROM {
            return None;
        }
        let whole = TextRange::up_to(TextSize::of(old_text));
        let changed = changed_within(old_text, text, edited.unwrap_or(whole));
        if changed.is_empty() && old_text.len() == text.len() {
            return Some(Edit::Nothing);
        }
        if old.root().nodes().nth(1).is_some() {
            // Whether the nodes after the declaration are errors depends on all of them.
            return None;
        }
        let delta = text.len() as i64 - old_text.len() as i64;
        let chunk = EditedChunk::find(old.root(), changed, text, delta)?;
        let Some(ParsedChunk { tree, errors }) = parse_chunk(&chunk) else {
            return Edit::from_chunk(language, old, &chunk);
        };
        let errors = merge(old.errors(), chunk.node.range(), delta, errors);
        Some(Edit::Chunk { path: chunk.path, tree, errors })
    }

    /// The edit that replaces everything from a chunk on.
    fn from_chunk(language: Language, old: &Parse, chunk: &EditedChunk<'_>) -> Option<Edit> {
        let parse_rest = language.parse_rest?;
        let (root, body) = (old.root(), chunk.parent);
        let declaration = root.nodes().next()?;
        let ends_with_body = declaration.elements().last()?.into_node()?.index() == body.index();
        let before = &old.text()[..usize::from(declaration.range().start())];
        if !ends_with_body || !(before.is_empty() || before.ends_with('\n')) {
            return None;
        }
        let start = chunk.node.range().start();
        // The end of the body may have led to an error before the chunk.
        if errors_before(old.errors(), start).any(|error| error.message.starts_with("missing `}`")) {
            return None;
        }
        let ParsedChunk { tree, errors } = parse_rest(chunk)?;
        let errors = errors_before(old.errors(), start).chain(errors_from(errors, start)).collect();
        let position = |node: Node<'_>| (node.index(), node.range().start());
        let around = [position(root), position(declaration), position(body)];
        Some(Edit::Rest { around, from: position(chunk.node), tree, errors })
    }
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
    let before = errors_before(old, chunk.start());
    let inside = errors_from(new, chunk.start());
    let moved = |offset: TextSize| TextSize::new((i64::from(u32::from(offset)) + delta) as u32);
    let after = old.iter().skip_while(|error| error.range.start() < chunk.end()).map(|error| SyntaxError {
        range: TextRange::new(moved(error.range.start()), moved(error.range.end())),
        ..error.clone()
    });
    before.chain(inside).chain(after).collect()
}

/// The errors that start before an offset.
fn errors_before(errors: &[SyntaxError], start: TextSize) -> impl Iterator<Item = SyntaxError> {
    errors.iter().take_while(move |error| error.range.start() < start).cloned()
}

/// The errors of a part of an item that starts at `start`, relative to the item.
fn errors_from(errors: Vec<SyntaxError>, start: TextSize) -> impl Iterator<Item = SyntaxError> {
    errors.into_iter().map(move |error| SyntaxError { range: error.range + start, ..error })
}
