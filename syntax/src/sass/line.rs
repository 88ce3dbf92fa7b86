//! Classifies lines, and finds the marks before them in a quotation. The class depends on the line alone,
//! with one exception: a lone word is an instruction only next to other code.

use super::bytes::{ends_here, indentation, is_space, is_symbol, is_word};
use super::statement;

/// The class of a line, judged by its text after indentation and quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Empty,
    /// `/*0050*/` with an instruction or data.
    Addressed,
    /// `/* 0x0000000404057981 */`
    Encoding,
    /// Any other comment.
    Comment,
    /// `.section ...`
    Directive,
    /// `.L_x_0:`, with the length up to the colon.
    Label {
        length: usize,
    },
    /// `Function : saxpy`, with the length of the key.
    Header {
        key: usize,
    },
    /// An instruction without an address.
    Statement,
    /// Any other text.
    Prose,
}

/// Classifies a line without its quotation marks and line break. `after_code` says whether the previous
/// non-empty line was code.
pub(super) fn classify(line: &[u8], after_code: bool) -> Class {
    let line = &line[indentation(line)..];
    match line.first() {
        None => Class::Empty,
        Some(b'/') => match line.get(1) {
            Some(b'*') if address(line).is_some() => Class::Addressed,
            Some(b'*') if encoding(line).is_some() => Class::Encoding,
            Some(b'*' | b'/') => Class::Comment,
            _ => Class::Prose,
        },
        Some(b'.') if is_directive(line) => Class::Directive,
        Some(b'#') => header(line).map_or(Class::Prose, |key| Class::Header { key }),
        Some(byte) => {
            if let Some(length) = label(line).or_else(|| label_of_instruction(line, after_code)) {
                return Class::Label { length };
            }
            if (byte.is_ascii_lowercase() || *byte == b'F')
                && let Some(key) = header(line)
            {
                return Class::Header { key };
            }
            let code = statement::is_statement(line, after_code);
            if code { Class::Statement } else { Class::Prose }
        }
    }
}

pub(super) fn starts_with_word(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| is_word(*byte))
}

/// The length of `/*0050*/` at the start.
pub(super) fn address(line: &[u8]) -> Option<usize> {
    let digits = line.strip_prefix(b"/*")?;
    let count = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    (count >= 4 && digits[count..].starts_with(b"*/")).then_some(count + 4)
}

/// The address in `/*0050*/` at the start, if an instruction follows.
pub(super) fn address_value(line: &[u8]) -> Option<u64> {
    let length = address(line)?;
    let after = &line[length..];
    let digits = std::str::from_utf8(&line[2..length - 2]).ok()?;
    statement::starts_with_instruction(&after[indentation(after)..])
        .then(|| u64::from_str_radix(digits, 16).ok())
        .flatten()
}

/// The length of `/* 0x0000000404057981 */` at the start, with or without its spaces.
pub(super) fn encoding(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"/*")?;
    let before = rest.iter().take_while(|byte| **byte == b' ').count();
    let digits = rest[before..].strip_prefix(b"0x")?;
    let count = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let after = digits[count..].iter().take_while(|byte| **byte == b' ').count();
    (count >= 8 && digits[count + after..].starts_with(b"*/")).then_some(before + count + after + 6)
}

/// Whether a line is a directive: a dot and a lower-case word.
fn is_directive(line: &[u8]) -> bool {
    let length = 1 + line[1..].iter().take_while(|byte| is_word(**byte)).count();
    line.get(1).is_some_and(u8::is_ascii_lowercase) && line.get(length).is_none_or(|byte| is_space(*byte))
}

/// The length of the label's name, if the line is a label.
fn label(line: &[u8]) -> Option<usize> {
    let length = line.iter().take_while(|byte| is_symbol(**byte)).count();
    if length > 0 && line.get(length) == Some(&b':') && ends_here(&line[length + 1..]) {
        return Some(length);
    }
    demangled(line)
}

/// The length of the label before an instruction on the same line: `L2: IADD3 R1, R0, 0x1, RZ`.
fn label_of_instruction(line: &[u8], after_code: bool) -> Option<usize> {
    let length = line.iter().take_while(|byte| is_symbol(**byte)).count();
    let (name, rest) = (&line[..length], line[length..].strip_prefix(b":")?);
    // `Result: OK`
    let is_english = name.iter().all(u8::is_ascii_alphabetic);
    // `0x0020: MOV R1, R2` has an address.
    if name.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let gap = indentation(rest);
    let is_code = length > 0 && gap > 0 && statement::is_statement(&rest[gap..], after_code && !is_english);
    is_code.then_some(length)
}

/// The length of a demangled name before a colon: `saxpy(int, float*):`.
fn demangled(line: &[u8]) -> Option<usize> {
    let end = line.iter().rposition(|byte| !is_space(*byte))?;
    let name = line.get(..end)?;
    if line[end] != b':' || name.last() != Some(&b')') {
        return None;
    }
    let parenthesis = memchr::memchr(b'(', name)?;
    let word = name[..parenthesis].strip_prefix(b"void ").unwrap_or(&name[..parenthesis]);
    let is_name =
        |byte: &u8| is_symbol(*byte) || matches!(byte, b':' | b'<' | b'>' | b'~' | b',' | b'*' | b'&');
    (!word.is_empty() && word.iter().all(is_name)).then_some(end)
}

/// The keys of the headers that `cuobjdump` prints before code.
const KEYS: &[&[u8]] = &[
    b"arch",
    b"code version",
    b"host",
    b"compile_size",
    b"producer",
    b"identifier",
    b"ptxasOptions",
    b"has debug info",
];

/// The length of the key of a header line.
fn header(line: &[u8]) -> Option<usize> {
    if line.starts_with(b"code for sm_") {
        return Some("code for".len());
    }
    if line.starts_with(b"Function") {
        let rest = &line["Function".len()..];
        return rest[indentation(rest)..].starts_with(b":").then_some("Function".len());
    }
    if is_fat_header(line) {
        return Some(line.trim_ascii_end().len());
    }
    if let Some(key) = [&b"# Kernel"[..], b"# Arch"].into_iter().find(|key| line.starts_with(key)) {
        return line[key.len()..].starts_with(b":").then_some(key.len());
    }
    let key = KEYS.iter().find(|key| line.starts_with(key))?;
    let rest = &line[key.len()..];
    rest[indentation(rest)..].starts_with(b"=").then_some(key.len())
}

/// `Fatbin elf code:`
pub(super) fn is_fat_header(line: &[u8]) -> bool {
    line.starts_with(b"Fatbin ") && line.trim_ascii_end().ends_with(b"code:")
}

/// The range of the section name in `//--------------------- .text.k   --------------------------`.
pub(super) fn section_rule(line: &[u8]) -> Option<(usize, usize)> {
    let dashes = line.strip_prefix(b"//")?;
    let count = dashes.iter().take_while(|byte| **byte == b'-').count();
    if count < 6 {
        return None;
    }
    let rest = &dashes[count..];
    let start = 2 + count + indentation(rest);
    let length = line[start..].iter().take_while(|byte| !is_space(**byte)).count();
    (start > 2 + count && length > 0 && !line[start..].starts_with(b"nvinfo"))
        .then_some((start, start + length))
}
