//! What typed trees are built from: the trait, the child iterator, and the finders that generated accessors
//! use.
//!
//! A typed node is a checked pointer into the tree; nothing here interprets text.

use std::marker::PhantomData;

use crate::{SyntaxKind, SyntaxNode, SyntaxNodeChildren};

/// A node of a typed tree: a [`SyntaxNode`] whose kind has been checked.
pub trait AstNode: Sized {
    /// Whether nodes of this kind have this type.
    fn can_cast(kind: SyntaxKind) -> bool;
    /// Wraps the node, if its kind fits.
    fn cast(syntax: SyntaxNode) -> Option<Self>;
    /// The untyped node.
    fn syntax(&self) -> &SyntaxNode;
}

/// The children of a node that are an `N`, in order.
#[derive(Debug, Clone)]
pub struct AstChildren<N> {
    inner: SyntaxNodeChildren,
    node: PhantomData<N>,
}

impl<N: AstNode> Iterator for AstChildren<N> {
    type Item = N;

    fn next(&mut self) -> Option<N> {
        self.inner.find_map(N::cast)
    }
}

/// Finders for accessors, generated and hand-written.
pub mod support {
    use super::*;
    use crate::SyntaxToken;

    /// The first child that is an `N`.
    pub fn child<N: AstNode>(parent: &SyntaxNode) -> Option<N> {
        parent.children().find_map(N::cast)
    }

    /// The `nth` child (from 0) that is an `N`.
    pub fn nth_child<N: AstNode>(parent: &SyntaxNode, nth: usize) -> Option<N> {
        parent.children().filter_map(N::cast).nth(nth)
    }

    /// All children that are an `N`.
    pub fn children<N: AstNode>(parent: &SyntaxNode) -> AstChildren<N> {
        AstChildren { inner: parent.children(), node: PhantomData }
    }

    /// The first direct token of one of these kinds.
    pub fn token(parent: &SyntaxNode, kinds: &'static [SyntaxKind]) -> Option<SyntaxToken> {
        tokens(parent, kinds).next()
    }

    /// All direct tokens of these kinds.
    pub fn tokens(
        parent: &SyntaxNode,
        kinds: &'static [SyntaxKind],
    ) -> impl Iterator<Item = SyntaxToken> + use<> {
        parent
            .children_with_tokens()
            .filter_map(|element| element.into_token())
            .filter(move |token| kinds.contains(&token.kind()))
    }
}
