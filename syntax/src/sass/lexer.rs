//! SASS tokens, line by line. Any text is valid: whatever is not code becomes a comment.

use memchr::{memchr, memmem};

use super::bytes::{indentation, is_space, is_symbol, is_word};
use super::line::{self, Class};
use super::{columns, statement};
use crate::SyntaxKind::{self, *};
use crate::lexed::Lexed;
use crate::punctuation::single;

pub(crate) fn lex(text: &str) -> Lexed {
    let bytes = text.as_bytes();
    let mut lexer = Lexer {
        text: bytes,
        at: 0,
        lexed: Lexed::with_capacity(text),
        after_code: false,
        address: None,
        has_another: false,
    };
    while lexer.at < bytes.len() {
        let end = memchr(b'\n', &bytes[lexer.at..]).map_or(bytes.len(), |length| lexer.at + length);
        let returned = usize::from(end > lexer.at && end < bytes.len() && bytes[end - 1] == b'\r');
        lexer.line(end - returned);
        if end < bytes.len() {
            lexer.push(NEWLINE, end + 1);
        }
    }
    lexer.lexed
}

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    lexed: Lexed,
    /// Whether the previous line was code, ignoring empty lines.
    after_code: bool,
    /// The address of the last instruction of the line.
    address: Option<u64>,
    /// Whether the line goes on with another instruction.
    has_another: bool,
}

impl<'t> Lexer<'t> {
    fn push(&mut self, kind: SyntaxKind, end: usize) {
        if end > self.at {
            self.lexed.push(kind, end);
            self.at = end;
        }
    }

    fn rest(&self, end: usize) -> &'t [u8] {
        &self.text[self.at..end]
    }

    fn byte(&self, offset: usize, end: usize) -> u8 {
        if self.at + offset < end { self.text[self.at + offset] } else { 0 }
    }

    fn space(&mut self, end: usize) {
        let length = indentation(self.rest(end));
        self.push(WHITESPACE, self.at + length);
    }

    /// The tokens of the line up to `end`, where its line break starts.
    fn line(&mut self, end: usize) {
        self.address = None;
        self.quotation(end);
        let class = line::classify(self.rest(end), self.after_code);
        self.space(end);
        match class {
            Class::Empty => return,
            Class::Addressed => self.addressed(end),
            Class::Encoding => self.comments(end),
            Class::Comment => return self.comments(end),
            Class::Directive => self.words(end),
            Class::Label { length } => self.label(length, end),
            Class::Header { key } => self.header(key, end),
            Class::Statement => self.statement(end),
            Class::Prose => self.push(COMMENT, end),
        }
        while std::mem::take(&mut self.has_another) {
            self.space(end);
            match self.byte(0, end) {
                b'/' => self.addressed(end),
                _ => self.statement(end),
            }
        }
        self.after_code = !matches!(class, Class::Prose | Class::Header { .. } | Class::Directive);
    }

    /// Quotation marks, line numbers and similar marks before code.
    fn quotation(&mut self, end: usize) {
        let length = columns::quotation(self.rest(end), self.after_code);
        if length > 0 {
            let marks = self.at + length;
            self.space(marks);
            self.push(COMMENT, marks);
        }
    }

    /// `/*0050*/` and the instruction or data at that address.
    fn addressed(&mut self, end: usize) {
        let length = line::address(self.rest(end)).unwrap_or_default();
        self.address = line::address_value(self.rest(end));
        self.push(ADDRESS_COMMENT, self.at + length);
        self.space(end);
        let columns = columns::after_address(self.rest(end));
        self.push(COMMENT, self.at + columns);
        self.space(end);
        // Old tools print the encoding before the opcode.
        if let Some(length) = line::encoding(self.rest(end)) {
            self.push(ENCODING, self.at + length);
            self.space(end);
        }
        if self.byte(0, end) == b'.' {
            self.words(end);
        } else {
            self.statement(end);
        }
    }

    fn label(&mut self, length: usize, end: usize) {
        self.push(IDENT, self.at + length);
        self.push(COLON, self.at + 1);
        self.space(end);
        match statement::starts_with_instruction(self.rest(end)) {
            true => self.statement(end),
            false => self.comments(end),
        }
    }

    /// `Function : saxpy`, `code for sm_80`, `arch = sm_61`: the key and the value.
    fn header(&mut self, key: usize, end: usize) {
        self.push(HEADER_WORD, self.at + key);
        self.space(end);
        match self.byte(0, end) {
            b':' => self.push(COLON, self.at + 1),
            b'=' => self.push(EQ, self.at + 1),
            _ => {}
        }
        self.space(end);
        let value = self.rest(end).trim_ascii_end().len();
        self.push(IDENT, self.at + value);
        self.space(end);
    }

    /// Encodings and comments up to the end of the line, or up to the next instruction on it.
    fn comments(&mut self, end: usize) {
        loop {
            self.space(end);
            let rest = self.rest(end);
            // The same or a lower address is that of a listing beside this one.
            if self.address.is_some() && line::address_value(rest) > self.address {
                self.has_another = true;
                return;
            }
            if let Some(length) = line::encoding(rest) {
                self.push(ENCODING, self.at + length);
            } else if rest.starts_with(b"/*") {
                let length = memmem::find(&rest[2..], b"*/").map_or(rest.len(), |length| length + 4);
                self.push(COMMENT, self.at + length);
            } else {
                return self.push(COMMENT, end);
            }
        }
    }

    /// A directive with its arguments.
    fn words(&mut self, end: usize) {
        if self.byte(0, end) == b'.' {
            self.dot_word(end);
        }
        while self.at < end {
            self.space(end);
            match self.byte(0, end) {
                0 => return,
                b'/' if matches!(self.byte(1, end), b'/' | b'*') => return self.comments(end),
                b'"' => {
                    let rest = &self.rest(end)[1..];
                    let length = memchr(b'"', rest).map_or(rest.len(), |length| length + 1);
                    self.push(STRING, self.at + 1 + length);
                }
                b'0'..=b'9' => self.number(end),
                byte if is_symbol(byte) => self.while_kind(IDENT, end, is_symbol),
                _ => self.punctuation(end),
            }
        }
    }

    /// An instruction: brace, guard, opcode, operands, and the rest of its line. A tab after the opcode and its modifiers, as in
    /// `ISETP.GE.AND<tab>P0`, ends no columns.
    fn statement(&mut self, end: usize) {
        let (mut depth, mut braces, mut after_comma) = (0_u32, 0_u32, true);
        let (mut opcode, mut guard, mut has_operand) = (false, false, false);
        while self.at < end {
            if indentation(self.rest(end)) > 0 {
                let are_counters = match has_operand {
                    true if after_comma => false,
                    true => statement::counters_follow(self.text[self.at - 1], self.rest(end)),
                    false => opcode && statement::are_counters(self.rest(end)),
                };
                if self.columns_follow(end) && opcode && !after_comma && has_operand || are_counters {
                    return self.push(COMMENT, end);
                }
                continue;
            }
            if self.ends_statement(opcode, end) {
                return;
            }
            let byte = self.text[self.at];
            match byte {
                b'(' if self.byte(1, end) == b'*' => self.note(end),
                b'{' => {
                    braces += u32::from(opcode);
                    self.push(L_BRACE, self.at + 1);
                }
                b'}' => {
                    self.push(R_BRACE, self.at + 1);
                    if braces == 0 {
                        return self.after_end(end);
                    }
                    braces -= 1;
                }
                b'&' | b'?' if byte == b'&' || opcode && self.byte(1, end).is_ascii_alphabetic() => {
                    self.while_kind(NOTE, end, |byte| !is_space(byte) && byte != b';');
                }
                b'0'..=b'9' => self.number(end),
                b'.' if depth == 0 => {
                    self.dot_word(end);
                    after_comma = false;
                    continue;
                }
                _ if is_word(byte) || matches!(byte, b'.' | b'$' | b'?') => {
                    self.word(depth > 0, end);
                    after_comma = !opcode;
                    has_operand |= opcode;
                    opcode |= !std::mem::take(&mut guard);
                    continue;
                }
                _ => {
                    depth =
                        if byte == b'(' { depth + 1 } else { depth.saturating_sub(u32::from(byte == b')')) };
                    guard |= byte == b'@' && !opcode;
                    self.punctuation(end);
                }
            }
            has_operand |= opcode;
            after_comma = byte == b',';
        }
    }

    /// Inside parentheses a word is a symbol.
    fn word(&mut self, in_parentheses: bool, end: usize) {
        if in_parentheses {
            self.while_kind(IDENT, end, is_symbol);
        } else {
            self.while_kind(IDENT, end, |byte| is_word(byte) || matches!(byte, b'$' | b'?'));
        }
    }

    /// Lexes the rest of the line if the statement ends here: with `;`, at a comment or at the border of a table's cell.
    fn ends_statement(&mut self, opcode: bool, end: usize) -> bool {
        match self.text[self.at] {
            b'/' if matches!(self.byte(1, end), b'/' | b'*') => self.comments(end),
            b'#' | b'<' | b'-' if opcode && statement::starts_comment(&self.text[..end], self.at) => {
                self.after_end(end);
            }
            b'<' if self.byte(1, end) == b'/' => self.push(COMMENT, end),
            b';' => {
                self.punctuation(end);
                self.has_another = opcode && statement::another_follows(self.rest(end));
                if !self.has_another {
                    self.after_end(end);
                }
            }
            b'|' if self.ends_cell(end) => self.push(COMMENT, end),
            // The end of a line in backquotes.
            b'`' if opcode && self.byte(1, end) != b'(' => self.push(COMMENT, end),
            _ => return false,
        }
        true
    }

    /// Whether a `|` has white space on both sides; the bars of an absolute value do not.
    fn ends_cell(&self, end: usize) -> bool {
        let is_space_at = |at: usize| at >= end || is_space(self.text[at]);
        self.at > 0 && is_space(self.text[self.at - 1]) && is_space_at(self.at + 1)
    }

    /// Skips white space. Returns whether the columns of a profiler may follow rather than another part of an
    /// instruction.
    fn columns_follow(&mut self, end: usize) -> bool {
        let length = indentation(self.rest(end));
        let has_tab = self.rest(end)[..length].contains(&b'\t');
        self.push(WHITESPACE, self.at + length);
        has_tab && !matches!(self.byte(0, end), b';' | b'}' | b'/' | b'(' | b'.' | b',' | b'&' | 0)
    }

    /// `(*"BRANCH_TARGETS .L_x_6"*)`
    fn note(&mut self, end: usize) {
        let rest = self.rest(end);
        let length = memmem::find(rest, b"*)").map_or(rest.len(), |length| length + 2);
        self.push(NOTE, self.at + length);
    }

    /// The text after the end of an instruction: encodings, notes, comments or anything else.
    fn after_end(&mut self, end: usize) {
        loop {
            self.space(end);
            match self.byte(0, end) {
                0 => return,
                b'/' => return self.comments(end),
                b'&' | b'?' => self.while_kind(NOTE, end, |byte| !is_space(byte)),
                b'(' if self.byte(1, end) == b'*' => self.note(end),
                // `<-- here` before an encoding.
                _ => {
                    let rest = self.rest(end);
                    let text = memmem::find(rest, b"/*").unwrap_or(rest.len());
                    let text = rest[..text].trim_ascii_end().len();
                    self.push(COMMENT, self.at + text.max(1));
                }
            }
        }
    }

    fn while_kind(&mut self, kind: SyntaxKind, end: usize, is_part: impl Fn(u8) -> bool) {
        let rest = self.rest(end);
        let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        self.push(kind, self.at + length.max(1));
    }

    fn dot_word(&mut self, end: usize) {
        let rest = self.rest(end);
        let length =
            rest[1..].iter().position(|byte| !is_word(*byte) && *byte != b'?').unwrap_or(rest.len() - 1);
        self.push(if length == 0 { DOT } else { DOT_WORD }, self.at + 1 + length);
    }

    /// `0x1f`, `1.5e-10`, and words that begin with a digit: `2D`, `32` of `32@lo(...)`.
    fn number(&mut self, end: usize) {
        let rest = self.rest(end);
        let word = |from: usize| from + rest[from..].iter().take_while(|byte| is_word(**byte)).count();
        let mut length = word(0);
        let hexadecimal = rest.starts_with(b"0x") || rest.starts_with(b"0X");
        let mut kind = if hexadecimal { INT_NUMBER } else { decimal(&rest[..length]) };
        let fraction =
            rest.get(length) == Some(&b'.') && rest.get(length + 1).is_some_and(u8::is_ascii_digit);
        if kind == INT_NUMBER && !hexadecimal && fraction {
            length = word(length + 1);
            kind = FLOAT_NUMBER;
        }
        let exponent = matches!(rest[length - 1], b'e' | b'E') && kind != INT_NUMBER;
        let signed = matches!(rest.get(length), Some(b'+' | b'-'));
        if exponent && signed && rest.get(length + 1).is_some_and(u8::is_ascii_digit) {
            length = word(length + 1);
            kind = FLOAT_NUMBER;
        }
        self.push(kind, self.at + length);
    }

    fn punctuation(&mut self, end: usize) {
        match self.text[self.at] {
            b'`' => self.push(BACKQUOTE, self.at + 1),
            byte if let Some(kind) =
                single(byte).filter(|kind| !matches!(kind, L_BRACE | R_BRACE | QUESTION)) =>
            {
                self.push(kind, self.at + 1);
            }
            _ => {
                // The whole character rather than its first byte.
                let rest = &self.text[self.at + 1..end];
                let length = rest.iter().take_while(|byte| (**byte & 0xc0) == 0x80).count();
                self.push(ERROR_TOKEN, self.at + 1 + length);
            }
        }
    }
}

/// The kind of a word that begins with a digit: `12`, `1e5`, `2D`.
fn decimal(word: &[u8]) -> SyntaxKind {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &word[digits..];
    match rest.first() {
        None => INT_NUMBER,
        Some(b'e' | b'E') if rest[1..].iter().all(u8::is_ascii_digit) => FLOAT_NUMBER,
        Some(_) => IDENT,
    }
}
