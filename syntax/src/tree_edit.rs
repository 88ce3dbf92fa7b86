//! What an edit changed in the tree of a long item, so that what is known of the rest is kept.

use rowan::{NodeOrToken, TextRange, TextSize};

use crate::SyntaxKind::{self, BLOCK, LABEL};
use crate::tree::Node;

/// The difference between the trees of an item before and after an edit. All else is the same; what follows only moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEdit {
    /// The replaced part before the edit. Not empty.
    pub old: TextRange,
    /// The same after the edit. It starts at the same place.
    pub new: TextRange,
    /// What was replaced.
    pub replaced: Replaced,
}

/// A part of an item that an edit replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    /// The name that the item declares.
    Name,
    /// Statements in a row, of these kinds before the edit, with the white space around them: from the end of the statement before them
    /// to the start of the statement after them.
    Statements(Box<[SyntaxKind]>),
}

impl TreeEdit {
    /// The place after the edit of what is outside of the replaced part.
    #[inline]
    pub fn offset(&self, offset: TextSize) -> TextSize {
        if offset < self.old.end() { offset } else { offset - self.old.end() + self.new.end() }
    }

    /// The same of a range.
    #[inline]
    pub fn range(&self, range: TextRange) -> TextRange {
        TextRange::new(self.offset(range.start()), self.offset(range.end()))
    }

    /// The statements that differ between a node before the edit, and the same node of a tree of its own after it. `changed` is the
    /// part of the old text that was edited, which is now `delta` bytes longer; it lies strictly inside the node.
    pub(crate) fn of_statements(
        mut old: Node<'_>,
        mut new: Node<'_>,
        changed: TextRange,
        delta: i64,
    ) -> Option<TreeEdit> {
        let base = old.range().start();
        let changed = changed - base;
        loop {
            let (before, after): (Vec<Node<'_>>, Vec<Node<'_>>) =
                (old.nodes().collect(), new.nodes().collect());
            let first = before
                .iter()
                .zip(&after)
                .take_while(|(old, new)| (old.range() - base).end() <= changed.start() && old.is_like(**new))
                .count();
            let last = before[first..]
                .iter()
                .rev()
                .zip(after[first..].iter().rev())
                .take_while(|(old, new)| (old.range() - base).start() >= changed.end() && old.is_like(**new))
                .count();
            // A statement without an end has errors that depend on the one after it.
            let first = before[..first].iter().rposition(|node| is_closed(*node)).map_or(0, |last| last + 1);
            let is_open =
                |nodes: &[Node<'_>]| nodes[..nodes.len() - last].last().is_some_and(|node| !is_closed(*node));
            let last = if is_open(&before) || is_open(&after) { last.saturating_sub(1) } else { last };
            let (replaced, inserted) =
                (&before[first..before.len() - last], &after[first..after.len() - last]);
            if let ([old_block], [new_block]) = (replaced, inserted)
                && is_closed_block(*old_block)
                && is_closed_block(*new_block)
                && (old_block.range() - base).start() < changed.start()
                && changed.end() < (old_block.range() - base).end()
            {
                (old, new) = (*old_block, *new_block);
                continue;
            }
            let inner = inside(old) - base;
            let start = first.checked_sub(1).map_or(inner.start(), |at| (before[at].range() - base).end());
            let after_them = before.get(before.len() - last);
            let end = after_them.map_or(inner.end(), |node| (node.range() - base).start());
            let range = TextRange::new(start, end);
            // A place between two statements without a space belongs to both.
            if range.is_empty() || !range.contains_range(changed) {
                return None;
            }
            let moved = TextSize::new((i64::from(u32::from(end)) + delta) as u32);
            let replaced = replaced.iter().map(|node| node.kind()).collect();
            return Some(TreeEdit {
                old: range + base,
                new: TextRange::new(start, moved) + base,
                replaced: Replaced::Statements(replaced),
            });
        }
    }
}

/// Whether a statement ends with its own `;` or `}`, or is a label.
fn is_closed(node: Node<'_>) -> bool {
    node.kind() == LABEL || matches!(node.last_kind(), Some(SyntaxKind::SEMICOLON | SyntaxKind::R_BRACE))
}

/// Whether it is a block whose braces are both there.
fn is_closed_block(node: Node<'_>) -> bool {
    node.kind() == BLOCK && node.last_kind() == Some(SyntaxKind::R_BRACE)
}

/// The range of what lies between the braces of a block, or of a whole chunk.
fn inside(node: Node<'_>) -> TextRange {
    let range = node.range();
    if node.kind() != BLOCK {
        return range;
    }
    let open = node.elements().next().and_then(NodeOrToken::into_token);
    let start = open.map_or(range.start(), |open| open.range().end());
    TextRange::new(start, range.end() - TextSize::new(1))
}
