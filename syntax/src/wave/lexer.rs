//! WAVE tokens. Any text can be cut into tokens. Errors inside a token are reported here, errors about its
//! position by the grammar.
//!
//! Newlines are part of the white space; the grammar asks which tokens start a line.

use crate::SyntaxKind::{self, *};
use crate::lexed::Lexed;
use crate::punctuation;

pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer::new(text, 0, Lexed::with_capacity(text));
    while !lexer.at_end() {
        let start = lexer.at;
        let kind = lexer.token();
        lexer.lexed.push(kind, lexer.at);
        debug_assert!(lexer.at > start);
    }
    lexer.lexed
}

/// Reads tokens one by one; `lexed` receives their errors.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    pub(crate) at: usize,
    lexed: Lexed,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str, at: usize, lexed: Lexed) -> Lexer<'t> {
        Lexer { text, at, lexed }
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    #[inline]
    pub(crate) fn token(&mut self) -> SyntaxKind {
        match self.byte(0) {
            b' ' | b'\t' | b'\r' | b'\n' => self.whitespace(),
            b';' | b'#' => {
                self.rest_of_line();
                COMMENT
            }
            b'/' if matches!(self.byte(1), b'/' | b'*') => self.foreign_comment(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'-' | b'+' if self.byte(1).is_ascii_digit() => self.number(),
            b'-' | b'+' if self.byte(1) == b'.' && self.byte(2).is_ascii_digit() => self.number(),
            b'.' if self.byte(1).is_ascii_digit() => self.number(),
            b'.' if self.letter_follows() => {
                self.at += 1;
                self.word_end();
                DOT_WORD
            }
            quote @ (b'"' | b'\'') => self.string(quote),
            // Punctuation that WAVE does not use is a token too, so that the grammar reports it once.
            byte => match punctuation::single(byte) {
                Some(kind) => self.single(kind),
                None => self.odd_character(),
            },
        }
    }

    /// The byte `ahead` positions after the next one; 0 past the end.
    #[inline]
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn single(&mut self, kind: SyntaxKind) -> SyntaxKind {
        self.at += 1;
        kind
    }

    #[inline]
    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    #[inline]
    fn whitespace(&mut self) -> SyntaxKind {
        let mut ends_line = false;
        self.at += leading(self.rest(), |byte| {
            ends_line |= matches!(byte, b'\n' | b'\r');
            matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
        });
        if ends_line {
            self.lexed.end_line();
        }
        WHITESPACE
    }

    fn rest_of_line(&mut self) {
        let rest = self.rest();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += if end > 0 && rest[end - 1] == b'\r' { end - 1 } else { end };
    }

    /// `// …` and `/* … */`: read as comments, with one error.
    fn foreign_comment(&mut self) -> SyntaxKind {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let block = self.byte(1) == b'*';
        let ends = |at: &usize| bytes[*at] == b'\n' || block && bytes[*at - 1] == b'*';
        // A single pass, so that many such comments on one line do not search it again and again.
        match memchr::memchr2_iter(b'\n', b'/', &bytes[start + 2..]).map(|at| start + 2 + at).find(ends) {
            Some(end) if bytes[end] == b'/' => {
                self.at = end + 1;
                if memchr::memchr(b'\r', &bytes[start..end]).is_some() {
                    self.lexed.end_line();
                }
            }
            _ => self.rest_of_line(),
        }
        self.lexed.error(
            start,
            start + 2,
            "invalid comment: a comment starts with `;` or `#` and ends with its line",
        );
        COMMENT
    }

    /// A quoted text up to its closing quote or the end of its line.
    fn string(&mut self, quote: u8) -> SyntaxKind {
        let start = self.at;
        self.rest_of_line();
        if let Some(end) = memchr::memchr(quote, &self.text.as_bytes()[start + 1..self.at]) {
            self.at = start + end + 2;
        }
        STRING
    }

    fn letter_follows(&self) -> bool {
        self.text[self.at + 1..].chars().next().is_some_and(char::is_alphabetic)
    }

    /// Consumes letters, digits and underscores.
    #[inline]
    fn word_end(&mut self) {
        self.at += leading(self.rest(), is_word_byte);
        if !self.byte(0).is_ascii() {
            let rest = &self.text[self.at..];
            self.at += rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        }
    }

    #[inline]
    fn word(&mut self) -> SyntaxKind {
        let kind = match self.byte(0) {
            b's' if self.byte(1) == b'r' => return self.special_register(),
            b'r' if self.byte(1).is_ascii_digit() => GENERAL_REGISTER,
            b'p' if self.byte(1).is_ascii_digit() => PREDICATE_REGISTER,
            _ => {
                self.word_end();
                return IDENT;
            }
        };
        let length = 1 + leading(&self.rest()[1..], |byte| byte.is_ascii_digit());
        if is_word_byte(self.byte(length)) || !self.byte(length).is_ascii() {
            self.odd_register();
        } else {
            self.at += length;
        }
        kind
    }

    /// A word that starts with `sr`.
    fn special_register(&mut self) -> SyntaxKind {
        let start = self.at;
        self.word_end();
        let word = &self.text[start..self.at];
        if word.starts_with("sr_") {
            return SPECIAL_NAME;
        }
        let message = format!("`{word}` is not a name: words that begin with `sr` are special registers");
        self.lexed.error(start, self.at, message);
        IDENT
    }

    /// A word that starts with a register letter and a digit, and is more than a register.
    fn odd_register(&mut self) {
        let start = self.at;
        self.word_end();
        let word = &self.text[start..self.at];
        let (first, rest) = word.as_bytes().split_at(1);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if is_glued_word(&word[1 + digits..]) {
            self.at = start + 1 + digits;
        } else if digits < rest.len() {
            let letter = first[0] as char;
            let message = format!(
                "`{word}` is neither a register nor a name: no name begins with `{letter}` and a digit"
            );
            self.lexed.error(start, self.at, message);
        }
    }

    /// A number and the word attached to it.
    fn number(&mut self) -> SyntaxKind {
        let start = self.at;
        // The fast path for most numbers. None with up to 18 digits is too large.
        let digits = leading(self.rest(), |byte| byte.is_ascii_digit());
        if (1..=18).contains(&digits) && !self.may_continue_number(digits) {
            self.at += digits;
            return INT_NUMBER;
        }
        let hexadecimal = is_hexadecimal(&self.text[start..]);
        let mut last = 0;
        loop {
            let byte = self.byte(0);
            let exponent_sign = matches!(byte, b'+' | b'-') && matches!(last, b'e' | b'E') && !hexadecimal;
            if !(self.at == start || is_word_byte(byte) || byte == b'.' || exponent_sign) {
                break;
            }
            last = byte;
            self.at += 1;
        }
        self.word_end();
        let whole = &self.text[start..self.at];
        let sound = number_length(whole, hexadecimal);
        let is_float = |number: &str| !hexadecimal && number.contains(['.', 'e', 'E']);
        let problem = |number: &str| number_problem(number, hexadecimal, is_float(number));
        if is_glued_word(&whole[sound..]) && problem(&whole[..sound]).is_none() {
            self.at = start + sound;
        } else if let Some(message) = problem(whole) {
            self.lexed.error(start, self.at, message);
        }
        if is_float(&self.text[start..self.at]) { FLOAT_NUMBER } else { INT_NUMBER }
    }

    /// Whether the byte at `ahead` may belong to a number or to a word attached to it.
    fn may_continue_number(&self, ahead: usize) -> bool {
        let byte = self.byte(ahead);
        is_word_byte(byte) || byte == b'.' || !byte.is_ascii()
    }

    /// A non-ASCII letter starts a name; any other character separates tokens. Both are errors.
    fn odd_character(&mut self) -> SyntaxKind {
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else { return self.single(ERROR_TOKEN) };
        self.at += first.len_utf8();
        if first.is_alphabetic() {
            self.word_end();
            let message =
                format!("a name cannot begin with `{first}`: its first letter must be one of ASCII");
            self.lexed.error(start, self.at, message);
            return IDENT;
        }
        if first.is_whitespace() || first == '\u{feff}' {
            let name = if first == '\u{feff}' { "a byte order mark" } else { "this white space character" };
            let message =
                format!("the assembler does not read {name} (U+{:04X}): remove it", u32::from(first));
            self.lexed.error(start, self.at, message);
            return WHITESPACE;
        }
        self.lexed.error(start, self.at, format!("unexpected `{}`", first.escape_debug()));
        ERROR_TOKEN
    }
}

/// Whether the text attached to a register or a number is a separate word, as the assembler reads it:
/// `r3endloop`. Fewer than two letters are more likely a typo.
fn is_glued_word(rest: &str) -> bool {
    rest.len() > 1 && rest.bytes().take(2).all(|byte| byte.is_ascii_alphabetic())
}

/// The length of the prefix that the assembler reads as a number.
fn number_length(text: &str, hexadecimal: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let mut dotted = false;
    if hexadecimal {
        let digits = bytes[at + 2..].iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b'_');
        return at + 2 + digits.count();
    }
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' | b'_' => {}
            b'.' if !dotted => dotted = true,
            b'e' | b'E' => at += usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-'))),
            _ => break,
        }
        at += 1;
    }
    at
}

/// The number of leading bytes that are in a class.
#[inline]
fn leading(bytes: &[u8], mut is_in_class: impl FnMut(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_in_class(*byte)).unwrap_or(bytes.len())
}

fn is_word_byte(byte: u8) -> bool {
    WORD_BYTES[byte as usize]
}

/// Letters, digits and `_`, as a table because the lexer tests nearly every byte.
const WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn is_hexadecimal(number: &str) -> bool {
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number).as_bytes();
    matches!(digits, [b'0', b'x' | b'X', ..])
}

/// What is wrong with a number, if anything.
fn number_problem(number: &str, hexadecimal: bool, float: bool) -> Option<String> {
    if let Some(unsigned) = number.strip_prefix('+') {
        Some(format!("a number takes no `+`: write `{unsigned}`"))
    } else if hexadecimal {
        hexadecimal_problem(number)
    } else if number.strip_prefix('-').unwrap_or(number).starts_with('.') {
        // The assembler accepts `-.5`, but not `.5`.
        number.starts_with('.').then(|| format!("a number begins with a digit: write `0{number}`"))
    } else if float {
        float_problem(number)
    } else {
        let digits = number.replace('_', "");
        if !digits.strip_prefix('-').unwrap_or(&digits).bytes().all(|byte| byte.is_ascii_digit()) {
            Some(format!("`{number}` is not a number: write it in decimal, or in hexadecimal as `0x1f`"))
        } else {
            digits.parse::<i64>().is_err().then(|| too_large(number))
        }
    }
}

fn hexadecimal_problem(number: &str) -> Option<String> {
    if number.starts_with('-') {
        let fix = "write its two's complement, or write it in decimal";
        return Some(format!("a hexadecimal number takes no sign: {fix}"));
    }
    if let Some(digits) = number.strip_prefix("0X") {
        return Some(format!("hexadecimal numbers begin with a small `x`: write `0x{digits}`"));
    }
    let digits = number[2..].replace('_', "");
    if digits.is_empty() {
        Some("a hexadecimal number needs digits after `0x`".to_owned())
    } else if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Some(format!("`{number}` is not a hexadecimal number"))
    } else {
        i64::from_str_radix(&digits, 16).is_err().then(|| too_large(number))
    }
}

fn float_problem(number: &str) -> Option<String> {
    let digits = number.replace('_', "");
    if digits.parse::<f64>().is_ok() {
        return None;
    }
    let bare = number.trim_end_matches(['f', 'F']);
    if bare.replace('_', "").parse::<f64>().is_ok() {
        Some(format!("a float takes no suffix: write `{bare}`"))
    } else {
        Some(format!("`{number}` is not a number: floats look like `1.5` or `2e-3`"))
    }
}

fn too_large(number: &str) -> String {
    format!("`{number}` does not fit into 64 bits with a sign")
}
