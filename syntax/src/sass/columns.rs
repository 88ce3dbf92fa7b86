//! Columns that other tools print before the instructions of a listing: control information of assemblers, addresses of
//! debuggers and profilers, counters, the cells of a table, the marks of a list, the signs of a diff.
//!
//! A line is any number of columns, an address, more columns, and an instruction. What follows the instruction is in
//! `statement`.

use memchr::memmem;

use super::bytes::{indentation, is_space, is_word};
use super::line::{self, Class};
use super::statement;

/// The maximum number of columns of a line, because classifying each may scan the whole line.
const MOST_COLUMNS: usize = 64;
/// Maximum length of a column of control information.
const LONGEST_CONTROL: usize = 40;

/// The length of what other tools put before a line of a listing: `>`, a line number, the columns of profilers,
/// assemblers and debuggers, the border of a table. It only counts if code follows.
pub(super) fn quotation(text: &[u8], after_code: bool) -> usize {
    let indented = indentation(text);
    match text.get(indented) {
        Some(b'/' | b'.' | b'@' | b'{' | b'}') | None => return 0,
        Some(byte)
            if is_word(*byte) && !byte.is_ascii_digit() && !is_first_column(word(&text[indented..])) =>
        {
            return 0;
        }
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

/// Where the columns that start at `from` end, if an instruction follows them.
fn before_code(text: &[u8], from: usize, after_code: bool) -> Option<usize> {
    let (mut at, mut is_of_listing) = (from, false);
    for _ in 0..MOST_COLUMNS {
        let start = at + indentation(&text[at..]);
        let column = Column::of(word(&text[start..]))?;
        is_of_listing |= column.kind == Kind::OfListing;
        at = start + column.length;
        let is_between_counters = || statement::is_before_counters(&text[at + indentation(&text[at..])..]);
        let before_words = is_of_listing || column.kind != Kind::Number || is_between_counters();
        let class = line::classify(&text[at..], after_code && before_words);
        if matches!(class, Class::Statement | Class::Addressed | Class::Encoding) {
            return Some(at);
        }
    }
    None
}

/// The number of bytes between an address and its instruction; 0 if no instruction follows.
pub(super) fn after_address(text: &[u8]) -> usize {
    let mut at = 0;
    for _ in 0..MOST_COLUMNS {
        let start = at + indentation(&text[at..]);
        let rest = &text[start..];
        let is_code = matches!(rest.first(), Some(b'/' | b'.')) || statement::starts_with_instruction(rest);
        if is_code && !is_control(word(rest)) {
            return at;
        }
        let Some(column) = Column::of(word(rest)) else { return 0 };
        at = start + column.length;
    }
    0
}

/// The length of any text before `/*0050*/` and an instruction, unless the text has words of a sentence.
fn before_address(text: &[u8]) -> Option<usize> {
    let at = memmem::find(text, b"/*")?;
    let rest = &text[at..];
    let after = &rest[line::address(rest)?..];
    let has_words = text[..at].windows(2).any(|pair| pair.iter().all(u8::is_ascii_lowercase));
    (!has_words && statement::starts_with_instruction(&after[indentation(after)..])).then_some(at)
}

/// Whether a word that begins with a letter may be the first column of a line: control information, `a0`, `a0:`, `L0013`.
fn is_first_column(word: &[u8]) -> bool {
    is_control(word) || hexadecimal(word) >= 2 && word[0].is_ascii_lowercase() || is_line_number(word)
}

/// `L0013`
fn is_line_number(word: &[u8]) -> bool {
    word.strip_prefix(b"L").is_some_and(|digits| digits.len() > 2 && digits.iter().all(u8::is_ascii_digit))
}

struct Column {
    length: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only listings have such a column.
    OfListing,
    /// A sign or the mark of a list or table.
    Mark,
    /// A lone word after it is a unit and no instruction.
    Number,
}

impl Column {
    fn of(word: &[u8]) -> Option<Column> {
        let digits = hexadecimal(word);
        let of = |kind| move |length| Some(Column { length, kind });
        let (of_listing, mark, number) = (of(Kind::OfListing), of(Kind::Mark), of(Kind::Number));
        match word {
            [] => None,
            // A line in backquotes; `` `(label) `` is an operand.
            [b'`', next, ..] if *next != b'(' => mark(1),
            // `[B01----:R-:W2:Y:S05]`, `[0xfe2000]`, with or without a space before the instruction.
            [b'[', rest @ ..] if let Some(end) = memchr::memchr(b']', rest) => match &rest[..end] {
                inside if is_control(inside) || hexadecimal(inside) >= 4 => of_listing(end + 2),
                inside if inside.iter().any(u8::is_ascii_alphabetic) => None,
                _ => mark(end + 2),
            },
            _ if is_control(word) => of_listing(word.len()),
            [b'<', rest @ ..] if let Some(length) = tag(rest) => mark(length + 1),
            // `<+16>:`, `<kernel+16>:`
            [b'<', .., b'>' | b':'] => of_listing(word.len()),
            _ if digits >= 8 => of_listing(word.len()),
            // An address has a prefix, a colon or leading zeros.
            [b'0', b'x', ..] | [.., b':'] if digits >= 1 => of_listing(word.len()),
            // A number with letters counts nothing.
            [letter, ..] if digits >= 2 && letter.is_ascii_lowercase() => mark(word.len()),
            [b'0', _, _, _, ..] if digits >= 2 => mark(word.len()),
            _ if is_line_number(word) => mark(word.len()),
            // `{S=1,Y}`
            [b'{', inside @ .., b'}'] if inside.contains(&b'=') => of_listing(word.len()),
            _ if digits >= 2 => number(word.len()),
            // `1.`, `2)`
            [b'0'..=b'9', .., b'.' | b')'] if word[..word.len() - 1].iter().all(u8::is_ascii_digit) => {
                mark(word.len())
            }
            _ if word.iter().any(u8::is_ascii_alphabetic) => None,
            _ if word == b"%" || word.iter().any(u8::is_ascii_digit) => number(word.len()),
            _ => mark(word.len()),
        }
    }
}

/// The text up to the next space that is not between angle brackets.
fn word(text: &[u8]) -> &[u8] {
    if let [b'<', rest @ ..] = text {
        if let Some(length) = tag(rest) {
            return &text[..=length];
        }
        // `<kernel(unsigned int*)+16>:`
        if let Some(end) = memmem::rfind(rest, b">:").filter(|end| *end > 0 && rest[end - 1].is_ascii_digit())
        {
            return &text[..end + 3];
        }
    }
    let is_end = |at: &usize| is_space(text[*at]) || indentation(&text[*at..]) > 0;
    &text[..(0..text.len()).find(is_end).unwrap_or(text.len())]
}

/// The length of `li>` or `span class="a">` of an opening tag.
fn tag(rest: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b'>', rest)?;
    let name = rest[..end].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let has_attributes = rest[name] == b' ' && rest[..end].contains(&b'=');
    (name > 0 && (name == end || has_attributes)).then_some(end + 1)
}

/// The number of digits of a hexadecimal number, with or without `0x` and a colon after it; 0 for anything else.
fn hexadecimal(word: &[u8]) -> usize {
    let word = word.strip_suffix(b":").unwrap_or(word);
    let digits = word.strip_prefix(b"0x").unwrap_or(word);
    let has_digit = digits.iter().any(u8::is_ascii_digit);
    if has_digit && digits.iter().all(u8::is_ascii_hexdigit) { digits.len() } else { 0 }
}

/// `B01----:R-:W2:Y:S05`, `01:-:2:Y:5`
fn is_control(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || b"-~BRWSYyPTr".contains(byte);
    let mut count = 0;
    word.len() <= LONGEST_CONTROL
        && word.split(|byte| *byte == b':').all(|field| {
            count += 1;
            !field.is_empty() && field.iter().all(is_part)
        })
        && matches!(count, 5 | 6)
}

/// The length of one mark at the start, including the space before it.
fn quotation_mark(line: &[u8]) -> Option<usize> {
    let indented = indentation(line);
    let rest = &line[indented..];
    if rest.first() == Some(&b'>') {
        return Some(indented + 1);
    }
    // `01:-:2:Y:5`
    if is_control(word(&rest[..rest.len().min(LONGEST_CONTROL + 1)])) {
        return None;
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
        || is_instruction(line)
}

/// Whether a line without an address is an instruction, as in a listing that was cut: it names a register and ends with `;`, which
/// begins a comment in other assemblers.
fn is_instruction(line: &[u8]) -> bool {
    let line = memmem::find(line, b"/*").map_or(line, |encoding| &line[..encoding]).trim_ascii_end();
    let mut words = line.split(|byte| !byte.is_ascii_alphanumeric());
    line.ends_with(b";") && statement::starts_with_instruction(line) && words.any(is_register)
}

/// `R1`, `RZ`, `UR4`, `P0`, `PT`
fn is_register(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"U").unwrap_or(word);
    let digits = |number: &[u8]| !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    match word {
        b"RZ" | b"PT" => true,
        [b'R' | b'P', number @ ..] => digits(number),
        _ => false,
    }
}
