//! Columns that other tools print before the instructions of a listing: control information of assemblers, addresses of
//! debuggers and profilers, counters, the cells of a table, the signs of a diff.

use memchr::memmem;

use super::bytes::{indentation, is_space, is_word};
use super::line::{self, Class};
use super::statement;

/// The length of what other tools put before a line of a listing: `>`, a line number, the columns of profilers,
/// assemblers and debuggers, the border of a table. It only counts if code follows.
pub(super) fn quotation(text: &[u8], after_code: bool) -> usize {
    let indented = indentation(text);
    match text.get(indented) {
        Some(b'/' | b'.' | b'@' | b'{' | b'}') | None => return 0,
        Some(byte) if is_word(*byte) && !byte.is_ascii_digit() => return 0,
        // A line that a diff removes.
        Some(b'-') if indented == 0 && matches!(&text[1..], [b'/' | b'\t', ..] | [b' ', b' ', ..]) => {
            return 0;
        }
        Some(_) => {}
    }
    let mut at = 0;
    while let Some(length) = quotation_mark(&text[at..]) {
        at += length;
    }
    let is_code =
        |at: usize| at > 0 && !matches!(line::classify(&text[at..], after_code), Class::Prose | Class::Empty);
    if is_code(at) {
        return at;
    }
    before_code(text, at, after_code).or_else(|| before_address(text)).unwrap_or(0)
}

/// The length of the columns from `from` on, if an instruction follows them. A line is unlikely to be code because of a
/// number or a sign, so that a lone word after it is none.
fn before_code(text: &[u8], from: usize, after_code: bool) -> Option<usize> {
    let (mut at, mut is_sure) = (from, false);
    loop {
        let start = at + indentation(&text[at..]);
        let length = text[start..].iter().take_while(|byte| !is_space(**byte)).count();
        let column = Column::of(&text[start..start + length])?;
        is_sure |= column.is_sure;
        at = start + column.length;
        let class = line::classify(&text[at..], after_code && is_sure);
        if matches!(class, Class::Statement | Class::Addressed | Class::Encoding) {
            return Some(at);
        }
    }
}

/// The length of any text before `/*0050*/` and an instruction, unless the text has words of a sentence.
fn before_address(text: &[u8]) -> Option<usize> {
    let at = memmem::find(text, b"/*")?;
    let rest = &text[at..];
    let after = &rest[line::address(rest)?..];
    let has_words = text[..at].windows(2).any(|pair| pair.iter().all(u8::is_ascii_lowercase));
    (!has_words && statement::starts_with_instruction(&after[indentation(after)..])).then_some(at)
}

struct Column {
    length: usize,
    /// Whether only listings have such a column.
    is_sure: bool,
}

impl Column {
    fn of(word: &[u8]) -> Option<Column> {
        let whole = |is_sure| Some(Column { length: word.len(), is_sure });
        match word {
            [] => None,
            // A line in backquotes; `` `(label) `` is an operand.
            [b'`', next, ..] if *next != b'(' => Some(Column { length: 1, is_sure: false }),
            [b'[', ..] | [.., b':', _] if is_control(word) => whole(true),
            // `<+16>:`, `<kernel+16>:`
            [b'<', .., b'>' | b':'] => whole(true),
            _ if hexadecimal(word) >= 8 => whole(true),
            _ if hexadecimal(word) >= 2 => whole(false),
            _ if word.iter().any(u8::is_ascii_alphabetic) => None,
            _ => whole(false),
        }
    }
}

/// The number of digits of a hexadecimal number, with or without `0x` and a colon after it; 0 for anything else.
fn hexadecimal(word: &[u8]) -> usize {
    let word = word.strip_suffix(b":").unwrap_or(word);
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    let has_digit = digits.iter().any(u8::is_ascii_digit);
    if has_digit && digits.iter().all(u8::is_ascii_hexdigit) { digits.len() } else { 0 }
}

/// `[B01----:R-:W2:Y:S05]`, `01:-:2:Y:5`
fn is_control(word: &[u8]) -> bool {
    let fields = word.strip_prefix(b"[").map_or(word, |rest| rest.strip_suffix(b"]").unwrap_or(rest));
    let is_field = |field: &[u8]| {
        !field.is_empty()
            && field.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
    };
    let mut count = 0;
    fields.split(|byte| *byte == b':').all(|field| {
        count += 1;
        is_field(field)
    }) && count == 5
}

/// The length of one mark at the start, including the space before it.
fn quotation_mark(line: &[u8]) -> Option<usize> {
    let indented = indentation(line);
    let rest = &line[indented..];
    if rest.first() == Some(&b'>') {
        return Some(indented + 1);
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = &rest[digits..];
    let gap = after.iter().take_while(|byte| **byte == b' ').count();
    match after.get(gap) {
        Some(b'|') => Some(indented + digits + gap + 1),
        Some(b':') if digits > 0 => Some(indented + digits + gap + 1),
        Some(b'\t') if digits > 0 => Some(indented + digits + gap + 1),
        _ => None,
    }
}

/// Whether such a line occurs only in a listing.
pub(super) fn is_of_a_listing(text: &str) -> bool {
    let bytes = text.as_bytes();
    let bytes = &bytes[quotation(bytes, false)..];
    let line = &bytes[indentation(bytes)..];
    if let Some(length) = line::address(line) {
        let rest = &line[length..];
        return statement::starts_with_instruction(&rest[indentation(rest)..]);
    }
    line.starts_with(b"code for sm_")
        || line.starts_with(b"Function : ")
        || line.starts_with(b".headerflags")
        || line.starts_with(b".section") && memmem::find(line, b".text.").is_some()
}
