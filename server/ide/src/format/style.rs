//! The style of a language, and the tree walk that applies it.

use text_size::TextRange;
use warplens_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, WalkEvent};

use crate::format::layout::{Gap, Indent, Layout};

/// Determines the gap before each token of an item from the token's node. The walk calls the methods in tree
/// order.
pub trait Style {
    /// Enters a node. Returns whether the gaps outside the node are independent of its tokens.
    fn enter(&mut self, node: &SyntaxNode) -> bool;

    /// Skips the tokens of the node just entered. Returns the indentation of the first one.
    fn skip(&mut self) -> Indent;

    fn leave(&mut self);

    /// The gap before the next token of the innermost node.
    fn gap(&mut self, kind: SyntaxKind, range: TextRange) -> Gap;
}

/// Lays out the nodes of an item that overlap `window`. Calls `pause` periodically in a long body.
pub(crate) fn lay_out(
    style: &mut dyn Style,
    root: &SyntaxNode,
    window: TextRange,
    layout: &mut Layout<'_>,
    pause: impl Fn(),
) {
    let mut events = root.preorder_with_tokens();
    while let Some(event) = events.next() {
        match event {
            WalkEvent::Enter(NodeOrToken::Node(node)) => {
                if node.kind() == SyntaxKind::CHUNK {
                    pause();
                }
                let range = node.text_range();
                if style.enter(&node) && range.intersect(window).is_none() {
                    events.skip_subtree();
                    layout.pass(range, Gap::Line(style.skip()));
                }
            }
            WalkEvent::Leave(NodeOrToken::Node(_)) => style.leave(),
            WalkEvent::Enter(NodeOrToken::Token(token)) => match token.kind() {
                SyntaxKind::WHITESPACE => {}
                kind if kind.is_trivia() => layout.trivia(token.text_range(), kind),
                kind => layout.token(token.text_range(), kind, style.gap(kind, token.text_range())),
            },
            WalkEvent::Leave(NodeOrToken::Token(_)) => {}
        }
    }
    layout.end_item();
}
