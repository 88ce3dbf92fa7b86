//! The tree of an edited item from the tree before the edit.
//!
//! Only a chunk of a long body can be parsed alone: its parse follows from its own text, because a chunk
//! starts where a statement and a line start and ends where a statement ends. Whatever could look past
//! that (a brace or comment that stays open, an edit at the chunk's edge) gives up, and the caller parses
//! everything.

use memchr::memmem;
use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};

use crate::chunks::CHUNKED_FROM;
use crate::lexed::Lexed;
use crate::parse::in_order;
use crate::parser::Parser;
use crate::ptx::{grammar, lexer};
use crate::tree::{Node, Token, Tree};
use crate::{Language, Parse, SyntaxError, SyntaxKind, T, green, wave};

/// The new tree, or nothing if the whole item has to be parsed.
pub(crate) fn reparse(language: Language, old: &Parse, text: &str) -> Option<Parse> {
    let old_text = old.text();
    if old_text.len().min(text.len()) <= CHUNKED_FROM {
        return None;
    }
    let changed = changed(old_text, text);
    if changed.is_empty() && old_text.len() == text.len() {
        return Some(old.clone());
    }
    let chunk = Chunk::around(old.root(), changed)?;

    let range = chunk.node.range();
    let delta = text.len() as i64 - old_text.len() as i64;
    let start = usize::from(range.start());
    let end = (usize::from(range.end()) as i64 + delta) as usize;
    let new_text = &text[start..end];
    let (tree, errors) = match language {
        Language::Ptx => {
            let is_last = chunk.is_closed_last()?;
            let after_change = (usize::from(changed.end()) as i64 + delta) as usize;
            let inserted = &text.as_bytes()[usize::from(changed.start()) - 1..=after_change];
            if memmem::find(inserted, b"*/").is_some() {
                // It may close a comment that was open before the chunk.
                return None;
            }
            parse_chunk(new_text, is_last)?
        }
        Language::Wave => parse_wave_chunk(new_text, chunk.next().is_none())?,
    };
    let places: Vec<usize> = chunk.path.iter().map(|step| step.at).collect();
    let whole = old.tree().with_replaced(&places, &tree, text);
    let parse = Parse::new(whole, merge(old.errors(), range, delta, errors));
    Some(match old.known_green() {
        Some(known) => parse.with_green(with_replaced(known, &chunk.path[1..], green::build(&tree))),
        None => parse,
    })
}

/// The same for rowan's tree: what does not change is shared.
fn with_replaced(node: &GreenNodeData, path: &[Step], new: GreenNode) -> GreenNode {
    let Some((first, rest)) = path.split_first() else { return new };
    let inner = node.children().nth(first.child).and_then(NodeOrToken::into_node);
    let inner = inner.map_or_else(|| new.clone(), |inner| with_replaced(inner, rest, new.clone()));
    node.replace_child(first.child, NodeOrToken::Node(inner))
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
struct Chunk<'a> {
    node: Node<'a>,
    parent: Node<'a>,
    path: Vec<Step>,
}

/// A node on the way from the root to a chunk.
struct Step {
    /// Where it stands in the list of elements.
    at: usize,
    /// Which child of the node around it it is.
    child: usize,
}

impl<'a> Chunk<'a> {
    fn around(root: Node<'a>, changed: TextRange) -> Option<Chunk<'a>> {
        let is_inside = |outer: TextRange| outer.start() < changed.start() && changed.end() < outer.end();
        let mut path = vec![Step { at: 0, child: 0 }];
        let (mut parent, mut node) = (root, root);
        while node.kind() != SyntaxKind::CHUNK {
            parent = node;
            let nodes = node
                .elements()
                .enumerate()
                .filter_map(|(child, element)| Some((child, element.into_node()?)));
            let (child, inner) = nodes.into_iter().find(|(_, inner)| is_inside(inner.range()))?;
            path.push(Step { at: inner.index(), child });
            node = inner;
        }
        Some(Chunk { node, parent, path })
    }

    /// The node after it.
    fn next(&self) -> Option<Node<'a>> {
        self.parent.nodes().find(|node| node.range().start() > self.node.range().start())
    }

    /// Whether it is the last chunk of its body; nothing if what surrounds it could say more than its text does.
    fn is_closed_last(&self) -> Option<bool> {
        let mut is_quiet = true;
        for element in self.parent.elements() {
            match element {
                NodeOrToken::Node(node) if node.range() == self.node.range() => break,
                NodeOrToken::Node(_) => is_quiet = true,
                NodeOrToken::Token(token) => is_quiet &= says_nothing(token),
            }
        }
        if !is_quiet {
            return None;
        }
        if self.next().is_some_and(|next| next.kind() == SyntaxKind::CHUNK) {
            return Some(false);
        }
        (self.parent.last_kind() == Some(T!['}'])).then_some(true)
    }
}

/// Whether a token between chunks has no part in what stands around it.
fn says_nothing(token: Token<'_>) -> bool {
    match token.kind {
        SyntaxKind::COMMENT => {
            token.text.starts_with("//") || token.text.len() > 3 && token.text.ends_with("*/")
        }
        kind => kind != T![error_token],
    }
}

/// The chunk's tree and errors, if its text is one chunk that ends in itself.
fn parse_chunk(text: &str, is_last: bool) -> Option<(Tree, Vec<SyntaxError>)> {
    let lexed = lexer::lex(text);
    if lexed.open_comment {
        // It may be closed after the chunk.
        return None;
    }
    let (tree, errors) = parse_lone(text, lexed, |parser| grammar::lone_chunk(parser, is_last))?;
    is_closed(tree.root()).then_some((tree, errors))
}

/// The tree and errors of a chunk of a WAVE kernel. Nothing in that language goes over the end of its line, so only what the
/// chunk's last line may have open has to be feared: a comment (then the chunk ends with trivia) or a string.
fn parse_wave_chunk(text: &str, is_last: bool) -> Option<(Tree, Vec<SyntaxError>)> {
    if text.lines().next_back()?.contains(['"', '\'']) {
        return None;
    }
    let lexed = wave::lexer::lex(text);
    let (tree, errors) = parse_lone(text, lexed, |parser| wave::grammar::lone_chunk(parser, is_last))?;
    let is_node = |child: Option<NodeOrToken<_, _>>| matches!(child, Some(NodeOrToken::Node(_)));
    let (first, last) = (tree.root().elements().next(), tree.root().elements().last());
    (is_node(first) && is_node(last)).then_some((tree, errors))
}

/// Parses a chunk, if `rule` says that it is one.
fn parse_lone(
    text: &str,
    mut lexed: Lexed,
    rule: impl FnOnce(&mut Parser<'_>) -> bool,
) -> Option<(Tree, Vec<SyntaxError>)> {
    let mut parser = Parser::new(text, &lexed);
    let is_whole = rule(&mut parser);
    let (events, found) = parser.finish();
    let tree = Tree::build(text, &lexed, events);
    is_whole.then(|| (tree, in_order(std::mem::take(&mut lexed.errors), found)))
}

/// Whether it starts with a statement, and the last one ends with its own `;` or `}`, so that no text around could
/// belong to it.
fn is_closed(chunk: Node<'_>) -> bool {
    let Some(NodeOrToken::Node(_)) = chunk.elements().next() else { return false };
    let Some(NodeOrToken::Node(statement)) = chunk.elements().last() else { return false };
    let close = if statement.kind() == SyntaxKind::BLOCK { T!['}'] } else { T![;] };
    matches!(statement.elements().last(), Some(NodeOrToken::Token(last)) if last.kind == close)
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
