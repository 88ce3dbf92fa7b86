//! Where PTX items end, found without tokens: bytes are skipped up to the next one that can matter.
//!
//! The scanner and the grammar follow the same rules about braces. `{` opens a block where a statement
//! starts, and a vector or an initializer elsewhere; a `;` closes the latter even if its `}` is missing. A
//! word that only a module can contain ([`words::is_module_only`]) closes a body if it starts a statement or
//! a line.

mod header;

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use self::header::Header;
use super::words;
use crate::ItemKind;
use crate::invisible;
use crate::scan::{CommentEnd, Scanned, Tail};

pub(crate) fn scan(text: &str, start: usize, tail: &Tail<'_>) -> Scanned {
    let mut scanner = Scanner::new(text, start, tail);
    let (kind, name) = scanner.item();
    let end = scanner.at;
    debug_assert!(end > start, "an item is never empty");
    let sees_end = scanner.waits_for_comment_end;
    Scanned {
        end,
        examined: if sees_end { text.len() + 1 } else { scanner.examined.max(end) },
        kind,
        name,
        open_comment: scanner.open_comment,
    }
}

/// The bytes that can matter after the first word of a line in a statement.
const MATTERS: [bool; 256] = {
    let mut matters = [false; 256];
    let mut index = 0;
    let bytes = b";{}:\"/@\n\r";
    while index < bytes.len() {
        matters[bytes[index] as usize] = true;
        index += 1;
    }
    matters
};

/// The number of bytes after a token that may affect its kind; `@@DWARF` is the longest such text.
const LOOK_AHEAD: usize = 8;

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The start of the item. The result may not depend on text before it.
    start: usize,
    at: usize,
    /// How far the scanner has looked; past the end of the text once it has seen that end.
    examined: usize,
    open_comment: bool,
    /// Whether a comment continues after the given text.
    waits_for_comment_end: bool,
    tail: &'t Tail<'t>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A name or an opcode.
    Name,
    /// `.word`
    Word,
    /// A number or a string.
    Value,
    /// `@@DWARF ...`
    DwarfLine,
    /// Any other character.
    Mark(u8),
    /// The end of the text.
    End,
}

struct Token {
    piece: Piece,
    range: Range<usize>,
    /// Whether the token is the first of its line.
    starts_line: bool,
}

/// The state of the scanner in a body.
struct Body {
    /// The number of open blocks.
    depth: u32,
    /// The number of open braces around operands.
    operand_braces: u32,
    /// Whether the next token starts a statement.
    fresh: bool,
    /// Whether the next token is the first of its line.
    line_starts: bool,
    /// Where the current statement starts.
    statement: usize,
    /// Where the previous statement ends.
    settled: usize,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, start: usize, tail: &'t Tail<'t>) -> Scanner<'t> {
        Scanner {
            text,
            bytes: text.as_bytes(),
            start,
            at: start,
            examined: start,
            open_comment: false,
            waits_for_comment_end: false,
            tail,
        }
    }

    fn item(&mut self) -> (ItemKind, Option<Range<usize>>) {
        let first = self.peek();
        match first.piece {
            Piece::End => {
                self.at = self.bytes.len();
                (ItemKind::Other, None)
            }
            Piece::DwarfLine => {
                self.at = first.range.end;
                (ItemKind::Directive, None)
            }
            Piece::Word => match &self.text[first.range.clone()] {
                word if words::ends_with_line(word) => self.line(first),
                ".section" => self.section(first),
                ".param" => self.stray_code(),
                _ => self.declaration(),
            },
            _ => self.stray_code(),
        }
    }

    /// `.target sm_90, debug`: up to a token that cannot belong to it.
    fn line(&mut self, directive: Token) -> (ItemKind, Option<Range<usize>>) {
        self.at = directive.range.end;
        let mut operands = 0;
        let mut after_comma = false;
        loop {
            let token = self.peek();
            let comma = token.piece == Piece::Mark(b',');
            let goes_on = !token.starts_line || operands == 0 || comma || after_comma;
            let ends = match token.piece {
                Piece::End | Piece::Word | Piece::DwarfLine | Piece::Mark(b'{' | b'}') => true,
                _ => !goes_on,
            };
            if ends {
                return (ItemKind::Directive, None);
            }
            self.at = token.range.end;
            if token.piece == Piece::Mark(b';') {
                return (ItemKind::Directive, None);
            }
            operands += 1;
            after_comma = comma;
        }
    }

    /// `.section .debug_info { ... }`
    fn section(&mut self, directive: Token) -> (ItemKind, Option<Range<usize>>) {
        self.at = directive.range.end;
        let mut name = None;
        loop {
            let token = self.peek();
            match token.piece {
                Piece::Mark(b'{') => break,
                Piece::End | Piece::Mark(b'}') => return (ItemKind::Directive, name),
                _ if token.starts_line && name.is_some() => return (ItemKind::Directive, name),
                Piece::Word if name.is_none() => name = Some(token.range.clone()),
                _ => {}
            }
            self.at = token.range.end;
            if token.piece == Piece::Mark(b';') {
                return (ItemKind::Directive, name);
            }
        }
        loop {
            let token = self.peek();
            match token.piece {
                Piece::End => return (ItemKind::Directive, name),
                Piece::Word if token.starts_line && self.begins_module_item(&token) => {
                    return (ItemKind::Directive, name);
                }
                _ => self.at = token.range.end,
            }
            if token.piece == Piece::Mark(b'}') {
                return (ItemKind::Directive, name);
            }
        }
    }

    /// A declaration: a variable, a function, or a directive up to its `;`.
    fn declaration(&mut self) -> (ItemKind, Option<Range<usize>>) {
        let mut header = Header::default();
        loop {
            let token = self.peek();
            if self.ends_declaration(&header, &token) {
                break;
            }
            if self.starts_body_without_brace(&header, &token) {
                self.body();
                break;
            }
            self.at = token.range.end;
            match token.piece {
                Piece::Mark(b';') => {
                    if header.last_word != ".pragma" || header.kind.is_none() {
                        break;
                    }
                    header.last_word = "";
                }
                Piece::Mark(b'{') if !header.has_value => {
                    self.body();
                    break;
                }
                Piece::Mark(mark) => header.mark(mark),
                Piece::Word => header.word(&self.text[token.range.clone()]),
                Piece::Name => header.name(token.range),
                _ => {}
            }
        }
        (header.item_kind(), header.name)
    }

    /// Whether the declaration ends before this token because something is missing.
    fn ends_declaration(&mut self, header: &Header<'_>, token: &Token) -> bool {
        match token.piece {
            Piece::End | Piece::DwarfLine => true,
            Piece::Mark(b'}') => !header.has_value,
            Piece::Word if token.starts_line && header.words > 0 => {
                if header.kind.is_some() {
                    let word = &self.text[token.range.clone()];
                    let header_is_whole = header.name.is_some() && header.parens == 0;
                    return header_is_whole && words::ends_header(word) || self.begins_module_item(token);
                }
                header.name.is_some() && words::begins_item(&self.text[token.range.clone()])
            }
            _ => false,
        }
    }

    /// Whether a function's `{` is missing before this token.
    fn starts_body_without_brace(&self, header: &Header<'_>, token: &Token) -> bool {
        if header.kind.is_none() || header.name.is_none() || header.parens > 0 {
            return false;
        }
        match token.piece {
            Piece::Word => words::begins_body(&self.text[token.range.clone()]),
            Piece::Name | Piece::Mark(b'@') => token.starts_line,
            _ => false,
        }
    }

    /// The rest of a body, after its `{`.
    fn body(&mut self) {
        let (statement, settled) = (self.at, self.at);
        let mut body =
            Body { depth: 1, operand_braces: 0, fresh: true, line_starts: false, statement, settled };
        while let Some(&byte) = self.bytes.get(self.at) {
            if self.skip_trivia(byte, &mut body) {
                continue;
            }
            let first_of_line = std::mem::take(&mut body.line_starts);
            let was_fresh = std::mem::take(&mut body.fresh);
            if was_fresh {
                body.statement = self.at;
            }
            match byte {
                _ if is_word(byte) => {
                    self.inside_statement();
                    continue;
                }
                b'"' => {
                    self.at = self.string_end(self.at);
                    continue;
                }
                b'.' if was_fresh || first_of_line => {
                    let token = self.peek();
                    if token.piece == Piece::Word && self.closes_body(&token) {
                        return self.back_to_last_token(body.settled);
                    }
                }
                b';' => (body.operand_braces, body.fresh) = (0, true),
                b'{' if was_fresh
                    || first_of_line && body.operand_braces == 0 && self.has_operands(body.statement)
                    || self.is_guard(body.statement) =>
                {
                    (body.depth, body.fresh) = (body.depth + 1, true);
                }
                b'{' => body.operand_braces += 1,
                b'}' if body.operand_braces > 0 => body.operand_braces -= 1,
                b'}' if body.depth == 1 => {
                    self.at += 1;
                    return;
                }
                b'}' => (body.depth, body.fresh) = (body.depth - 1, true),
                b':' if self.byte(1) == b':' => self.at += 1,
                b':' => body.fresh = true,
                _ => {}
            }
            self.at += 1;
            if body.fresh {
                body.settled = self.at;
            }
        }
        self.examined = self.bytes.len() + 1;
    }

    /// Skips white space, a comment, a line mark or a `@@DWARF` line in a body. Returns whether there is one.
    fn skip_trivia(&mut self, byte: u8, body: &mut Body) -> bool {
        match byte {
            b' ' | b'\t' | 0x0c | 0x1a => self.at += 1,
            b'\n' | b'\r' => {
                body.fresh |= self.statement_ends_with_line(body.statement);
                body.line_starts = true;
                self.at += 1;
            }
            b'/' if matches!(self.byte(1), b'/' | b'*') => self.comment(),
            b'#' if self.is_first_of_line(self.at) => self.at = self.line_end(self.at),
            b'@' if self.bytes[self.at..].starts_with(b"@@DWARF") => {
                self.at = self.line_end(self.at);
                body.fresh = true;
            }
            _ => {
                let invisible = self.invisible();
                self.at += invisible;
                return invisible > 0;
            }
        }
        true
    }

    /// Moves back to the end of the last token before here; `from` is at or before that end.
    fn back_to_last_token(&mut self, from: usize) {
        let here = std::mem::replace(&mut self.at, from);
        loop {
            let token = self.peek();
            if token.range.start >= here {
                return;
            }
            self.at = token.range.end;
        }
    }

    /// Statements outside a function, up to an item of the module.
    fn stray_code(&mut self) -> (ItemKind, Option<Range<usize>>) {
        let mut fresh = false;
        loop {
            let token = self.peek();
            match token.piece {
                Piece::End | Piece::DwarfLine => return (ItemKind::Other, None),
                Piece::Word
                    if (fresh || token.starts_line)
                        && words::ends_stray_code(&self.text[token.range.clone()]) =>
                {
                    return (ItemKind::Other, None);
                }
                _ => self.at = token.range.end,
            }
            fresh = matches!(token.piece, Piece::Mark(b';' | b'}' | b'{'));
        }
    }

    /// Whether this word closes an open body. A prototype does not: it is a statement of the body.
    fn closes_body(&mut self, token: &Token) -> bool {
        match &self.text[token.range.clone()] {
            ".target" => false,
            ".func" => !self.is_prototype(token.range.end),
            word if words::is_linkage(word) => {
                self.function_after(token).is_some_and(|function| !self.is_prototype(function.range.end))
            }
            word => words::is_module_only(word),
        }
    }

    /// Whether this word begins an item of the module, by itself or as the linkage of a function.
    fn begins_module_item(&mut self, token: &Token) -> bool {
        let word = &self.text[token.range.clone()];
        words::is_module_only(word) || words::is_linkage(word) && self.function_after(token).is_some()
    }

    /// The `.entry` or `.func` after a linkage word.
    fn function_after(&mut self, linkage: &Token) -> Option<Token> {
        let here = std::mem::replace(&mut self.at, linkage.range.end);
        let next = self.peek();
        self.at = here;
        (next.piece == Piece::Word && words::is_function(&self.text[next.range.clone()])).then_some(next)
    }

    /// Whether the function whose directive ends here is a prototype, which ends with a `;` and has no body.
    fn is_prototype(&mut self, directive_end: usize) -> bool {
        let here = std::mem::replace(&mut self.at, directive_end);
        let mut parens = 0;
        let is_prototype = loop {
            let token = self.peek();
            match token.piece {
                Piece::Mark(b';') => break true,
                Piece::End | Piece::DwarfLine | Piece::Mark(b'{' | b'}') => break false,
                Piece::Mark(b'(') => parens += 1,
                Piece::Mark(b')') => parens -= 1,
                Piece::Word if parens <= 0 && words::begins_item(&self.text[token.range.clone()]) => {
                    break false;
                }
                _ => {}
            }
            self.at = token.range.end;
        };
        self.at = here;
        is_prototype
    }

    /// Whether the statement from `statement` to here has an operand, so that a `{` starts a block.
    fn has_operands(&self, statement: usize) -> bool {
        let statement = self.text[statement..self.at].trim_end();
        let words = statement.split_ascii_whitespace().count();
        !statement.ends_with(',') && words > if statement.starts_with('@') { 2 } else { 1 }
    }

    /// Whether the statement from `statement` to here is only a guard, `@!%p1`. Then `{` opens a block,
    /// although that is an error.
    fn is_guard(&self, statement: usize) -> bool {
        let guard = self.text[statement..self.at].strip_prefix('@');
        let predicate = guard.map(|guard| guard.trim_start_matches(['!', ' ', '\t', '%']).trim_ascii_end());
        predicate.is_some_and(|predicate| !predicate.is_empty() && predicate.bytes().all(is_word))
    }

    fn statement_ends_with_line(&self, statement: usize) -> bool {
        let statement = &self.bytes[statement..self.at];
        statement.starts_with(b".loc") && statement.get(4).is_none_or(|byte| !is_word(*byte))
            || statement.starts_with(b".file") && statement.get(5).is_none_or(|byte| !is_word(*byte))
    }

    /// The next token after trivia. `at` moves to its start, or stays if only trivia is left.
    fn peek(&mut self) -> Token {
        let from = self.at;
        let mut starts_line = from == self.start;
        let mut at = self.at;
        loop {
            self.at = at;
            match self.bytes.get(at) {
                None => {
                    self.at = from;
                    self.examined = self.bytes.len() + 1;
                    let end = self.bytes.len();
                    return Token { piece: Piece::End, range: end..end, starts_line };
                }
                Some(b'\n' | b'\r') => {
                    starts_line = true;
                    at += 1;
                }
                Some(b' ' | b'\t' | 0x0c | 0x1a) => at += 1,
                Some(b'/') if matches!(self.byte(1), b'/' | b'*') => {
                    self.comment();
                    at = self.at;
                }
                Some(b'#') if self.is_first_of_line(at) => at = self.line_end(at),
                Some(_) => match self.invisible() {
                    0 => break,
                    length => at += length,
                },
            }
        }
        self.at = from;
        let (piece, end) = self.token_at(at);
        self.examined = self.examined.max(end + LOOK_AHEAD);
        Token { piece, range: at..end, starts_line }
    }

    fn token_at(&self, at: usize) -> (Piece, usize) {
        let word_end = |from: usize| {
            let rest = &self.bytes[from..];
            from + rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
        };
        let next = self.bytes.get(at + 1).copied().unwrap_or(0);
        match self.bytes[at] {
            b'.' if is_word(next) && !next.is_ascii_digit() => (Piece::Word, word_end(at + 1)),
            b'.' if next.is_ascii_digit() => (Piece::Value, word_end(at + 1)),
            b'"' => (Piece::Value, self.string_end(at)),
            b'@' if self.bytes[at..].starts_with(b"@@DWARF") => (Piece::DwarfLine, self.line_end(at)),
            b'%' if is_word(next) => (Piece::Name, word_end(at + 1)),
            byte if byte.is_ascii_digit() => (Piece::Value, word_end(at)),
            byte if is_word(byte) => (Piece::Name, word_end(at)),
            byte if byte.is_ascii() => (Piece::Mark(byte), at + 1),
            byte => {
                let rest = &self.bytes[at..];
                let length = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
                (Piece::Mark(byte), at + length)
            }
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips bytes that cannot matter after the first word of a line in a statement.
    fn inside_statement(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| MATTERS[usize::from(*byte)]).unwrap_or(rest.len());
    }

    /// The length of the invisible characters here.
    fn invisible(&self) -> usize {
        let byte = self.byte(0);
        let is_visible = (b' '..0x7f).contains(&byte) || byte.is_ascii_whitespace() || byte == 0x1a;
        if is_visible { 0 } else { self.text.get(self.at..).map_or(0, invisible::length) }
    }

    fn comment(&mut self) {
        if self.byte(1) == b'/' {
            // A carriage return alone does not end it.
            let rest = &self.bytes[self.at..];
            self.at = memchr(b'\n', rest).map_or(self.bytes.len(), |length| self.at + length);
            return;
        }
        match self.tail.comment_end(self.bytes, self.at) {
            CommentEnd::At(end) => self.at = end,
            CommentEnd::Later => {
                self.waits_for_comment_end = true;
                self.at = self.bytes.len();
            }
            CommentEnd::Never => {
                self.open_comment = true;
                self.at = self.line_end(self.at);
            }
        }
    }

    fn string_end(&self, at: usize) -> usize {
        match memchr3(b'"', b'\n', b'\r', &self.bytes[at + 1..]) {
            None => self.bytes.len(),
            Some(length) if self.bytes[at + 1 + length] == b'"' => at + 1 + length + 1,
            Some(length) => at + 1 + length,
        }
    }

    fn line_end(&self, at: usize) -> usize {
        memchr2(b'\n', b'\r', &self.bytes[at..]).map_or(self.bytes.len(), |length| at + length)
    }

    fn is_first_of_line(&self, at: usize) -> bool {
        let before = self.bytes[self.start..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        before.is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}
