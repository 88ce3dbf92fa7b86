//! Walks the tokens in a range of a tree, for highlighting.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{SemanticToken, TokenKind, TokenModifiers};
use warplens_syntax::{NodeOrToken, SyntaxNode, SyntaxToken, WalkEvent};

/// Calls `visit` for the tokens of a tree that overlap a range, in order. Skips nodes outside the range.
pub(crate) fn walk(tree: &SyntaxNode, range: TextRange, mut visit: impl FnMut(&SyntaxToken)) {
    let mut preorder = tree.preorder_with_tokens();
    while let Some(event) = preorder.next() {
        let WalkEvent::Enter(element) = event else { continue };
        if element.text_range().start() >= range.end() {
            return;
        }
        let is_outside = element.text_range().end() <= range.start();
        match element {
            NodeOrToken::Node(_) if is_outside => preorder.skip_subtree(),
            NodeOrToken::Token(token) if !is_outside => visit(&token),
            _ => {}
        }
    }
}

/// Adds a token. A token that spans several lines is split at newlines.
pub(crate) fn push(
    token: &SyntaxToken,
    kind: TokenKind,
    modifiers: TokenModifiers,
    tokens: &mut Vec<SemanticToken>,
) {
    let mut start = token.text_range().start();
    for line in token.text().split_inclusive('\n') {
        let shown = line.trim_end_matches(['\n', '\r']);
        if !shown.is_empty() {
            let range = TextRange::at(start, TextSize::of(shown));
            tokens.push(SemanticToken { range, kind, modifiers });
        }
        start += TextSize::of(line);
    }
}
