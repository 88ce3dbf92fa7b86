//! The tree of a parse as one list: its nodes and tokens in text order.
//!
//! The list is a single allocation, so code that walks a tree from start to end (lowering, most checks) uses
//! it. rowan's tree, with parents and an allocation per node, is built from it on demand: see `green.rs`.
//!
//! Trivia belongs to the outermost possible node: a node starts at its first token and ends at its last, and
//! only the root has trivia around them.

use std::sync::Arc;

use rowan::{NodeOrToken, TextRange, TextSize};

use crate::SyntaxKind::{self, COMMENT, LINE_MARK, TOMBSTONE, WHITESPACE};
use crate::lexed::Lexed;

#[derive(Debug, Clone)]
pub(crate) struct Tree {
    text: Arc<str>,
    elements: Vec<Element>,
    kinds: NodeKinds,
}

/// The kinds of the nodes of a tree. After edits it may also contain kinds that are no longer in the tree.
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
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    pub(crate) kind: SyntaxKind,
    /// The length in bytes.
    len: u32,
    /// The number of elements in a node: itself and its descendants, which follow it in the list. 0 for a
    /// token.
    pub(crate) span: u32,
}

impl Tree {
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

    /// Replaces the node at the end of `path`, which leads to it from the root; the tree's text becomes
    /// `text`.
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

    /// All nodes and tokens in text order.
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

/// Builds the list of a tree while its text is parsed. Exactly one node is outermost; it contains all trivia.
pub(crate) struct Builder<'t> {
    lexed: &'t Lexed,
    /// The index of the next token.
    next: usize,
    /// Where the previous token ends.
    offset: u32,
    /// The elements so far. While a node is open, its `len` holds its start.
    elements: Vec<Element>,
    kinds: NodeKinds,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(lexed: &'t Lexed) -> Builder<'t> {
        // Most significant tokens are in a node of their own, or nearly so.
        let elements = Vec::with_capacity(lexed.tokens().len() + lexed.significant_len() + 16);
        Builder { lexed, next: 0, offset: 0, elements, kinds: NodeKinds::default() }
    }

    pub(crate) fn finish(mut self, text: &Arc<str>) -> Tree {
        self.elements.shrink_to_fit();
        Tree { text: Arc::clone(text), elements: self.elements, kinds: self.kinds }
    }

    /// Starts a node before the next significant token. Returns its index in the list.
    #[inline]
    pub(crate) fn start(&mut self) -> u32 {
        if !self.elements.is_empty() {
            self.trivia();
        }
        let at = self.elements.len() as u32;
        self.elements.push(Element { kind: TOMBSTONE, len: self.offset, span: 1 });
        at
    }

    /// Ends a node after the last token.
    #[inline]
    pub(crate) fn end(&mut self, at: u32, kind: SyntaxKind) {
        if at == 0 {
            self.trivia();
        }
        let span = self.elements.len() as u32 - at;
        let node = &mut self.elements[at as usize];
        *node = Element { kind, len: self.offset - node.len, span };
        self.kinds.add(kind);
    }

    /// Starts a node around the one at this index, which ended last. Its contents move by one element; the
    /// nesting limit bounds how often that happens.
    pub(crate) fn start_around(&mut self, at: u32) {
        let mut len = 0;
        let mut next = at as usize;
        while let Some(element) = self.elements.get(next) {
            len += element.len;
            next += element.span.max(1) as usize;
        }
        self.elements.insert(at as usize, Element { kind: TOMBSTONE, len: self.offset - len, span: 1 });
    }

    /// Removes a node that has not ended; its contents move to the enclosing node.
    pub(crate) fn take_back(&mut self, at: u32) {
        self.elements.remove(at as usize);
        // The trivia before it belongs to the outermost possible node, which may be a different one now.
        while let Some(trivia) = self.elements.pop_if(|last| last.span == 0 && last.kind.is_trivia()) {
            self.next -= 1;
            self.offset -= trivia.len;
        }
    }

    /// Adds the tokens up to and including this one.
    #[inline]
    pub(crate) fn token(&mut self, index: usize) {
        for token in &self.lexed.tokens()[self.next..=index] {
            self.elements.push(Element { kind: token.kind, len: token.end - self.offset, span: 0 });
            self.offset = token.end;
        }
        self.next = index + 1;
    }

    #[inline]
    fn trivia(&mut self) {
        while let Some(token) = self.lexed.tokens().get(self.next)
            && token.kind.is_trivia()
        {
            self.token(self.next);
        }
    }
}

/// A node and its offset in the parsed text: a cursor to its descendants.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    tree: &'a Tree,
    at: u32,
    start: TextSize,
}

/// A token and its offset in the parsed text.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    pub kind: SyntaxKind,
    pub text: &'a str,
    pub start: TextSize,
}

impl<'a> Token<'a> {
    pub fn range(self) -> TextRange {
        TextRange::at(self.start, TextSize::of(self.text))
    }

    pub fn is_trivia(self) -> bool {
        is_trivia(self.kind)
    }

    /// The text of a `.word` without its dot.
    pub fn word(self) -> &'a str {
        self.text.strip_prefix('.').unwrap_or(self.text)
    }
}

impl AsRef<str> for Token<'_> {
    fn as_ref(&self) -> &str {
        self.text
    }
}

impl<'a> Node<'a> {
    #[inline]
    fn element(self) -> Element {
        self.tree.elements[self.at as usize]
    }

    #[inline]
    pub fn kind(self) -> SyntaxKind {
        self.element().kind
    }

    /// The node's range; only an item starts or ends with trivia.
    #[inline]
    pub fn range(self) -> TextRange {
        TextRange::at(self.start, TextSize::new(self.element().len))
    }

    #[inline]
    fn children(self) -> Children<'a> {
        let Node { tree, at, start } = self;
        Children { tree, at: at + 1, end: at + self.element().span, start }
    }

    /// The children in order, including trivia.
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        Elements(self.children())
    }

    /// The children in order, without trivia.
    #[inline]
    pub fn parts(self) -> impl Iterator<Item = NodeOrToken<Node<'a>, Token<'a>>> + Clone {
        self.children().filter(|child| !child.is_trivia()).map(Child::get)
    }

    #[inline]
    pub fn nodes(self) -> impl Iterator<Item = Node<'a>> + Clone {
        self.children().filter(|child| child.element.span > 0).map(|child| child.node)
    }

    /// The nodes at any depth, in text order.
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

    /// The node and its descendants that contain the text at an offset, the innermost last.
    pub fn around(self, offset: TextSize) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(Some(self), move |node| {
            node.nodes().find(|inner| inner.range().contains(offset))
        })
    }

    /// The node's index in the list of elements, and its offset.
    pub(crate) fn position(self) -> (u32, TextSize) {
        (self.at, self.start)
    }

    /// The node of the same tree at a position.
    pub(crate) fn at_position(self, (at, start): (u32, TextSize)) -> Node<'a> {
        Node { at, start, ..self }
    }

    /// The position of the first child, if there is one.
    pub(crate) fn first_child_position(self) -> (u32, TextSize) {
        (self.at + 1, self.start)
    }

    /// From the child at a position on: the position of the first one that ends after an offset, and that child if it is a
    /// node that contains the offset.
    pub(crate) fn child_around(
        self,
        (at, start): (u32, TextSize),
        offset: TextSize,
    ) -> ((u32, TextSize), Option<Node<'a>>) {
        let mut children = Children { tree: self.tree, at, start, ..self.children() };
        loop {
            let position = (children.at, children.start);
            match children.next() {
                Some(_) if children.start <= offset => {}
                Some(Child { element, node }) if element.span > 0 && node.start <= offset => {
                    return (position, Some(node));
                }
                _ => return (position, None),
            }
        }
    }

    /// Whether the tree may contain a node of one of these kinds; `false` is certain. It does not walk the
    /// tree.
    pub fn may_contain(self, kinds: &[SyntaxKind]) -> bool {
        kinds.iter().any(|kind| self.tree.kinds.contain(*kind))
    }

    /// The child tokens in order, without trivia.
    #[inline]
    pub fn tokens(self) -> impl Iterator<Item = Token<'a>> + Clone {
        self.children().filter(|child| child.element.span == 0 && !child.is_trivia()).map(Child::token)
    }

    /// The child tokens of these kinds, in order. The texts of other tokens are not read.
    #[inline]
    pub fn tokens_of<const N: usize>(self, kinds: [SyntaxKind; N]) -> impl Iterator<Item = Token<'a>> {
        let is_one = move |child: &Child<'_>| child.element.span == 0 && kinds.contains(&child.element.kind);
        self.children().filter(is_one).map(Child::token)
    }

    /// The first token, at any depth.
    pub fn first_token(self) -> Option<Token<'a>> {
        match self.elements().next()? {
            NodeOrToken::Node(first) => first.first_token(),
            NodeOrToken::Token(token) => Some(token),
        }
    }

    #[inline]
    pub fn child(self, kind: SyntaxKind) -> Option<Node<'a>> {
        self.nodes().find(|node| node.kind() == kind)
    }

    #[inline]
    pub fn token(self, kind: SyntaxKind) -> Option<Token<'a>> {
        self.children().find(|child| child.element.span == 0 && child.element.kind == kind).map(Child::token)
    }

    /// The kind of the last token, if the node ends with one.
    pub fn last_kind(self) -> Option<SyntaxKind> {
        let last = self.tree.elements[(self.at + self.element().span - 1) as usize];
        (last.span == 0).then_some(last.kind)
    }

    /// The node's index in the list of elements.
    pub(crate) fn index(self) -> usize {
        self.at as usize
    }
}

/// Iterates over the children of a node with their offsets.
#[derive(Clone)]
pub struct Elements<'a>(Children<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = NodeOrToken<Node<'a>, Token<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Child::get)
    }
}

#[derive(Clone)]
struct Children<'a> {
    tree: &'a Tree,
    at: u32,
    end: u32,
    start: TextSize,
}

/// A node or token. If it is a token, `node` only gives its position.
struct Child<'a> {
    element: Element,
    node: Node<'a>,
}

impl<'a> Iterator for Children<'a> {
    type Item = Child<'a>;

    #[inline]
    fn next(&mut self) -> Option<Child<'a>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node { tree: self.tree, at: self.at, start: self.start };
        let element = node.element();
        self.start += TextSize::new(element.len);
        self.at += element.span.max(1);
        Some(Child { element, node })
    }
}

impl<'a> Child<'a> {
    fn is_trivia(&self) -> bool {
        self.element.span == 0 && is_trivia(self.element.kind)
    }

    #[inline]
    fn token(self) -> Token<'a> {
        let range = self.node.range();
        Token { kind: self.element.kind, text: &self.node.tree.text[range], start: range.start() }
    }

    #[inline]
    fn get(self) -> NodeOrToken<Node<'a>, Token<'a>> {
        if self.element.span == 0 { NodeOrToken::Token(self.token()) } else { NodeOrToken::Node(self.node) }
    }
}

fn is_trivia(kind: SyntaxKind) -> bool {
    matches!(kind, WHITESPACE | COMMENT | LINE_MARK)
}
