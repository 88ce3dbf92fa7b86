//! The names under which the other modules use rowan.

use crate::generated::kinds::SyntaxKind;

/// Maps our kinds to rowan's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarplensLanguage {}

impl rowan::Language for WarplensLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_raw(raw.0)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        kind.into()
    }
}

impl From<SyntaxKind> for rowan::SyntaxKind {
    fn from(kind: SyntaxKind) -> Self {
        rowan::SyntaxKind(kind as u16)
    }
}

/// A node that knows its parent and its offset.
pub type SyntaxNode = rowan::SyntaxNode<WarplensLanguage>;
/// A token that knows its parent and its offset.
pub type SyntaxToken = rowan::SyntaxToken<WarplensLanguage>;
/// A node or a token that knows its parent and its offset.
pub type SyntaxElement = rowan::SyntaxElement<WarplensLanguage>;
pub type SyntaxNodeChildren = rowan::SyntaxNodeChildren<WarplensLanguage>;
