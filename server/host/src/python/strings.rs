//! The text that an expression of Python or Mojo gives, as far as it can be read.

use std::cell::Cell;
use std::collections::HashMap;

use super::lexer::Literal;
use crate::statement::Place;
use crate::template::Template;
use crate::text::{char_end, decode_special, escaped, line_end, newline};
use crate::tokens::{Kind, Token, depth_after, group_end, span};

/// The tokens of a file, in which names are looked up.
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) tokens: &'t [Token],
    /// The first token of each line, with the indentation of the line.
    lines: Vec<(usize, usize)>,
    /// For each token, the first one of its statement.
    starts: Vec<usize>,
    /// Where each name occurs.
    names: HashMap<&'t str, Vec<usize>>,
    /// What may still be spent on names: `s += s` doubles a text each time.
    budget: Cell<usize>,
}

/// How many names and parentheses may be inside each other.
const MAX_DEPTH: u32 = 32;

/// What may be spent on names in any file, and the bytes of text that cost as much as looking a name up.
const BUDGET: usize = 1 << 12;
const BYTES: usize = 64;

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t str, tokens: &'t [Token]) -> Source<'t> {
        let mut source = Source {
            text,
            tokens,
            lines: Vec::new(),
            starts: Vec::with_capacity(tokens.len()),
            names: HashMap::new(),
            budget: Cell::new(BUDGET + tokens.len()),
        };
        let mut depth = 0;
        for (index, token) in tokens.iter().enumerate() {
            let starts = index == 0 || depth == 0 && (source.is_first(index) || tokens[index - 1].is(b';'));
            source.starts.push(if starts { index } else { source.starts[index - 1] });
            depth = depth_after(token, depth);
            if source.is_first(index) {
                let line = memchr::memrchr(b'\n', &text.as_bytes()[..token.start]).map_or(0, |at| at + 1);
                source.lines.push((index, token.start - line));
            }
            if token.kind == Kind::Name {
                source.names.entry(token.text(text)).or_default().push(index);
            }
        }
        source
    }

    /// The text of an expression at the token `at` of the file. What cannot be read is a hole.
    pub(crate) fn text_of(&self, tokens: &[Token], at: usize) -> Template {
        self.eval(tokens, at, MAX_DEPTH)
    }

    fn eval(&self, tokens: &[Token], at: usize, depth: u32) -> Template {
        let mut template = Template::default();
        for term in terms(tokens) {
            match self.term(term, at, depth) {
                Some(part) => template.append(&part),
                None => span(term).into_iter().for_each(|range| template.hole(range)),
            }
        }
        template
    }

    fn term(&self, tokens: &[Token], at: usize, depth: u32) -> Option<Template> {
        let first = tokens.first()?;
        let (mut template, mut next) = match first.kind {
            Kind::String => {
                let count = tokens.iter().take_while(|token| token.kind == Kind::String).count();
                let mut template = Template::default();
                tokens[..count].iter().for_each(|token| decode(self.text, *token, &mut template));
                (template, count)
            }
            Kind::Punctuation(b'(') => {
                let end = group_end(tokens, 0);
                (self.eval(&tokens[1..end.saturating_sub(1).max(1)], at, depth.checked_sub(1)?), end)
            }
            Kind::Name => {
                // `textwrap.dedent("…")`
                let open = tokens.iter().position(|token| token.is(b'('));
                if let Some(open) = open
                    && tokens[open.checked_sub(1)?].text(self.text) == "dedent"
                {
                    let end = group_end(tokens, open);
                    (
                        self.eval(
                            &tokens[open + 1..end.saturating_sub(1).max(open + 1)],
                            at,
                            depth.checked_sub(1)?,
                        ),
                        end,
                    )
                } else {
                    (self.variable(first.text(self.text), at, depth.checked_sub(1)?)?, 1)
                }
            }
            _ => return None,
        };
        while let Some(token) = tokens.get(next) {
            if token.is(b'%') {
                return Some(percent_fields(&template));
            }
            let name = tokens.get(next + 1).filter(|_| token.is(b'.'))?;
            let open = next + 2;
            tokens.get(open).filter(|token| token.is(b'('))?;
            match name.text(self.text) {
                "format" => template = brace_fields(&template),
                "strip" | "lstrip" | "rstrip" => {}
                _ => return None,
            }
            next = group_end(tokens, open);
        }
        Some(template)
    }

    /// Where a name occurs.
    pub(super) fn uses(&self, name: &str) -> &[usize] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// The text of a name: of the only assignment that can reach the token `at`.
    fn variable(&self, name: &str, at: usize, depth: u32) -> Option<Template> {
        let function = self.function(at);
        let inside = function.map(|start| start..self.block_end(start));
        let in_function = inside.and_then(|range| self.assignment(name, range, at));
        let found = match in_function {
            Some(found) => found?,
            None => self.assignment(name, 0..self.tokens.len(), at)??,
        };
        self.spend(1)?;
        let text = self.eval(self.statement(found), found, depth);
        self.spend(text.text.len() / BYTES)?;
        Some(text)
    }

    fn spend(&self, cost: usize) -> Option<()> {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(cost));
        (left >= cost).then_some(())
    }

    /// Of the assignments in a range of tokens: `None` if there is none, `Some(None)` if several may reach `at`.
    fn assignment(&self, name: &str, range: std::ops::Range<usize>, at: usize) -> Option<Option<usize>> {
        let tokens = self.tokens;
        let mut found: Vec<(usize, usize)> = Vec::new();
        let names = self.uses(name);
        let first = names.partition_point(|index| *index < range.start);
        for index in names[first..].iter().copied().take_while(|index| *index < range.end) {
            let previous = index.checked_sub(1).map(|before| tokens[before]);
            let starts = previous.is_none_or(|before| {
                before.is(b';')
                    || self.has_newline(before.end, tokens[index].start)
                    || is_declaration(before.text(self.text))
            });
            let is_parameter = previous.is_some_and(|before| before.is(b'(') || before.is(b','))
                && self.is_parameter(index, range.start);
            if is_parameter {
                return Some(None);
            }
            if !starts {
                continue;
            }
            // `name = …`, `name: type = …`, `name += …`
            let line = line_end(self.text.as_bytes(), tokens[index].start);
            let mut next = index + 1;
            if tokens.get(next).is_some_and(|token| token.is(b':')) {
                next +=
                    tokens[next..].iter().take_while(|token| !token.is(b'=') && token.end <= line).count();
            }
            match tokens.get(next) {
                Some(token)
                    if token.is(b'=') && !tokens.get(next + 1).is_some_and(|token| token.is(b'=')) =>
                {
                    found.push((next + 1, self.indent(index)));
                }
                Some(token)
                    if tokens.get(next + 1).is_some_and(|next| next.is(b'=') && next.start == token.end)
                        && token.is(b'+') =>
                {
                    return Some(None);
                }
                _ => {}
            }
        }
        let before: Vec<_> = found.iter().filter(|(value, _)| *value <= at).copied().collect();
        match (found.as_slice(), before.as_slice()) {
            ([], _) => None,
            ([(only, _)], _) => Some(Some(*only)),
            (_, []) => Some(None),
            (_, [.., (last, indent)]) => {
                // One of another branch may reach it as well.
                let reaches = *indent <= self.indent(at);
                Some(reaches.then_some(*last))
            }
        }
    }

    /// Whether the name at `index` is in the parameters of the function that starts at `start`.
    fn is_parameter(&self, index: usize, start: usize) -> bool {
        let open = self.tokens[start..].iter().position(|token| token.is(b'(')).map(|open| start + open);
        self.tokens[start].text(self.text) == "def"
            && open.is_some_and(|open| index < group_end(self.tokens, open) && index > open)
    }

    /// The tokens of the expression that starts at `at`: to the end of its line, outside of brackets.
    pub(super) fn statement(&self, at: usize) -> &'t [Token] {
        let mut depth = 0usize;
        let mut end = at;
        while let Some(token) = self.tokens.get(end) {
            let continues =
                depth > 0 || end == at || !self.has_newline(self.tokens[end - 1].end, token.start);
            if !continues || token.is(b';') && depth == 0 {
                break;
            }
            match token.kind {
                Kind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
                Kind::Punctuation(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            end += 1;
        }
        &self.tokens[at..end]
    }

    /// The `def` of the innermost function with the token `at`.
    fn function(&self, at: usize) -> Option<usize> {
        self.enclosing(at, &["def", "fn", "async"])
    }

    /// The place of the statement whose call starts at the token `at`.
    pub(crate) fn place(&self, at: usize) -> Place {
        let function = self.function(at).map_or(0, |function| function + 1);
        Place { function, block: at + 1, ..Place::default() }
    }

    /// The first token of the statement with the token `at`.
    pub(super) fn start(&self, at: usize) -> usize {
        self.starts[at]
    }

    /// The `def` or `class` of the innermost function or class with the token `at`. A function has its parameters.
    pub(super) fn owner(&self, at: usize) -> Option<usize> {
        let start = self.start(at);
        if self.tokens[start].text(self.text) == "def" && at > start + 1 {
            return Some(start);
        }
        self.enclosing(start, &["def", "class"])
    }

    fn enclosing(&self, at: usize, words: &[&str]) -> Option<usize> {
        let line = self.line_of(at);
        let mut indent = self.lines.get(line)?.1;
        for (index, own) in self.lines[..line].iter().rev() {
            if indent == 0 {
                return None;
            }
            if *own < indent {
                indent = *own;
                if words.contains(&self.tokens[*index].text(self.text)) {
                    return Some(*index);
                }
            }
        }
        None
    }

    /// The index after the block whose first token is `start`.
    pub(super) fn block_end(&self, start: usize) -> usize {
        let line = self.line_of(start);
        let indent = self.indent(start);
        let is_after = |(index, own): &&(usize, usize)| *own <= indent && !self.tokens[*index].is(b')');
        let after = self.lines.get(line + 1..).unwrap_or_default().iter().find(is_after);
        after.map_or(self.tokens.len(), |(index, _)| *index)
    }

    fn is_first(&self, index: usize) -> bool {
        index == 0 || self.has_newline(self.tokens[index - 1].end, self.tokens[index].start)
    }

    fn has_newline(&self, from: usize, to: usize) -> bool {
        let between = self.text.get(from..to).unwrap_or_default();
        between.contains('\n') && !between.trim_start().starts_with('\\')
    }

    /// The number of the line with this token, of those that have tokens.
    fn line_of(&self, index: usize) -> usize {
        self.lines.partition_point(|(first, _)| *first <= index).saturating_sub(1)
    }

    fn indent(&self, index: usize) -> usize {
        self.lines.get(self.line_of(index)).map_or(0, |(_, indent)| *indent)
    }
}

/// The parts of a sum.
fn terms(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0usize;
    tokens
        .split(|token| {
            match token.kind {
                Kind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
                Kind::Punctuation(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.is(b'+')
        })
        .collect()
}

fn is_declaration(word: &str) -> bool {
    matches!(word, "comptime" | "alias" | "var" | "let")
}

/// Adds what a literal denotes.
pub(crate) fn decode(source: &str, token: Token, template: &mut Template) {
    let Literal { start, end, is_raw, is_format } = Literal::new(source, token);
    let bytes = source.as_bytes();
    decode_special(source, start..end, b"\\{}", template, |byte, at, template| match byte {
        b'\\' if !is_raw => Some(escape(source, at, end, template)),
        b'{' | b'}' if is_format && bytes.get(at + 1) == Some(&byte) => {
            template.decode(&source[at..at + 1], at..at + 2);
            Some(at + 2)
        }
        b'{' if is_format => {
            let close = field_end(bytes, at, end);
            template.hole(at..close);
            Some(close)
        }
        _ => None,
    });
}

/// The end of a field that opens at `at`.
fn field_end(bytes: &[u8], at: usize, end: usize) -> usize {
    let mut depth = 0usize;
    for (index, byte) in bytes[..end].iter().enumerate().skip(at) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    end
}

/// Adds what the escape at `at` denotes, and returns its end.
fn escape(source: &str, at: usize, end: usize, template: &mut Template) -> usize {
    let bytes = source.as_bytes();
    let line = newline(bytes, at + 1);
    if line > 0 {
        return (at + 1 + line).min(end);
    }
    if let Some((c, next)) = escaped(source, at, end, 2) {
        template.decode(c.encode_utf8(&mut [0; 4]), at..next);
        return next;
    }
    let next = char_end(source, at + 1).min(end);
    match source.get(at + 1..end).and_then(|rest| rest.chars().next()) {
        Some('\\' | '"' | '\'') => template.decode(&source[at + 1..next], at..next),
        // `\N{BULLET}`
        Some('N') if bytes.get(at + 2) == Some(&b'{') => {
            let close = memchr::memchr(b'}', &bytes[at..end]).map_or(end, |close| at + close + 1);
            template.hole(at..close);
            return close;
        }
        // An unknown escape stays as it is.
        _ => template.copy(&source[at..next], at),
    }
    next
}

/// What `.format(…)` makes of a text: each field is a hole.
fn brace_fields(template: &Template) -> Template {
    fields(template, |rest| match rest.as_bytes() {
        [b'{', b'{', ..] | [b'}', b'}', ..] => Some((2, Some(&rest[..1]))),
        [b'{', ..] => Some((field_end(rest.as_bytes(), 0, rest.len()), None)),
        _ => None,
    })
}

/// What `%` makes of a text: `%s`, `%d`, `%(name)s` are holes.
fn percent_fields(template: &Template) -> Template {
    fields(template, |rest| {
        let after = rest.strip_prefix('%')?;
        if after.starts_with('%') {
            return Some((2, Some("%")));
        }
        let name = after.strip_prefix('(').and_then(|named| named.find(')')).map_or(0, |end| end + 2);
        let flags = after[name..].bytes().take_while(|byte| b"0123456789.-+#".contains(byte)).count();
        let end = name + flags;
        after[end..].starts_with(['s', 'd', 'i', 'x', 'X', 'r', 'u', 'f', 'c']).then_some((end + 2, None))
    })
}

/// Replaces the fields of a text, each with a known text or a hole.
fn fields<'r>(
    template: &'r Template,
    field: impl Fn(&'r str) -> Option<(usize, Option<&'r str>)>,
) -> Template {
    let mut result = Template::default();
    let (text, mut at, mut plain) = (&template.text, 0, 0);
    while at < text.len() {
        if !matches!(text.as_bytes()[at], b'{' | b'}' | b'%') {
            at += 1;
            continue;
        }
        let Some((length, known)) = field(&text[at..]) else {
            at += 1;
            continue;
        };
        result.append_part(template, plain..at);
        let host = template.to_host(at..at + length).unwrap_or_default();
        match known {
            Some(known) => result.decode(known, host),
            None => result.hole(host),
        }
        at += length;
        plain = at;
    }
    result.append_part(template, plain..text.len());
    result
}
