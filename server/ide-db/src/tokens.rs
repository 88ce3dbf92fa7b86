//! Finds tokens of a tree by offset.

use text_size::{TextRange, TextSize};
use warplens_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

/// The token that covers the byte at `offset`. (rowan's own search visits every child; this one does a binary
/// search in each node.)
pub fn token_covering(tree: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    let byte = TextRange::at(offset, 1.into());
    if !tree.text_range().contains_range(byte) {
        return None;
    }
    tree.covering_element(byte).into_token()
}

/// The token before another one. (rowan's own function stops at an empty node, which error recovery creates.)
pub fn token_before(tree: &SyntaxNode, token: &SyntaxToken) -> Option<SyntaxToken> {
    token_covering(tree, token.text_range().start().checked_sub(1.into())?)
}

/// Of two adjacent tokens at the cursor, the user more likely means the one with the larger weight.
pub(crate) fn weight(kind: SyntaxKind) -> u8 {
    use SyntaxKind::{COMMENT, DOT_WORD, FLOAT_NUMBER, IDENT, INT_NUMBER, STRING, WHITESPACE};
    match kind {
        IDENT => 4,
        DOT_WORD | INT_NUMBER | FLOAT_NUMBER | STRING => 3,
        WHITESPACE => 0,
        COMMENT => 1,
        _ => 2,
    }
}
