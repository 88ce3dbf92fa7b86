//! Reads JSON into a tree with spans. serde_json keeps no spans, but errors must name the line.

use rustc_hash::FxHashSet;

use super::problem::Problem;
use super::tree::{Key, Node, Value};

/// Maximum nesting depth, so that hostile input cannot exhaust the stack.
const MAX_DEPTH: usize = 32;

/// Reads a whole document.
pub(crate) fn read(text: &str) -> Result<Node, Problem> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.node(0)?;
    reader.skip_spaces();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.wrong("invalid JSON: unexpected text after the value")),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn wrong(&self, message: &str) -> Problem {
        Problem::at(self.at..self.text.len().min(self.at + 1), message)
    }

    /// Consumes `byte` if it is next.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn node(&mut self, depth: usize) -> Result<Node, Problem> {
        self.skip_spaces();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(self.wrong("this is nested too deeply: the limit is 32 levels"));
        }
        let value = match self.peek() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'a'..=b'z') => self.word()?,
            _ => return Err(self.wrong("invalid JSON: expected a value")),
        };
        Ok(Node { value, span: start..self.at })
    }

    fn table(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut entries = Vec::new();
        let mut names = FxHashSet::default();
        self.skip_spaces();
        if self.eat(b'}') {
            return Ok(Value::Table(entries));
        }
        loop {
            self.skip_spaces();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("invalid JSON: expected a key in double quotes"));
            }
            let key = Key { name: self.string()?, span: start..self.at };
            if !names.insert(key.name.clone()) {
                return Err(Problem::at(key.span, format!("duplicate key `{}`", key.name)));
            }
            self.skip_spaces();
            if !self.eat(b':') {
                return Err(self.wrong("invalid JSON: expected `:`"));
            }
            entries.push((key, self.node(depth + 1)?));
            self.skip_spaces();
            if self.eat(b'}') {
                return Ok(Value::Table(entries));
            }
            if !self.eat(b',') {
                return Err(self.wrong("invalid JSON: expected `,` or `}`"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut list = Vec::new();
        self.skip_spaces();
        if self.eat(b']') {
            return Ok(Value::List(list));
        }
        loop {
            list.push(self.node(depth + 1)?);
            self.skip_spaces();
            if self.eat(b']') {
                return Ok(Value::List(list));
            }
            if !self.eat(b',') {
                return Err(self.wrong("invalid JSON: expected `,` or `]`"));
            }
        }
    }

    fn word(&mut self) -> Result<Value, Problem> {
        for (word, value) in
            [("true", Value::Boolean(true)), ("false", Value::Boolean(false)), ("null", Value::Other("null"))]
        {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("invalid JSON: strings must be in double quotes"))
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let value = if text.contains(['.', 'e', 'E']) {
            text.parse().ok().map(Value::Float)
        } else {
            text.parse().ok().map(Value::Integer)
        };
        value.ok_or_else(|| Problem::at(start..self.at, "invalid JSON: invalid number"))
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(next) = rest.chars().next() else {
                return Err(Problem::at(start..self.at, "invalid JSON: unterminated string"));
            };
            self.at += next.len_utf8();
            match next {
                '"' => return Ok(out),
                '\\' => out.push(self.escape()?),
                '\n' => {
                    return Err(Problem::at(start..self.at, "invalid JSON: unterminated string"));
                }
                other => out.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        let escape = self.peek();
        self.at += usize::from(escape.is_some_and(|byte| byte.is_ascii()));
        Ok(match escape {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(byte @ (b'"' | b'\\' | b'/')) => byte as char,
            Some(b'u') => self.code_point()?,
            _ => return Err(self.wrong("invalid JSON: unknown escape in a string")),
        })
    }

    fn code_point(&mut self) -> Result<char, Problem> {
        let first = self.four_digits()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.four_digits()?;
            0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.wrong("invalid JSON: unpaired surrogate"))
    }

    fn four_digits(&mut self) -> Result<u32, Problem> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += if code.is_some() { 4 } else { 0 };
        code.ok_or_else(|| self.wrong("invalid JSON: `\\u` takes four hex digits"))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let answer = match read(text) {
            Ok(node) => format!("{:?}", node.value),
            Err(problem) => {
                let (line, column) = problem.line_column(text).unwrap();
                format!("{line}:{column}: {problem}")
            }
        };
        expect.assert_eq(&answer);
    }

    #[test]
    fn reads_values() {
        check(
            r#" [1, -2, 1.5, 1e3, true, null, "a\n\u00fc\ud83d\ude00"] "#,
            expect![[
                r#"List([Node { value: Integer(1), span: 2..3 }, Node { value: Integer(-2), span: 5..7 }, Node { value: Float(1.5), span: 9..12 }, Node { value: Float(1000.0), span: 14..17 }, Node { value: Boolean(true), span: 19..23 }, Node { value: Other("null"), span: 25..29 }, Node { value: Text("a\nü😀"), span: 31..54 }])"#
            ]],
        );
    }

    #[test]
    fn errors_have_positions() {
        check("{\n \"a\": 1,\n}", expect!["3:1: invalid JSON: expected a key in double quotes"]);
        check("{\"a\" 1}", expect!["1:6: invalid JSON: expected `:`"]);
        check("[1 2]", expect!["1:4: invalid JSON: expected `,` or `]`"]);
        check("[nan]", expect!["1:2: invalid JSON: strings must be in double quotes"]);
        check("\"abc", expect!["1:1: invalid JSON: unterminated string"]);
        check("\"\\x\"", expect!["1:4: invalid JSON: unknown escape in a string"]);
        check("\"\\ü\"", expect!["1:3: invalid JSON: unknown escape in a string"]);
        check("1-2", expect!["1:1: invalid JSON: invalid number"]);
        check("{} {}", expect!["1:4: invalid JSON: unexpected text after the value"]);
        check("{\"a\":1,\"a\":2}", expect!["1:8: duplicate key `a`"]);
        check("", expect!["1:1: invalid JSON: expected a value"]);
        check(&"[".repeat(1000), expect!["1:34: this is nested too deeply: the limit is 32 levels"]);
    }

    #[test]
    fn no_prefix_of_a_document_panics() {
        let text = r#"{"launch":[{"name":"a\u00fcü","grid":[1,-2e3],"x":null}]}"#;
        for (end, _) in text.char_indices() {
            assert!(read(&text[..end]).is_err(), "{}", &text[..end]);
        }
    }
}
