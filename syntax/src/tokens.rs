//! Finds tokens by offset. rowan's own look-up walks all children of every node on the way down, which is
//! slow in a file with many items and in a long body; the functions here use binary search.

use crate::{SyntaxNode, SyntaxToken, TextRange, TextSize, TokenAtOffset};

/// The token at `offset`, or the two that touch there. None if `offset` is outside the node, or the node is
/// empty.
pub fn token_at_offset(root: &SyntaxNode, offset: TextSize) -> TokenAtOffset<SyntaxToken> {
    let range = root.text_range();
    if !range.contains_inclusive(offset) || range.is_empty() {
        return TokenAtOffset::None;
    }
    let right = (offset < range.end()).then(|| token_at(root, offset)).flatten();
    if right.as_ref().is_some_and(|token| token.text_range().start() < offset) || offset == range.start() {
        return right.map_or(TokenAtOffset::None, TokenAtOffset::Single);
    }
    let left = token_at(root, offset - TextSize::new(1));
    match (left, right) {
        (Some(left), Some(right)) => TokenAtOffset::Between(left, right),
        (Some(single), None) | (None, Some(single)) => TokenAtOffset::Single(single),
        (None, None) => TokenAtOffset::None,
    }
}

/// The token that covers the byte at `offset`.
fn token_at(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    let byte = TextRange::at(offset, TextSize::new(1));
    let mut node = root.clone();
    loop {
        match node.child_or_token_at_range(byte)? {
            rowan::NodeOrToken::Node(child) => node = child,
            rowan::NodeOrToken::Token(token) => return Some(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_file;

    #[test]
    fn agrees_with_rowan_everywhere() {
        let text = ".version 8.5\n.entry k(.param .u64 p) {\n\tadd.s32 %r1, %r2, 3; // é\n\t{ L: ret; }\n}\n";
        let root = parse_file(crate::ptx::LANGUAGE, text).syntax();
        for offset in (0..=text.len()).map(|offset| TextSize::new(offset as u32)) {
            let ours: Vec<_> = token_at_offset(&root, offset).collect();
            let rowans: Vec<_> = root.token_at_offset(offset).collect();
            assert_eq!(ours, rowans, "at {offset:?}");
        }
    }

    #[test]
    fn outside_is_none() {
        let root = parse_file(crate::ptx::LANGUAGE, "").syntax();
        assert_eq!(token_at_offset(&root, TextSize::new(0)).count(), 0);
        assert_eq!(token_at_offset(&root, TextSize::new(9)).count(), 0);
    }
}
