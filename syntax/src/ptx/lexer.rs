//! PTX tokens.
//!
//! Hand-written over bytes. Two tokens depend on more than their own characters: `.` and a digit start a
//! modifier right after a name or another modifier (`tex.2d`) and a number elsewhere (`.5`); `#` starts a
//! line mark only as the first thing on its line.

use memchr::{memchr, memchr2, memchr3};

use smol_str::SmolStr;

use crate::lexed::Lexed;
use crate::punctuation::single;
use crate::scan::CommentEnds;
use crate::{SyntaxKind, T, invisible};

pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        lexed: Lexed::with_capacity(text),
        word_before: false,
        comment_ends: CommentEnds::default(),
    };
    while lexer.at < lexer.bytes.len() {
        lexer.token();
    }
    lexer.lexed
}

/// Classes of bytes, one bit each.
const SPACE: u8 = 1;
const WORD: u8 = 2;
const DIGIT: u8 = 4;
const LINE_END: u8 = 8;

static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            // The assembler skips 0x1a, with which files of DOS end.
            b' ' | b'\t' | 0x0c | 0x1a => SPACE,
            b'\n' | b'\r' => SPACE | LINE_END,
            b'0'..=b'9' => WORD | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => WORD,
            _ => 0,
        };
        byte += 1;
    }
    class
};

fn is(byte: u8, class: u8) -> bool {
    CLASS[usize::from(byte)] & class != 0
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    lexed: Lexed,
    /// Whether the previous token, which ends here, is a name or a modifier.
    word_before: bool,
    comment_ends: CommentEnds,
}

impl Lexer<'_> {
    fn token(&mut self) {
        let start = self.at;
        let kind = match self.bytes[start] {
            byte if is(byte, SPACE) => self.whitespace(),
            b'%' if is(self.peek(1), WORD) => self.name(),
            byte if is(byte, DIGIT) => self.number(),
            byte if is(byte, WORD) => self.name(),
            b'.' => self.dot(),
            b'/' => self.slash(),
            b'"' => self.string(),
            b'#' => self.hash(),
            b'\'' => self.character(),
            b'@' if self.bytes[start..].starts_with(b"@@DWARF") => {
                self.at = self.line_end(start);
                T![dwarf_line]
            }
            _ => self.punctuation(),
        };
        self.word_before = matches!(kind, T![ident] | T![dot_word]);
        self.lexed.push(kind, self.at);
    }

    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    fn skip(&mut self, class: u8) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| !is(*byte, class)).unwrap_or(rest.len());
    }

    fn line_end(&self, from: usize) -> usize {
        memchr2(b'\n', b'\r', &self.bytes[from..]).map_or(self.bytes.len(), |length| from + length)
    }

    fn error(&mut self, start: usize, message: impl Into<SmolStr>) {
        self.lexed.error(start, self.at, message);
    }

    fn whitespace(&mut self) -> SyntaxKind {
        let mut classes = 0;
        let rest = &self.bytes[self.at..];
        let is_other = |byte: &u8| {
            let class = CLASS[usize::from(*byte)];
            classes |= class;
            class & SPACE == 0
        };
        self.at += rest.iter().position(is_other).unwrap_or(rest.len());
        if classes & LINE_END != 0 {
            self.lexed.end_line();
        }
        T![whitespace]
    }

    fn name(&mut self) -> SyntaxKind {
        let start = self.at;
        self.at += 1;
        self.skip(WORD);
        if self.at == start + 1 && self.bytes[start] == b'_' { T!['_'] } else { T![ident] }
    }

    /// `.word`, a number that starts with its decimal point, or a lone dot.
    fn dot(&mut self) -> SyntaxKind {
        let start = self.at;
        self.at += 1;
        if is(self.peek(0), DIGIT) && !self.word_before && is_fraction(&self.bytes[start..]) {
            return self.number_after_point(start);
        }
        self.skip(WORD);
        while self.peek(0) == b':' && self.peek(1) == b':' && is(self.peek(2), WORD) {
            self.at += 2;
            self.skip(WORD);
            // `.sp::2:4`
            if self.peek(0) == b':' && is(self.peek(1), DIGIT) && is(self.bytes[self.at - 1], DIGIT) {
                self.at += 1;
                self.skip(WORD);
            }
        }
        if self.at == start + 1 { T![.] } else { T![dot_word] }
    }

    fn slash(&mut self) -> SyntaxKind {
        let start = self.at;
        match self.peek(1) {
            b'/' => {
                // A carriage return alone does not end it.
                self.at =
                    memchr(b'\n', &self.bytes[start..]).map_or(self.bytes.len(), |length| start + length);
                if self.bytes[..self.at].ends_with(b"\r") {
                    self.at -= 1;
                }
                T![comment]
            }
            b'*' => {
                match self.comment_ends.of(self.bytes, start) {
                    Some(end) => {
                        self.at = end;
                        if memchr2(b'\n', b'\r', &self.bytes[start..end]).is_some() {
                            self.lexed.end_line();
                        }
                    }
                    None => {
                        self.lexed.open_comment = true;
                        self.at = self.line_end(start);
                        self.error(start, "unterminated comment: close it with `*/`");
                    }
                }
                T![comment]
            }
            _ => self.punctuation(),
        }
    }

    fn string(&mut self) -> SyntaxKind {
        let start = self.at;
        if !self.quoted(b'"') {
            self.at = self.line_end(start);
            self.error(start, "unterminated string: close it with `\"` on the same line");
        } else if let Some(letter) = self.text[start..self.at].chars().find(|letter| !letter.is_ascii()) {
            self.error(
                start,
                format!("`{letter}` is not ASCII: the assembler stops at it; write ASCII only"),
            );
        }
        T![string]
    }

    /// Consumes text up to the next quote, if there is one on the line, and returns whether there is.
    fn quoted(&mut self, quote: u8) -> bool {
        let inside = self.at + 1;
        match memchr3(quote, b'\n', b'\r', &self.bytes[inside..]) {
            Some(length) if self.bytes[inside + length] == quote => {
                self.at = inside + length + 1;
                true
            }
            _ => false,
        }
    }

    /// `'a'`, which is a character literal in other languages but an error here.
    fn character(&mut self) -> SyntaxKind {
        let start = self.at;
        if !self.quoted(b'\'') {
            return self.unknown_character();
        }
        self.error(start, "PTX has no character literals: write the character's number");
        T![error_token]
    }

    /// A line mark, or a line that a C preprocessor should have removed.
    fn hash(&mut self) -> SyntaxKind {
        let start = self.at;
        let before = self.bytes[..start].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        if before.is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
            return self.unknown_character();
        }
        self.at = self.line_end(start);
        let line = &self.text[start + 1..self.at].trim_start();
        let line = line.strip_prefix("line").unwrap_or(line).trim_start();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            return T![line_mark];
        }
        self.error(start, "PTX has no preprocessor: only line marks (`# 12 \"file.cu\"`) may start with `#`");
        T![error_token]
    }

    fn number(&mut self) -> SyntaxKind {
        let start = self.at;
        let exact_digits = match (self.peek(0), self.peek(1)) {
            (b'0', b'f' | b'F') => Some(8),
            (b'0', b'd' | b'D') => Some(16),
            _ => None,
        };
        if let Some(digits) = exact_digits {
            self.skip(WORD);
            let body = &self.bytes[start + 2..self.at];
            if body.len() != digits || !body.iter().all(u8::is_ascii_hexdigit) {
                let message = if digits == 8 {
                    "a single-precision bit pattern has exactly 8 hexadecimal digits after `0f`"
                } else {
                    "a double-precision bit pattern has exactly 16 hexadecimal digits after `0d`"
                };
                self.error(start, message);
            }
            return T![float_number];
        }
        self.skip(DIGIT);
        // The fast path for most numbers. With up to 18 digits none is too large.
        let length = self.at - start;
        let is_plain = length == 1 || length <= 18 && self.bytes[start] != b'0';
        if is_plain && self.peek(0) != b'.' && !is(self.peek(0), WORD) {
            return T![int_number];
        }
        let point =
            self.peek(0) == b'.' && !is_word_start(self.peek(1)) || is_exponent_point(&self.bytes[self.at..]);
        if point {
            self.at += 1;
            return self.number_after_point(start);
        }
        if is_exponent(&self.bytes[self.at..]) && !self.bytes[start..self.at].is_empty() {
            return self.number_after_point(start);
        }
        self.skip(WORD);
        if !is_integer(&self.bytes[start..self.at]) {
            self.error(
                start,
                "invalid number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with an optional `U` suffix",
            );
        } else if is_too_large(&self.bytes[start..self.at]) {
            self.error(start, "this number is too large; an integer has 64 bits");
        }
        T![int_number]
    }

    /// The digits after the decimal point and the exponent of the number that starts at `start`.
    fn number_after_point(&mut self, start: usize) -> SyntaxKind {
        self.skip(DIGIT);
        if is_exponent(&self.bytes[self.at..]) {
            self.at += 2;
            self.skip(DIGIT);
        }
        let end = self.at;
        self.skip(WORD);
        if self.at > end {
            self.error(start, "invalid number: a decimal fraction takes no suffix");
        }
        T![float_number]
    }

    fn punctuation(&mut self) -> SyntaxKind {
        let (kind, length) = match (self.bytes[self.at], self.peek(1)) {
            (b'<', b'<') => (T![<<], 2),
            (b'>', b'>') => (T![>>], 2),
            (b'<', b'=') => (T![<=], 2),
            (b'>', b'=') => (T![>=], 2),
            (b'=', b'=') => (T![==], 2),
            (b'!', b'=') => (T![!=], 2),
            (b'&', b'&') => (T![&&], 2),
            (b'|', b'|') => (T![||], 2),
            (byte, _) => {
                let Some(kind) = single(byte) else { return self.unknown_character() };
                (kind, 1)
            }
        };
        self.at += length;
        kind
    }

    /// A run of characters that cannot start a token. If they are invisible, the text means what it seems to mean.
    fn unknown_character(&mut self) -> SyntaxKind {
        let start = self.at;
        if let Some(description) = self.text[start..].chars().next().and_then(invisible::description) {
            self.at += invisible::length(&self.text[start..]);
            self.error(start, format!("{description} is not allowed here: write a space or remove it"));
            return T![whitespace];
        }
        let known = |letter: char| {
            letter.is_ascii() && !matches!(letter, '#' | '\\' | '`' | '\'')
                || invisible::name(letter).is_some()
        };
        let mut rest = self.text[start..].char_indices().skip(1);
        self.at =
            rest.find(|(_, letter)| known(*letter)).map_or(self.text.len(), |(length, _)| start + length);
        self.error(start, "invalid character in PTX: remove it");
        T![error_token]
    }
}

fn is_word_start(byte: u8) -> bool {
    is(byte, WORD) && !is(byte, DIGIT)
}

/// `e5`, `E+5`
fn is_exponent(bytes: &[u8]) -> bool {
    match bytes {
        [b'e' | b'E', b'+' | b'-', digit, ..] | [b'e' | b'E', digit, ..] => digit.is_ascii_digit(),
        _ => false,
    }
}

/// `.e5`, the rest of `1.e5`
fn is_exponent_point(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'.') && is_exponent(&bytes[1..])
}

/// `.5`, `.5e3`; not `.2d`
fn is_fraction(bytes: &[u8]) -> bool {
    let digits = bytes[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &bytes[1 + digits..];
    is_exponent(rest) || !rest.first().is_some_and(|byte| is(*byte, WORD))
}

fn is_integer(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"U").unwrap_or(word);
    match word {
        [b'0', b'x' | b'X', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        [b'0', b'b' | b'B', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(|digit| matches!(digit, b'0' | b'1'))
        }
        [b'0', digits @ ..] => digits.iter().all(|digit| matches!(digit, b'0'..=b'7')),
        digits => digits.iter().all(u8::is_ascii_digit),
    }
}

/// Whether the assembler rejects an integer as too large, which it does if a digit follows after bit 63 is
/// set. From other large integers it drops the upper bits.
fn is_too_large(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"U").unwrap_or(word);
    let (digits, radix) = match word {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', b'b' | b'B', digits @ ..] => (digits, 2),
        [b'0', digits @ ..] => (digits, 8),
        digits => (digits, 10),
    };
    let digits = digits.iter().filter_map(|digit| char::from(*digit).to_digit(radix));
    let mut value = 0u64;
    for digit in digits {
        if value >> 63 == 1 {
            return true;
        }
        value = value.wrapping_mul(radix.into()).wrapping_add(digit.into());
    }
    false
}
