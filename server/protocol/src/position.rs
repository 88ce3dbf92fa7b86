//! Positions in a text: line and character in the protocol, byte offsets elsewhere.
//!
//! The cost of a conversion depends on the depth of the rope, not on the length of the text or line. A file may have hundreds of
//! diagnostics, all converted after each keystroke, so the common case looks at a single chunk of the rope.

use ls_types::{InitializeParams, Position, PositionEncodingKind, Range};
use memchr::{memchr, memchr_iter, memchr2, memrchr};
use ropey::Rope;
use text_size::{TextRange, TextSize};

/// The unit in which a client counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// Code units of UTF-16, the protocol's default.
    Utf16,
}

impl Encoding {
    /// UTF-8 if the client offers it, otherwise the default, which every client supports.
    pub fn negotiate(params: &InitializeParams) -> Encoding {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_ref());
        match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// The byte offset of a position. A position after the end of its line is clamped to the end of the line, a position
/// inside a character to the start of that character, and the line after the last one to the end of the text. `None` for
/// later lines.
pub fn offset(text: &Rope, position: Position, encoding: Encoding) -> Option<TextSize> {
    let line = position.line as usize;
    if line >= text.len_lines() {
        return (line == text.len_lines()).then(|| size(text.len_bytes()));
    }
    let (start, end) = (text.line_to_char(line), line_end(text, line));
    let column = position.character as usize;
    let char = match encoding {
        Encoding::Utf8 => {
            let byte = text.char_to_byte(start).saturating_add(column).min(text.char_to_byte(end));
            text.byte_to_char(byte)
        }
        Encoding::Utf16 => {
            let unit = text.char_to_utf16_cu(start).saturating_add(column).min(text.char_to_utf16_cu(end));
            text.utf16_cu_to_char(unit)
        }
    };
    Some(size(text.char_to_byte(char)))
}

/// The position of a byte offset, clamped to the end of the text.
pub fn position(text: &Rope, offset: TextSize, encoding: Encoding) -> Position {
    let byte = usize::from(offset).min(text.len_bytes());
    if let Some(position) = position_in_chunk(text, byte) {
        return position;
    }
    let line = text.byte_to_line(byte);
    let character = match encoding {
        Encoding::Utf8 => byte - text.line_to_byte(line),
        Encoding::Utf16 => {
            text.char_to_utf16_cu(text.byte_to_char(byte)) - text.char_to_utf16_cu(text.line_to_char(line))
        }
    };
    Position { line: line as u32, character: character as u32 }
}

/// The position of a byte offset in either encoding. Works if the line starts in the chunk of the rope that contains the offset,
/// is ASCII up to there, and the chunk has no `\r` before it.
fn position_in_chunk(text: &Rope, byte: usize) -> Option<Position> {
    let (chunk, start, _, first_line) = text.chunk_at_byte(byte);
    let before = &chunk.as_bytes()[..byte - start];
    let line_start = memrchr(b'\n', before)? + 1;
    if memchr(b'\r', before).is_some() || !before[line_start..].is_ascii() {
        return None;
    }
    let line = first_line + memchr_iter(b'\n', before).count();
    Some(Position { line: line as u32, character: (before.len() - line_start) as u32 })
}

/// The byte range of the line at an offset, with its line ending; the last line if the offset is beyond the
/// end.
pub fn line_range(text: &Rope, offset: TextSize) -> TextRange {
    let line = text.byte_to_line(usize::from(offset).min(text.len_bytes()));
    TextRange::new(size(text.line_to_byte(line)), size(text.line_to_byte(line + 1)))
}

/// The byte range of a protocol range; `None` if it is outside the text or ends before it starts.
pub fn text_range(text: &Rope, range: Range, encoding: Encoding) -> Option<TextRange> {
    let (start, end) = (offset(text, range.start, encoding)?, offset(text, range.end, encoding)?);
    (start <= end).then(|| TextRange::new(start, end))
}

/// The protocol range of a byte range.
pub fn range(text: &Rope, range: TextRange, encoding: Encoding) -> Range {
    let start = position(text, range.start(), encoding);
    let end = match width_in_chunk(text, range) {
        Some(width) => Position { line: start.line, character: start.character + width },
        None => position(text, range.end(), encoding),
    };
    Range { start, end }
}

/// The width of a range in either encoding, if it is ASCII and within one line and one chunk of the rope.
fn width_in_chunk(text: &Rope, range: TextRange) -> Option<u32> {
    let byte = usize::from(range.start());
    let (chunk, start, ..) = text.get_chunk_at_byte(byte)?;
    let inside = chunk.as_bytes()[byte - start..].get(..usize::from(range.len()))?;
    let is_one_line = || memchr2(b'\n', b'\r', inside).is_none();
    (inside.is_ascii() && is_one_line()).then(|| range.len().into())
}

/// The character index of the end of a line, before its `\n`, `\r\n` or `\r`.
fn line_end(text: &Rope, line: usize) -> usize {
    let mut end = if line + 1 < text.len_lines() { text.line_to_char(line + 1) } else { text.len_chars() };
    let start = text.line_to_char(line);
    for terminator in ['\n', '\r'] {
        if end > start && text.char(end - 1) == terminator {
            end -= 1;
        }
    }
    end
}

/// Cannot overflow: much shorter texts are already refused (see `lsp::MAX_TEXT`).
fn size(bytes: usize) -> TextSize {
    TextSize::try_from(bytes).unwrap_or(TextSize::new(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    fn bytes(text: &str, position: Position, encoding: Encoding) -> Option<u32> {
        offset(&Rope::from_str(text), position, encoding).map(u32::from)
    }

    #[test]
    fn the_unit_is_that_of_the_client() {
        let text = "é𝄞x\nz";
        assert_eq!(bytes(text, at(0, 3), Encoding::Utf16), Some(6));
        assert_eq!(bytes(text, at(0, 6), Encoding::Utf8), Some(6));
        assert_eq!(bytes(text, at(1, 0), Encoding::Utf16), Some(8));
    }

    #[test]
    fn a_position_within_a_character_is_its_start() {
        assert_eq!(bytes("é𝄞x", at(0, 2), Encoding::Utf16), Some(2));
        assert_eq!(bytes("é𝄞x", at(0, 1), Encoding::Utf8), Some(0));
    }

    #[test]
    fn a_position_beyond_the_line_is_its_end() {
        for text in ["ab\ncd", "ab\r\ncd", "ab\rcd"] {
            assert_eq!(bytes(text, at(0, 99), Encoding::Utf16), Some(2), "{text:?}");
            assert_eq!(bytes(text, at(0, u32::MAX), Encoding::Utf8), Some(2), "{text:?}");
        }
    }

    #[test]
    fn one_line_beyond_the_text_is_its_end_and_later_lines_are_invalid() {
        assert_eq!(bytes("ab\n", at(2, 7), Encoding::Utf16), Some(3));
        assert_eq!(bytes("ab\n", at(3, 0), Encoding::Utf16), None);
        assert_eq!(bytes("", at(0, 5), Encoding::Utf16), Some(0));
    }

    #[test]
    fn only_the_line_terminators_of_the_protocol_count() {
        let text = "a\u{2028}b\u{c}c\nd";
        assert_eq!(bytes(text, at(1, 0), Encoding::Utf8), Some(8));
    }

    #[test]
    fn offsets_round_trip() {
        let text = Rope::from_str("é𝄞x\r\n\tmov ü\rlast");
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for char in 0..=text.len_chars() {
                let byte = size(text.char_to_byte(char));
                let converted = position(&text, byte, encoding);
                let back = offset(&text, converted, encoding);
                // No position is between \r and \n.
                if !(char > 0 && text.get_char(char - 1) == Some('\r') && text.get_char(char) == Some('\n')) {
                    assert_eq!(back, Some(byte), "{converted:?}");
                }
            }
        }
    }

    #[test]
    fn chunks_of_a_long_text_do_not_matter() {
        let lines = ["\tadd.s32 %r1, %r2, 3;\n", "// ü 𝄞\n", "\r\n", "x\r", "\n", "\tmov.u32 %r4, %tid.x;\n"];
        let text: String = (0..500).map(|number| lines[number * number % 7 % lines.len()]).collect();
        let rope = Rope::from_str(&text);
        assert!(rope.chunks().count() > 3, "the text has several chunks");
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (byte, _) in text.char_indices() {
                let line = rope.byte_to_line(byte);
                let before = &text[rope.line_to_byte(line)..byte];
                let character = match encoding {
                    Encoding::Utf8 => before.len(),
                    Encoding::Utf16 => before.encode_utf16().count(),
                };
                assert_eq!(position(&rope, size(byte), encoding), at(line as u32, character as u32));
                for end in [byte + 1, byte + 7, byte + 30] {
                    let Some(end) = text.get(byte..end).map(|_| size(end)) else { continue };
                    let expected = Range {
                        start: position(&rope, size(byte), encoding),
                        end: position(&rope, end, encoding),
                    };
                    assert_eq!(range(&rope, TextRange::new(size(byte), end), encoding), expected);
                }
            }
        }
    }

    #[test]
    fn a_range_whose_end_is_before_its_start_is_invalid() {
        let text = Rope::from_str("abc");
        let backwards = Range { start: at(0, 2), end: at(0, 1) };
        assert_eq!(text_range(&text, backwards, Encoding::Utf16), None);
    }
}
