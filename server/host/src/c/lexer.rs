//! The tokens of C++, with the directives of the preprocessor.
//!
//! Branches that a constant disables are skipped. The body of a macro is read like other code, between `Kind::MacroStart` and
//! `Kind::MacroEnd`.

use super::choices::Choices;
use super::conditions::{Condition, Conditions};
use super::literal;
use crate::text::{is_name, line_end, name_end, newline};
use crate::tokens::{Kind, Token};

#[derive(Clone)]
struct OpenStatement {
    /// How many conditions surround it.
    depth: usize,
    /// The branch after `#else` to read when the statement has ended.
    skipped_branch: Option<(usize, Conditions)>,
}

#[derive(Clone)]
pub(super) struct Lexer<'t> {
    pub(super) source: &'t str,
    bytes: &'t [u8],
    at: usize,
    line_start: bool,
    /// The end of the macro that is being read.
    macro_end: Option<usize>,
    pub(super) conditions: Conditions,
    /// The statement that is being read.
    statement: Option<OpenStatement>,
    pub(super) choices: Choices,
    resume_at: Option<(usize, Conditions)>,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(source: &'t str) -> Lexer<'t> {
        Lexer {
            source,
            bytes: source.as_bytes(),
            at: 0,
            line_start: true,
            macro_end: None,
            conditions: Conditions::default(),
            statement: None,
            choices: Choices::default(),
            resume_at: None,
        }
    }

    pub(super) fn text(&self, token: Token) -> &'t str {
        &self.source[token.start..token.end]
    }

    pub(super) fn is_in_macro(&self) -> bool {
        self.macro_end.is_some()
    }

    /// The position after the last token, to return to.
    pub(super) fn mark(&self) -> (usize, Conditions, Option<usize>) {
        (self.at, self.conditions.clone(), self.macro_end)
    }

    pub(super) fn reset(&mut self, (at, conditions, macro_end): (usize, Conditions, Option<usize>)) {
        (self.at, self.conditions, self.macro_end) = (at, conditions, macro_end);
        self.statement = None;
    }

    /// A statement starts: of the branches that open inside it, the first one is read.
    pub(super) fn start_statement(&mut self) {
        self.statement = Some(OpenStatement { depth: self.conditions.depth(), skipped_branch: None });
    }

    pub(super) fn end_statement(&mut self) {
        self.resume_at = self.statement.take().and_then(|statement| statement.skipped_branch);
    }

    /// Continues with the branch that the last statement skipped, if there is one.
    pub(super) fn resume(&mut self) {
        if let Some((at, conditions)) = self.resume_at.take() {
            (self.at, self.conditions, self.line_start) = (at, conditions, true);
        }
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            if let Some(end) = self.macro_end
                && self.at >= end
            {
                self.macro_end = None;
                return Some(Token { kind: Kind::MacroEnd, start: end, end });
            }
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_start = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' => self.at += 1 + newline(self.bytes, self.at + 1),
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    self.at = self.logical_line_end(self.at)
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at = comment_end(self.bytes, self.at)
                }
                b'#' if self.line_start && self.macro_end.is_none() => {
                    if let Some(token) = self.directive() {
                        return Some(token);
                    }
                }
                _ => {
                    self.line_start = false;
                    return Some(self.token(byte));
                }
            }
        }
    }

    fn token(&mut self, byte: u8) -> Token {
        let start = self.at;
        let (kind, end) = match byte {
            b'"' => (Kind::String, literal::end(self.bytes, start)),
            b'\'' => (Kind::Char, literal::char_end(self.bytes, start)),
            b'0'..=b'9' => (Kind::Number, number_end(self.bytes, start)),
            _ if is_name(byte) => {
                let end = name_end(self.bytes, start);
                let is_prefix = matches!(
                    &self.bytes[start..end],
                    b"R" | b"L" | b"u" | b"U" | b"u8" | b"LR" | b"uR" | b"UR" | b"u8R"
                );
                match self.bytes.get(end) {
                    Some(b'"') if is_prefix && self.bytes[end - 1] == b'R' => {
                        (Kind::String, literal::raw_end(self.bytes, end))
                    }
                    Some(b'"') if is_prefix => (Kind::String, literal::end(self.bytes, end)),
                    Some(b'\'') if is_prefix => (Kind::Char, literal::char_end(self.bytes, end)),
                    _ => (Kind::Name, end),
                }
            }
            _ => (Kind::Punctuation(byte), start + 1),
        };
        self.at = end;
        Token { kind, start, end }
    }

    /// The end of a line whose last character is no backslash.
    fn logical_line_end(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let end = line_end(self.bytes, at);
            let line = self.bytes[at..end].trim_ascii_end();
            if end == self.bytes.len() || line.last() != Some(&b'\\') {
                return end;
            }
            at = end + 1;
        }
    }

    /// Reads a directive. The start of a macro is a token.
    fn directive(&mut self) -> Option<Token> {
        let end = self.logical_line_end(self.at);
        let mut at = self.at + 1;
        at += self.bytes[at..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let name_end = name_end(self.bytes, at).min(end);
        let (name, rest) = (&self.source[at..name_end], &self.source[name_end..end]);
        self.at = end;
        match name {
            "if" | "ifdef" | "ifndef" => {
                self.conditions.push(Condition::new(name, rest));
                if self.conditions.is_disabled() {
                    self.skip_branch();
                } else if self.statement.is_some() && !self.conditions.is_decided() {
                    self.choose(name, rest);
                }
            }
            "elif" | "else" | "elifdef" | "elifndef" => self.other_branch(name, rest),
            "endif" => self.conditions.pop(),
            "define" => return Some(self.macro_start(name_end, end)),
            _ => {}
        }
        None
    }

    fn other_branch(&mut self, name: &str, rest: &str) {
        let depth = self.conditions.depth();
        self.conditions.change(name, rest);
        if let Some(OpenStatement { depth: outside, skipped_branch }) = &mut self.statement {
            if depth <= *outside && skipped_branch.is_none() {
                *skipped_branch = Some((self.at, self.conditions.clone()));
            }
            return self.skip_to_end();
        }
        if self.conditions.is_disabled() {
            self.skip_branch();
        }
    }

    /// Goes to the chosen branch of the condition that has just opened in a statement.
    fn choose(&mut self, name: &str, rest: &str) {
        let branches = self.branches();
        let Some(branch) = self.choices.choose(name, rest, branches) else { return };
        for _ in 0..branch {
            match self.skip_lines() {
                Some("endif") | None => return self.conditions.pop(),
                Some(word) => self.change_condition(word),
            }
        }
    }

    /// How many branches the condition at the position has. Without `#else` there is an empty one.
    fn branches(&self) -> usize {
        let mut ahead = self.clone();
        let (mut branches, mut is_complete) = (1, false);
        while let Some(word) = ahead.skip_lines().filter(|word| *word != "endif") {
            branches += 1;
            is_complete |= word == "else";
        }
        branches + usize::from(!is_complete)
    }

    /// Skips the other branches of the innermost condition.
    fn skip_to_end(&mut self) {
        while let Some(word) = self.skip_lines() {
            if word == "endif" {
                return self.conditions.pop();
            }
        }
    }

    /// Skips disabled branches.
    fn skip_branch(&mut self) {
        while let Some(word) = self.skip_lines() {
            if word == "endif" {
                return self.conditions.pop();
            }
            self.change_condition(word);
            if !self.conditions.is_disabled() {
                return;
            }
        }
    }

    /// The next branch starts with the directive that was just skipped.
    fn change_condition(&mut self, word: &str) {
        let rest = self.source[..self.at].rsplit_once(word).map_or("", |(_, rest)| rest);
        self.conditions.change(word, rest);
    }

    /// Skips to the directive that ends this branch, and returns its name. Nested conditions are skipped.
    fn skip_lines(&mut self) -> Option<&'t str> {
        let mut depth = 0;
        while self.at < self.bytes.len() {
            let end = self.logical_line_end(self.at);
            let line = self.source[self.at..end].trim_start();
            if let Some(directive) = line.strip_prefix('#') {
                let directive = directive.trim_start();
                let word = &directive[..name_end(directive.as_bytes(), 0)];
                self.at = end;
                match word {
                    "if" | "ifdef" | "ifndef" => depth += 1,
                    "endif" if depth > 0 => depth -= 1,
                    "endif" | "else" | "elif" | "elifdef" | "elifndef" if depth == 0 => return Some(word),
                    _ => {}
                }
                continue;
            }
            let comment = memchr::memmem::find(line.as_bytes(), b"/*");
            let opened = comment.filter(|at| !line[*at..].contains("*/") && !line[..*at].contains("//"));
            self.at = match opened {
                Some(at) => comment_end(self.bytes, end - line.len() + at),
                None => end + 1,
            };
        }
        self.at = self.bytes.len();
        None
    }

    fn macro_start(&mut self, name_end_: usize, end: usize) -> Token {
        let bytes = self.bytes;
        let name = name_end_ + bytes[name_end_..end].iter().take_while(|byte| !is_name(**byte)).count();
        let name_end = name_end(bytes, name).min(end);
        let is_function = bytes.get(name_end) == Some(&b'(');
        let close = memchr::memchr(b')', &bytes[name_end..end]).filter(|_| is_function);
        let body = close.map_or(name_end, |close| name_end + close + 1).min(end);
        (self.at, self.macro_end, self.line_start) = (body, Some(end), false);
        Token { kind: Kind::MacroStart, start: name_end, end: body }
    }
}

fn comment_end(bytes: &[u8], at: usize) -> usize {
    memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |found| at + 4 + found)
}

/// Digits may be separated by `'`.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        let separates = *byte == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_hexdigit);
        if !(is_name(*byte) || *byte == b'.' || separates) {
            break;
        }
        at += 1;
    }
    at
}
