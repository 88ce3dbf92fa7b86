//! `textDocument/semanticTokens/full`, `full/delta` and `range`.
//!
//! The protocol encodes each token relative to the previous one, and a delta relative to an earlier answer.

use std::sync::Arc;

use ls_types::{
    SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams, SemanticTokensEdit,
    SemanticTokensFullDeltaResult, SemanticTokensRangeParams, SemanticTokensRangeResult,
    SemanticTokensResult,
};
use ropey::Rope;
use warplens_ide as ide;

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use warplens_protocol::position::Encoding;

/// The tokens of a whole document are sent only up to this size in bytes; the tokens of a range are always sent.
const MAX_FULL: usize = 1 << 20;

/// `textDocument/semanticTokens/range`.
pub(crate) fn range(
    snapshot: &Snapshot,
    params: &SemanticTokensRangeParams,
) -> NullableAnswer<SemanticTokensRangeResult> {
    let tokens = snapshot.analysis.tokens_in(snapshot.file, snapshot.text_range(params.range))?;
    Ok(Some(SemanticTokens { result_id: None, data: encode(snapshot, &tokens) }.into()))
}

/// `textDocument/semanticTokens/full`.
pub(crate) fn full(snapshot: &Snapshot) -> NullableAnswer<SemanticTokensResult> {
    let Some(data) = all(snapshot)? else { return Ok(None) };
    store(snapshot, &data);
    let result_id = Some(snapshot.version.to_string());
    Ok(Some(SemanticTokens { result_id, data: data.to_vec() }.into()))
}

/// `textDocument/semanticTokens/full/delta`: the difference to the answer that the client has.
pub(crate) fn full_delta(
    snapshot: &Snapshot,
    params: &SemanticTokensDeltaParams,
) -> NullableAnswer<SemanticTokensFullDeltaResult> {
    let Some(data) = all(snapshot)? else { return Ok(None) };
    let sent = snapshot.shown.get(&snapshot.uri).tokens;
    let known = sent.filter(|(version, _)| version.to_string() == params.previous_result_id);
    store(snapshot, &data);
    let result_id = Some(snapshot.version.to_string());
    Ok(Some(match known {
        Some((_, old)) => {
            let edits = delta(&old, &data);
            SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta { result_id, edits })
        }
        None => SemanticTokensFullDeltaResult::Tokens(SemanticTokens { result_id, data: data.to_vec() }),
    }))
}

/// The tokens of the whole document; `None` above the limit.
fn all(snapshot: &Snapshot) -> NullableAnswer<Arc<Vec<SemanticToken>>> {
    if snapshot.text.len_bytes() > MAX_FULL {
        return Ok(None);
    }
    let tokens = snapshot.analysis.tokens(snapshot.file)?;
    Ok(Some(Arc::new(encode(snapshot, &tokens))))
}

/// Stores an answer for the next delta.
fn store(snapshot: &Snapshot, data: &Arc<Vec<SemanticToken>>) {
    let sent = (snapshot.version, Arc::clone(data));
    snapshot.shown.update(&snapshot.uri, |shown| shown.tokens = Some(sent));
}

/// Encodes tokens, which are in text order and do not span lines.
fn encode(snapshot: &Snapshot, tokens: &[ide::SemanticToken]) -> Vec<SemanticToken> {
    let mut columns = Columns::new(&snapshot.text, snapshot.encoding);
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

/// Lines and columns of increasing offsets, without a search in the rope for each.
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

/// The single edit from `old` to `new`; empty if they are equal.
fn delta(old: &[SemanticToken], new: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    // The protocol counts integers, and a token has five.
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
    fn a_delta_covers_the_changed_tokens() {
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
                    let position =
                        warplens_protocol::position::position(&rope, (byte as u32).into(), encoding);
                    assert_eq!(columns.of(byte), (position.line, position.character), "{text:?} {byte}");
                }
            }
        }
    }
}
