//! Whether completion and signature help apply at a position, and the word that is typed there.

use text_size::TextRange;
use warplens_ide_db::{FilePosition, token_before, token_covering};
use warplens_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

pub(crate) struct TypedWord {
    pub(crate) range: TextRange,
    pub(crate) text: String,
    pub(crate) before: Option<SyntaxToken>,
    /// Whether the word follows that token without white space.
    pub(crate) is_glued: bool,
}

impl TypedWord {
    /// The word at a position of `tree`. `is_word` decides which tokens are words, `is_trivia` which are no part of a statement.
    pub(crate) fn at(
        position: &FilePosition<'_>,
        tree: &SyntaxNode,
        is_word: fn(SyntaxKind) -> bool,
        is_trivia: fn(SyntaxKind) -> bool,
    ) -> TypedWord {
        let mut before =
            position.offset.checked_sub(1.into()).and_then(|offset| token_covering(tree, offset));
        let word = before.take_if(|token| position.spaces == 0.into() && is_word(token.kind()));
        let (range, text) = match &word {
            Some(token) => {
                let range = TextRange::new(token.text_range().start(), position.offset);
                before = token_before(tree, token);
                (range, token.text()[..usize::from(range.len())].to_owned())
            }
            None => (TextRange::empty(position.offset), String::new()),
        };
        let is_glued =
            position.spaces == 0.into() && before.as_ref().is_some_and(|token| !is_trivia(token.kind()));
        TypedWord { range, text, before, is_glued }
    }
}

fn is_in_pragma(string: &SyntaxToken) -> bool {
    string.parent().is_some_and(|parent| parent.kind() == SyntaxKind::PRAGMA_DIRECTIVE)
}

pub(crate) fn is_in_text(position: &FilePosition<'_>) -> bool {
    let Some(before) = position.offset.checked_sub(1.into()) else { return false };
    let Some(token) = token_covering(&position.tree(), before) else { return false };
    let inside = token.text_range().end() > position.offset;
    match token.kind() {
        SyntaxKind::COMMENT => inside || !token.text().ends_with("*/"),
        SyntaxKind::STRING => inside && !is_in_pragma(&token),
        SyntaxKind::LINE_MARK | SyntaxKind::DWARF_LINE => true,
        _ => false,
    }
}
