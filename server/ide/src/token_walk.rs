//! Walks the tokens in a range of a tree, for highlighting.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Db, Item, SemanticToken, TokenKind, TokenModifiers};
use warplens_syntax::{NodeOrToken, SyntaxToken, WalkEvent};

/// Adds the tokens of an item that overlap a range, as `classify` decides, in order. Skips nodes outside the range. A token
/// that spans several lines is split at newlines.
pub(crate) fn classified(
    db: &dyn Db,
    item: Item<'_>,
    range: TextRange,
    tokens: &mut Vec<SemanticToken>,
    classify: impl Fn(&SyntaxToken) -> Option<(TokenKind, TokenModifiers)>,
) {
    let mut preorder = item.parse(db).syntax().preorder_with_tokens();
    while let Some(event) = preorder.next() {
        let WalkEvent::Enter(element) = event else { continue };
        if element.text_range().start() >= range.end() {
            return;
        }
        let is_outside = element.text_range().end() <= range.start();
        match element {
            NodeOrToken::Node(_) if is_outside => preorder.skip_subtree(),
            NodeOrToken::Token(token) if !is_outside => {
                let Some((kind, modifiers)) = classify(&token) else { continue };
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
            _ => {}
        }
    }
}
