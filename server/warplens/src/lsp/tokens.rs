//! Semantic tokens as the protocol counts them: each relative to the one before, and changes relative to an answer
//! that the client has.

use ropey::Rope;
use tower_lsp::ls_types::{SemanticToken, SemanticTokensEdit};
use warplens_ide as ide;

use super::job::Question;
use crate::position::Encoding;

/// Tokens of a text, in its order, none of them spanning lines.
pub(super) fn encode(question: &Question, tokens: &[ide::SemanticToken]) -> Vec<SemanticToken> {
    let mut columns = Columns::new(&question.text, question.encoding);
    let (mut line, mut character) = (0, 0);
    let mut encoded = Vec::with_capacity(tokens.len());
    for token in tokens {
        let (at_line, start) = columns.of(token.range.start().into());
        let (_, end) = columns.of(token.range.end().into());
        encoded.push(SemanticToken {
            delta_line: at_line - line,
            delta_start: if at_line == line { start - character } else { start },
            length: end.saturating_sub(start),
            token_type: token.kind as u32,
            token_modifiers_bitset: token.modifiers.0.into(),
        });
        (line, character) = (at_line, start);
    }
    encoded
}

/// Lines and characters of offsets that only grow: without a search in the rope for each of them.
struct Columns<'t> {
    text: &'t Rope,
    encoding: Encoding,
    /// Every character is one byte, so both encodings count the same.
    ascii: bool,
    line: usize,
    start: usize,
    end: usize,
}

impl<'t> Columns<'t> {
    fn new(text: &'t Rope, encoding: Encoding) -> Columns<'t> {
        let ascii = text.len_chars() == text.len_bytes();
        Columns { text, encoding, ascii, line: 0, start: 0, end: 0 }
    }

    fn of(&mut self, byte: usize) -> (u32, u32) {
        if byte >= self.end && self.end < self.text.len_bytes() || self.end == 0 {
            self.line = self.text.byte_to_line(byte);
            self.start = self.text.line_to_byte(self.line);
            let lines = self.text.len_lines();
            self.end = self.text.line_to_byte((self.line + 1).min(lines));
        }
        let column = match self.encoding {
            Encoding::Utf16 if !self.ascii => {
                let unit = |byte| self.text.char_to_utf16_cu(self.text.byte_to_char(byte));
                unit(byte) - unit(self.start)
            }
            _ => byte - self.start,
        };
        (self.line as u32, column as u32)
    }
}

/// The one edit that makes `new` of `old`; none when they are equal.
pub(super) fn delta(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    // The protocol counts integers; a token has five.
    vec![SemanticTokensEdit {
        start: prefix as u32 * 5,
        delete_count: old.len() as u32 * 5,
        data: (!new.is_empty()).then(|| new.to_vec()),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(delta_line: u32, length: u32) -> SemanticToken {
        SemanticToken { delta_line, delta_start: 0, length, token_type: 0, token_modifiers_bitset: 0 }
    }

    #[test]
    fn a_delta_touches_what_changed() {
        let old = [token(0, 1), token(1, 2), token(1, 3)];
        let new = [token(0, 1), token(2, 2), token(1, 3)];
        let edits = delta(&old, &new);
        assert_eq!(edits.len(), 1);
        assert_eq!(
            (edits[0].start, edits[0].delete_count, edits[0].data.as_deref()),
            (5, 5, Some(&new[1..2]))
        );
        assert!(delta(&old, &old).is_empty());
        assert_eq!(delta(&old, &old[..1])[0].data, None);
    }

    #[test]
    fn columns_agree_with_the_rope() {
        for text in ["ab c\n\nde\r\nf", "é𝄞 c\n\nd𝄞\nf", "x", "a\n"] {
            let rope = Rope::from_str(text);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let mut columns = Columns::new(&rope, encoding);
                for (byte, _) in text.char_indices() {
                    let position = crate::position::position(&rope, (byte as u32).into(), encoding);
                    assert_eq!(columns.of(byte), (position.line, position.character), "{text:?} {byte}");
                }
            }
        }
    }
}
