//! A cursor over the green tree that knows where it stands. It is two words, and copying it allocates nothing.

use rowan::{GreenNodeData, NodeOrToken};
use text_size::{TextRange, TextSize};
use warplens_syntax::SyntaxKind::{self, COMMENT, LINE_MARK, WHITESPACE};

/// A node and its place in the item.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    green: &'a GreenNodeData,
    start: TextSize,
}

/// A token and its place in the item.
#[derive(Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: SyntaxKind,
    pub(crate) text: &'a str,
    pub(crate) start: TextSize,
}

impl Token<'_> {
    pub(crate) fn range(self) -> TextRange {
        TextRange::at(self.start, TextSize::of(self.text))
    }

    pub(crate) fn is_trivia(self) -> bool {
        matches!(self.kind, WHITESPACE | COMMENT | LINE_MARK)
    }
}

impl<'a> Token<'a> {
    /// The text of a `.word` without its dot.
    pub(crate) fn word(self) -> &'a str {
        self.text.strip_prefix('.').unwrap_or(self.text)
    }
}

impl<'a> Node<'a> {
    pub(crate) fn root(green: &'a GreenNodeData) -> Node<'a> {
        Node { green, start: TextSize::new(0) }
    }

    pub(crate) fn kind(self) -> SyntaxKind {
        SyntaxKind::from_raw(self.green.kind().0)
    }

    /// The text of the node; no node but the item starts or ends with trivia.
    pub(crate) fn range(self) -> TextRange {
        TextRange::at(self.start, self.green.text_len())
    }

    /// Everything directly inside, in order.
    pub(crate) fn elements(self) -> Elements<'a> {
        Elements { inner: self.green.children(), start: self.start }
    }

    /// The nodes directly inside, in order.
    pub(crate) fn nodes(self) -> impl Iterator<Item = Node<'a>> {
        self.elements().filter_map(NodeOrToken::into_node)
    }

    /// The tokens directly inside, in order, without trivia.
    pub(crate) fn tokens(self) -> impl Iterator<Item = Token<'a>> {
        self.elements().filter_map(NodeOrToken::into_token).filter(|token| !token.is_trivia())
    }

    /// The first node of a kind directly inside.
    pub(crate) fn child(self, kind: SyntaxKind) -> Option<Node<'a>> {
        self.nodes().find(|node| node.kind() == kind)
    }

    /// The first token of a kind directly inside.
    pub(crate) fn token(self, kind: SyntaxKind) -> Option<Token<'a>> {
        self.tokens().find(|token| token.kind == kind)
    }
}

/// The children of a node with their places.
#[derive(Clone)]
pub(crate) struct Elements<'a> {
    inner: rowan::Children<'a>,
    start: TextSize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = NodeOrToken<Node<'a>, Token<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.start;
        Some(match self.inner.next()? {
            NodeOrToken::Node(green) => {
                self.start += green.text_len();
                NodeOrToken::Node(Node { green, start })
            }
            NodeOrToken::Token(green) => {
                self.start += green.text_len();
                let kind = SyntaxKind::from_raw(green.kind().0);
                NodeOrToken::Token(Token { kind, text: green.text(), start })
            }
        })
    }
}
