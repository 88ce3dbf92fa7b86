//! Builds rowan's tree, whose nodes know their parents, from a [`Tree`].
//!
//! Equal tokens, and equal nodes around one token, share an allocation through small caches that drop an
//! entry on a collision, so they never grow. rowan's own builder hashes every token and node and keeps them
//! all.

use rowan::{GreenNode, GreenToken, GreenTokenData, NodeOrToken};

use crate::SyntaxKind;
use crate::tree::Tree;

pub(crate) fn build(tree: &Tree) -> GreenNode {
    let mut builder = Builder::new(tree.len());
    for (at, (element, text)) in tree.elements().enumerate() {
        builder.finish_before(at);
        match element.span as usize {
            0 => builder.children.push(NodeOrToken::Token(builder.tokens.token(element.kind, text))),
            span => {
                builder.open.push(Open { kind: element.kind, first: builder.children.len(), end: at + span })
            }
        }
    }
    builder.finish_before(tree.len());
    builder.root
}

/// A node that still lacks children.
struct Open {
    kind: SyntaxKind,
    /// The index of its first child in `children`.
    first: usize,
    /// The index of the first element after the node.
    end: usize,
}

struct Builder {
    open: Vec<Open>,
    children: Vec<NodeOrToken<GreenNode, GreenToken>>,
    tokens: TokenCache,
    leaves: LeafCache,
    root: GreenNode,
}

impl Builder {
    fn new(elements: usize) -> Builder {
        Builder {
            open: Vec::new(),
            children: Vec::new(),
            tokens: TokenCache::new(elements),
            leaves: LeafCache::new(elements),
            root: GreenNode::new(SyntaxKind::ERROR.into(), []),
        }
    }

    /// Builds the nodes that end before an element.
    fn finish_before(&mut self, at: usize) {
        while let Some(Open { kind, first, .. }) = self.open.pop_if(|open| open.end == at) {
            let node = match &self.children[first..] {
                [NodeOrToken::Token(token)] => {
                    let node = self.leaves.node(kind, token);
                    self.children.pop();
                    node
                }
                _ => GreenNode::new(kind.into(), self.children.drain(first..)),
            };
            if self.open.is_empty() {
                self.root = node;
            } else {
                self.children.push(NodeOrToken::Node(node));
            }
        }
    }
}

struct TokenCache {
    slots: Vec<Option<GreenToken>>,
    /// Tokens whose kind determines their text, by kind.
    punctuation: [Option<GreenToken>; SyntaxKind::WHITESPACE as usize],
}

impl TokenCache {
    fn new(tokens: usize) -> TokenCache {
        TokenCache { slots: vec![None; slots_for(tokens)], punctuation: [const { None }; _] }
    }

    fn token(&mut self, kind: SyntaxKind, text: &str) -> GreenToken {
        if let Some(slot) = self.punctuation.get_mut(kind as usize) {
            return slot.get_or_insert_with(|| GreenToken::new(kind.into(), text)).clone();
        }
        let slot = hash(kind, text) & (self.slots.len() - 1);
        if let Some(token) = &self.slots[slot]
            && token.kind() == kind.into()
            && token.text() == text
        {
            return token.clone();
        }
        let token = GreenToken::new(kind.into(), text);
        self.slots[slot] = Some(token.clone());
        token
    }
}

/// Green nodes around a single token.
struct LeafCache {
    slots: Vec<Option<GreenNode>>,
}

impl LeafCache {
    fn new(tokens: usize) -> LeafCache {
        LeafCache { slots: vec![None; slots_for(tokens)] }
    }

    fn node(&mut self, kind: SyntaxKind, token: &GreenToken) -> GreenNode {
        let address = std::ptr::from_ref::<GreenTokenData>(token);
        let mixed = (address.addr() >> 4).wrapping_mul(0x9e37_79b9).wrapping_add(kind as usize);
        let slot = (mixed ^ (mixed >> 16)) & (self.slots.len() - 1);
        if let Some(node) = &self.slots[slot]
            && node.kind() == kind.into()
            && let Some(NodeOrToken::Token(known)) = node.children().next()
            && std::ptr::eq(known, address)
        {
            return node.clone();
        }
        let node = GreenNode::new(kind.into(), [NodeOrToken::Token(token.clone())]);
        self.slots[slot] = Some(node.clone());
        node
    }
}

/// The cache size that pays off for a text of this many tokens.
fn slots_for(tokens: usize) -> usize {
    tokens.clamp(64, 8192).next_power_of_two()
}

fn hash(kind: SyntaxKind, text: &str) -> usize {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    (kind as u16).hash(&mut hasher);
    text.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as usize
}
