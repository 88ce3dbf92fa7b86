//! The chunk of a long body that an edit changed, and its new tree.
//!
//! Only a chunk can be parsed alone: it starts with a statement and a line and ends with a statement, so its parse depends on its own
//! text only. A language's [`ParseChunk`] rejects a text that may reach past the chunk, such as an open brace. Then the whole item is
//! parsed.

use rowan::{NodeOrToken, TextRange};

use crate::error::{SyntaxError, in_order};
use crate::generated::kinds::SyntaxKind;
use crate::lexed::Lexed;
use crate::parser::Parser;
use crate::tree::{Node, Tree};

/// Parses an edited chunk as an item that has only a body; `None` if the whole item has to be parsed.
pub type ParseChunk = fn(&EditedChunk<'_>) -> Option<ParsedChunk>;

/// A chunk with an edit strictly inside.
pub struct EditedChunk<'a> {
    /// The chunk before the edit, and the node around it.
    pub(crate) node: Node<'a>,
    pub(crate) parent: Node<'a>,
    /// The path from the root to the chunk.
    pub(crate) path: Vec<Step>,
    /// The text of the chunk after the edit.
    pub(crate) text: &'a str,
    /// The text of the item from the chunk on.
    pub(crate) tail: &'a str,
    /// The inserted text with the byte before it and the byte after it.
    pub(crate) inserted: &'a [u8],
}

/// A node on the path from the root to a chunk.
pub(crate) struct Step {
    pub(crate) index: usize,
    /// Its index among the children of its parent.
    pub(crate) child: usize,
}

/// The new tree of a chunk, and the errors relative to its start.
pub struct ParsedChunk {
    pub(crate) tree: Tree,
    pub(crate) errors: Vec<SyntaxError>,
}

impl<'a> EditedChunk<'a> {
    /// The chunk that has `changed`, a range of the old text, strictly inside. `text` is the new text of the item, `delta` bytes longer
    /// than the old one.
    pub(crate) fn find(
        root: Node<'a>,
        changed: TextRange,
        text: &'a str,
        delta: i64,
    ) -> Option<EditedChunk<'a>> {
        let is_inside = |outer: TextRange| outer.start() < changed.start() && changed.end() < outer.end();
        let mut path = vec![Step { index: 0, child: 0 }];
        let (mut parent, mut node) = (root, root);
        while node.kind() != SyntaxKind::CHUNK {
            parent = node;
            let nodes = node
                .elements()
                .enumerate()
                .filter_map(|(child, element)| Some((child, element.into_node()?)));
            let (child, inner) = nodes.into_iter().find(|(_, inner)| is_inside(inner.range()))?;
            path.push(Step { index: inner.index(), child });
            node = inner;
        }
        let end = |range: TextRange| (i64::from(u32::from(range.end())) + delta) as usize;
        let range = node.range();
        let inserted = &text.as_bytes()[usize::from(changed.start()) - 1..=end(changed)];
        let tail = &text[usize::from(range.start())..];
        let text = &tail[..end(range) - usize::from(range.start())];
        Some(EditedChunk { node, parent, path, text, tail, inserted })
    }

    /// The node after the chunk.
    pub(crate) fn next(&self) -> Option<Node<'a>> {
        self.parent.nodes().find(|node| node.range().start() > self.node.range().start())
    }

    /// The new tree, if `rule` accepts the tokens as one whole chunk that starts and ends with a statement.
    pub(crate) fn parse(
        &self,
        mut lexed: Lexed,
        rule: impl FnOnce(&mut Parser<'_>) -> bool,
    ) -> Option<ParsedChunk> {
        let mut parser = Parser::new(self.text, &lexed);
        let is_accepted = rule(&mut parser);
        let (tree, found) = parser.finish(&self.text.into());
        let is_node = |child: Option<NodeOrToken<_, _>>| matches!(child, Some(NodeOrToken::Node(_)));
        let mut elements = tree.root().elements();
        let is_closed = is_node(elements.next()) && is_node(tree.root().elements().last());
        let errors = in_order(std::mem::take(&mut lexed.errors), found);
        (is_accepted && is_closed).then_some(ParsedChunk { tree, errors })
    }
}
