//! WAVE tokens.

use crate::lexed::Lexed;
use crate::{SyntaxKind, T};

/// Cuts a text into tokens.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexed = Lexed::with_room_for(text);
    let mut end = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if !word.is_empty() {
            lexed.push(T![error_token], end + word.len());
        }
        end += piece.len();
        if word.len() < piece.len() {
            lexed.push(SyntaxKind::WHITESPACE, end);
        }
    }
    lexed
}
