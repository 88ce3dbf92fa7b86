//! The tree of a parse as one list: its nodes and tokens in the order of the text.
//!
//! The list is one allocation, so code that walks a tree from start to end (lowering, most checks)
//! reads it. rowan's tree, with parents and an allocation per node, is built from it on demand: see `green.rs`.
//!
//! Trivia belongs to the outermost possible node: a node starts at its first token and ends at its last, and only the root has trivia
//! around them.

use std::sync::Arc;

use rowan::{NodeOrToken, TextRange, TextSize};

use crate::SyntaxKind::{self, COMMENT, LINE_MARK, TOMBSTONE, WHITESPACE};
use crate::lexed::Lexed;
use crate::parser::Event;

/// The tree of one parse.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    text: Arc<str>,
    elements: Vec<Element>,
    kinds: NodeKinds,
}

/// The kinds of the nodes of a tree, and perhaps more: those of nodes that edits have removed.
#[derive(Debug, Clone, Copy, Default)]
struct NodeKinds([u64; 4]);

impl NodeKinds {
    fn add(&mut self, kind: SyntaxKind) {
        self.0[kind as usize / 64] |= 1 << (kind as usize % 64);
    }

    fn add_all(&mut self, other: NodeKinds) {
        self.0.iter_mut().zip(other.0).for_each(|(kinds, others)| *kinds |= others);
    }

    fn contain(self, kind: SyntaxKind) -> bool {
        self.0[kind as usize / 64] >> (kind as usize % 64) & 1 == 1
    }
}

/// A node or a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) kind: SyntaxKind,
    /// Bytes.
    len: u32,
    /// The elements that a node is: itself and all that lie in it, which follow it. 0 for a token.
    pub(crate) span: u32,
}

impl Tree {
    /// Events and tokens to a tree. `events` hold exactly one outermost node; it gets all trivia.
    pub(crate) fn build(text: &Arc<str>, lexed: &Lexed, mut events: Vec<Event>) -> Tree {
        let nodes = (events.len() - lexed.significant_len()) / 2;
        let mut builder = Builder::new(lexed, nodes);
        let mut chain = Vec::new();
        for at in 0..events.len() {
            match events[at] {
                Event::Start { kind: TOMBSTONE, .. } => {}
                Event::Start { kind, forward_parent: 0 } => builder.start(kind),
                Event::Start { .. } => {
                    let mut next = at;
                    while let Event::Start { kind, forward_parent } = events[next] {
                        events[next] = Event::Start { kind: TOMBSTONE, forward_parent: 0 };
                        chain.push(kind);
                        if forward_parent == 0 {
                            break;
                        }
                        next += forward_parent as usize;
                    }
                    while let Some(kind) = chain.pop() {
                        if kind != TOMBSTONE {
                            builder.start(kind);
                        }
                    }
                }
                Event::Finish => builder.finish(),
                Event::Token => builder.token(),
            }
        }
        Tree { text: Arc::clone(text), elements: builder.elements, kinds: builder.kinds }
    }

    /// A node whose children are these trees.
    pub(crate) fn around(kind: SyntaxKind, text: &str, trees: &[&Tree]) -> Tree {
        let inside = trees.iter().map(|tree| tree.elements.len()).sum::<usize>();
        let mut elements = Vec::with_capacity(inside + 1);
        elements.push(Element { kind, len: text.len() as u32, span: inside as u32 + 1 });
        let mut kinds = NodeKinds::default();
        kinds.add(kind);
        for tree in trees {
            elements.extend_from_slice(&tree.elements);
            kinds.add_all(tree.kinds);
        }
        Tree { text: text.into(), elements, kinds }
    }

    /// The tree of another text, which differs in one node only: the last of `path`, which leads to it from the root.
    pub(crate) fn replace(mut self, path: &[usize], node: &Tree, text: &Arc<str>) -> Tree {
        let (&at, around) = path.split_last().expect("a path has an end");
        let old = self.elements[at];
        self.elements.splice(at..at + old.span as usize, node.elements.iter().copied());
        let new = node.elements[0];
        for &ancestor in around {
            let ancestor = &mut self.elements[ancestor];
            ancestor.len = ancestor.len - old.len + new.len;
            ancestor.span = ancestor.span - old.span + new.span;
        }
        self.kinds.add_all(node.kinds);
        Tree { text: Arc::clone(text), elements: self.elements, kinds: self.kinds }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many nodes and tokens it has.
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    /// All nodes and tokens in the order of the text.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (Element, &str)> {
        let mut start = 0;
        self.elements.iter().map(move |&element| {
            let end = start + element.len as usize;
            let text = &self.text[start..end];
            if element.span == 0 {
                start = end;
            }
            (element, text)
        })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0, start: TextSize::new(0) }
    }
}

struct Builder<'t> {
    lexed: &'t Lexed,
    /// The next token.
    next: usize,
    /// Where the token before it ends.
    offset: u32,
    /// The nodes that have not ended. Their lengths are where they start, until they do.
    open: Vec<usize>,
    elements: Vec<Element>,
    kinds: NodeKinds,
}

impl<'t> Builder<'t> {
    fn new(lexed: &'t Lexed, nodes: usize) -> Builder<'t> {
        let elements = Vec::with_capacity(lexed.len() + nodes);
        Builder { lexed, next: 0, offset: 0, open: Vec::new(), elements, kinds: NodeKinds::default() }
    }

    fn start(&mut self, kind: SyntaxKind) {
        if !self.open.is_empty() {
            self.trivia();
        }
        self.kinds.add(kind);
        self.open.push(self.elements.len());
        self.elements.push(Element { kind, len: self.offset, span: 1 });
    }

    fn finish(&mut self) {
        if self.open.len() == 1 {
            self.trivia();
        }
        let Some(at) = self.open.pop() else { return };
        let span = self.elements.len() - at;
        let node = &mut self.elements[at];
        node.len = self.offset - node.len;
        node.span = span as u32;
    }

    fn token(&mut self) {
        self.trivia();
        self.push();
    }

    fn trivia(&mut self) {
        while self.next < self.lexed.len() && self.lexed.kind(self.next).is_trivia() {
            self.push();
        }
    }

    fn push(&mut self) {
        let end = self.lexed.end(self.next) as u32;
        self.elements.push(Element { kind: self.lexed.kind(self.next), len: end - self.offset, span: 0 });
        (self.next, self.offset) = (self.next + 1, end);
    }
}

/// A node and its offset in the parsed text: a cursor to its descendants.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    tree: &'a Tree,
    /// Its index in the list.
    at: u32,
    start: TextSize,
}

/// A token and its offset in the parsed text.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    /// Its kind.
    pub kind: SyntaxKind,
    /// Its text.
    pub text: &'a str,
    /// Where it starts.
    pub start: TextSize,
}

impl<'a> Token<'a> {
    /// Its range.
    pub fn range(self) -> TextRange {
        TextRange::at(self.start, TextSize::of(self.text))
    }

    /// Whether it is white space, a comment or a line mark.
    pub fn is_trivia(self) -> bool {
        matches!(self.kind, WHITESPACE | COMMENT | LINE_MARK)
    }

    /// The text of a `.word` without its dot.
    pub fn word(self) -> &'a str {
        self.text.strip_prefix('.').unwrap_or(self.text)
    }
}

impl<'a> Node<'a> {
    #[inline]
    fn element(self) -> Element {
        self.tree.elements[self.at as usize]
    }

    /// Its kind.
    #[inline]
    pub fn kind(self) -> SyntaxKind {
        self.element().kind
    }

    /// Its range; only an item starts or ends with trivia.
    #[inline]
    pub fn range(self) -> TextRange {
        TextRange::at(self.start, TextSize::new(self.element().len))
    }

    /// Everything directly inside, in order.
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        Elements { tree: self.tree, at: self.at + 1, end: self.at + self.element().span, start: self.start }
    }

    /// The nodes directly inside, in order.
    #[inline]
    pub fn nodes(self) -> impl Iterator<Item = Node<'a>> + Clone {
        self.elements().filter_map(NodeOrToken::into_node)
    }

    /// The nodes anywhere inside, in the order of the text.
    pub fn descendants(self) -> impl Iterator<Item = Node<'a>> {
        let mut start = self.start;
        let inside = self.at + 1..self.at + self.element().span;
        inside.filter_map(move |at| {
            let node = Node { tree: self.tree, at, start };
            let Element { len, span, .. } = node.element();
            if span == 0 {
                start += TextSize::new(len);
            }
            (span > 0).then_some(node)
        })
    }

    /// Whether some node anywhere inside has one of these kinds; the fastest way to see that none has.
    pub fn contains(self, kinds: &[SyntaxKind]) -> bool {
        if !kinds.iter().any(|kind| self.tree.kinds.contain(*kind)) {
            return false;
        }
        let inside = self.at as usize + 1..(self.at + self.element().span) as usize;
        self.tree.elements[inside].iter().any(|element| element.span > 0 && kinds.contains(&element.kind))
    }

    /// The tokens directly inside, in order, without trivia.
    #[inline]
    pub fn tokens(self) -> impl Iterator<Item = Token<'a>> + Clone {
        self.elements().filter_map(NodeOrToken::into_token).filter(|token| !token.is_trivia())
    }

    /// The first node of a kind directly inside.
    #[inline]
    pub fn child(self, kind: SyntaxKind) -> Option<Node<'a>> {
        self.nodes().find(|node| node.kind() == kind)
    }

    /// The first token of a kind directly inside.
    #[inline]
    pub fn token(self, kind: SyntaxKind) -> Option<Token<'a>> {
        self.tokens().find(|token| token.kind == kind)
    }

    /// The kind of the token it ends with.
    pub(crate) fn last_kind(self) -> Option<SyntaxKind> {
        let last = self.tree.elements[(self.at + self.element().span - 1) as usize];
        (last.span == 0).then_some(last.kind)
    }

    /// Its index in the list of elements.
    pub(crate) fn index(self) -> usize {
        self.at as usize
    }
}

/// The children of a node with their offsets.
#[derive(Clone)]
pub struct Elements<'a> {
    tree: &'a Tree,
    at: u32,
    end: u32,
    start: TextSize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = NodeOrToken<Node<'a>, Token<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let Elements { tree, at, start, .. } = *self;
        let Element { kind, len, span } = tree.elements[at as usize];
        self.start += TextSize::new(len);
        self.at += span.max(1);
        Some(if span == 0 {
            NodeOrToken::Token(Token { kind, text: &tree.text[TextRange::new(start, self.start)], start })
        } else {
            NodeOrToken::Node(Node { tree, at, start })
        })
    }
}
