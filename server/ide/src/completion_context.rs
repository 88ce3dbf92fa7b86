//! Decides whether completion and signature help apply at a position.

use warplens_ide_db::{FilePosition, token_covering};
use warplens_syntax::SyntaxKind;

/// Whether the position is in a comment or a string.
pub(crate) fn is_in_text(position: &FilePosition<'_>) -> bool {
    let Some(before) = position.offset.checked_sub(1.into()) else { return false };
    let Some(token) = token_covering(&position.tree(), before) else { return false };
    let inside = token.text_range().end() > position.offset;
    match token.kind() {
        SyntaxKind::COMMENT => inside || !token.text().ends_with("*/"),
        SyntaxKind::STRING => inside,
        SyntaxKind::LINE_MARK | SyntaxKind::DWARF_LINE => true,
        _ => false,
    }
}
