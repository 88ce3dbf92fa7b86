//! Events and tokens -> green tree.
//!
//! Trivia goes to the outermost place it can: a node starts at its first token and ends at its last, and
//! only the root takes what lies around. Equal tokens, and equal nodes around one token, share an allocation
//! through small caches that forget on collision, so they need no growth and no deletion; rowan's own builder
//! hashes every token and node and keeps them all.

use rowan::{GreenNode, GreenToken, GreenTokenData, NodeOrToken};

use crate::SyntaxKind;
use crate::lexed::Lexed;
use crate::parser::Event;

/// The tree of one parse. `events` hold exactly one outermost node; it gets all trivia.
pub(crate) fn build(text: &str, lexed: &Lexed, mut events: Vec<Event>) -> GreenNode {
    let mut builder = Builder::new(text, lexed);
    let mut chain = Vec::new();
    for at in 0..events.len() {
        match events[at] {
            Event::Start { kind: SyntaxKind::TOMBSTONE, .. } => {}
            Event::Start { kind, forward_parent: 0 } => builder.start(kind),
            Event::Start { .. } => {
                let mut next = at;
                while let Event::Start { kind, forward_parent } = events[next] {
                    events[next] = Event::Start { kind: SyntaxKind::TOMBSTONE, forward_parent: 0 };
                    chain.push(kind);
                    if forward_parent == 0 {
                        break;
                    }
                    next += forward_parent as usize;
                }
                while let Some(kind) = chain.pop() {
                    if kind != SyntaxKind::TOMBSTONE {
                        builder.start(kind);
                    }
                }
            }
            Event::Finish => builder.finish(),
            Event::Token => builder.token(),
        }
    }
    builder.root
}

struct Builder<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    next: usize,
    parents: Vec<(SyntaxKind, usize)>,
    children: Vec<NodeOrToken<GreenNode, GreenToken>>,
    tokens: TokenCache,
    leaves: LeafCache,
    root: GreenNode,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, lexed: &'t Lexed) -> Builder<'t> {
        Builder {
            text,
            lexed,
            next: 0,
            parents: Vec::new(),
            children: Vec::new(),
            tokens: TokenCache::new(lexed.len()),
            leaves: LeafCache::new(lexed.len()),
            root: GreenNode::new(SyntaxKind::ERROR.into(), []),
        }
    }

    fn start(&mut self, kind: SyntaxKind) {
        if !self.parents.is_empty() {
            self.trivia();
        }
        self.parents.push((kind, self.children.len()));
    }

    fn finish(&mut self) {
        if self.parents.len() == 1 {
            self.trivia();
        }
        let Some((kind, first)) = self.parents.pop() else { return };
        let node = match &self.children[first..] {
            [NodeOrToken::Token(token)] => {
                let node = self.leaves.node(kind, token);
                self.children.pop();
                node
            }
            _ => GreenNode::new(kind.into(), self.children.drain(first..)),
        };
        if self.parents.is_empty() {
            self.root = node;
        } else {
            self.children.push(NodeOrToken::Node(node));
        }
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
        let kind = self.lexed.kind(self.next);
        let text = &self.text[self.lexed.start(self.next)..self.lexed.end(self.next)];
        self.next += 1;
        self.children.push(NodeOrToken::Token(self.tokens.token(kind, text)));
    }
}

/// Green tokens by kind and text.
struct TokenCache {
    slots: Vec<Option<GreenToken>>,
    /// Tokens whose kind says their text, by kind.
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

/// Green nodes around a single token, by kind and token.
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

/// As many slots as a text of this many tokens is worth.
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
