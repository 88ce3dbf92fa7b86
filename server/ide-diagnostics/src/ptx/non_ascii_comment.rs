//! `non-ascii-comment`: a comment at which older assemblers stop.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Db, Item, Problem};
use warplens_syntax::SyntaxKind;

use crate::codes;

/// Reports the first such comment of an item.
pub(super) fn check(db: &dyn Db, item: Item<'_>, text: &str, problems: &mut Vec<Problem>) {
    if text.is_ascii() {
        return;
    }
    let tree = item.parse(db).syntax();
    let comments = tree.descendants_with_tokens().filter_map(|element| element.into_token());
    let mut comments = comments.filter(|token| token.kind() == SyntaxKind::COMMENT);
    let found = comments.find_map(|comment| {
        let (at, letter) = comment.text().char_indices().find(|(_, letter)| !letter.is_ascii())?;
        let start = comment.text_range().start() + TextSize::new(at as u32);
        Some((letter, TextRange::at(start, TextSize::of(letter))))
    });
    let Some((letter, range)) = found else { return };
    let message = format!("`{letter}` is not ASCII; ptxas 12.9 stops at it, 13.5 accepts it in a comment");
    problems.push(Problem::hint(range, codes::NON_ASCII_COMMENT, message));
}
