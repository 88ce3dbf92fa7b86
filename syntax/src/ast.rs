//! What typed trees are built from: the trait, and the finders that generated accessors use.
//!
//! A typed node is a checked pointer into the tree; nothing here interprets text.

use crate::{SyntaxKind, SyntaxNode};

/// A node of a typed tree: a [`SyntaxNode`] whose kind has been checked.
pub trait AstNode: Sized {
    fn can_cast(kind: SyntaxKind) -> bool;
    fn cast(syntax: SyntaxNode) -> Option<Self>;
    fn syntax(&self) -> &SyntaxNode;
}

/// Finders for accessors, generated and hand-written.
pub mod support {
    use super::*;
    use crate::SyntaxToken;

    /// The `nth` child (from 0) that is an `N`.
    pub fn nth_child<N: AstNode>(parent: &SyntaxNode, nth: usize) -> Option<N> {
        children(parent).nth(nth)
    }

    pub fn children<N: AstNode>(parent: &SyntaxNode) -> impl Iterator<Item = N> + use<N> {
        parent.children().filter_map(N::cast)
    }

    /// The first direct token of one of these kinds.
    pub fn token(parent: &SyntaxNode, kinds: &'static [SyntaxKind]) -> Option<SyntaxToken> {
        tokens(parent, kinds).next()
    }

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

/// Declares a typed node, its kind and its accessors; generated code is made of it.
macro_rules! ast_node {
    ($(#[$doc:meta])* $name:ident = $kind:ident {
        $($accessor:ident: $find:ident $target:tt $($nth:literal)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $name {
            pub(crate) syntax: $crate::SyntaxNode,
        }

        impl $name {
            $($crate::ast::accessor! { $accessor: $find $target $($nth)? })*
        }

        impl $crate::ast::AstNode for $name {
            fn can_cast(kind: $crate::SyntaxKind) -> bool {
                kind == $kind
            }

            fn cast(syntax: $crate::SyntaxNode) -> Option<Self> {
                Self::can_cast(syntax.kind()).then_some(Self { syntax })
            }

            fn syntax(&self) -> &$crate::SyntaxNode {
                &self.syntax
            }
        }
    };
}

/// One accessor of a typed node.
macro_rules! accessor {
    ($accessor:ident: child $node:ident $nth:literal) => {
        pub fn $accessor(&self) -> Option<$node> {
            $crate::ast::support::nth_child(&self.syntax, $nth)
        }
    };
    ($accessor:ident: children $node:ident) => {
        pub fn $accessor(&self) -> impl Iterator<Item = $node> + use<> {
            $crate::ast::support::children(&self.syntax)
        }
    };
    ($accessor:ident: token $kinds:tt) => {
        pub fn $accessor(&self) -> Option<SyntaxToken> {
            $crate::ast::support::token(&self.syntax, &$kinds)
        }
    };
    ($accessor:ident: tokens $kinds:tt) => {
        pub fn $accessor(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
            $crate::ast::support::tokens(&self.syntax, &$kinds)
        }
    };
}

/// Declares a choice between typed nodes.
macro_rules! ast_enum {
    ($(#[$doc:meta])* $name:ident = $($member:ident),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($member($member),)*
        }

        impl $crate::ast::AstNode for $name {
            fn can_cast(kind: $crate::SyntaxKind) -> bool {
                $($member::can_cast(kind))||*
            }

            fn cast(syntax: $crate::SyntaxNode) -> Option<Self> {
                $(if $member::can_cast(syntax.kind()) {
                    return $member::cast(syntax).map(Self::$member);
                })*
                None
            }

            fn syntax(&self) -> &$crate::SyntaxNode {
                match self {
                    $(Self::$member(it) => it.syntax(),)*
                }
            }
        }

        $(impl From<$member> for $name {
            fn from(it: $member) -> Self {
                Self::$member(it)
            }
        })*
    };
}

pub(crate) use {accessor, ast_enum, ast_node};
