//! What is written at an offset of a launch, also where the text is incomplete and no tree of it exists.

use std::ops::Range;

/// What is written at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Context {
    /// The keys of the tables around the offset, outermost first.
    pub(super) path: Vec<String>,
    /// The kind of the word.
    pub(super) slot: Slot,
    /// The keys of the table before the offset.
    pub(super) written: Vec<String>,
    /// The word at the offset, without quotes.
    pub(super) word: Range<usize>,
}

/// What a word is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slot {
    /// The name of a key.
    Key,
    /// The value of a key.
    Value {
        /// The key.
        key: String,
        /// Whether it is inside a string.
        quoted: bool,
    },
}

/// A table or a list that is open at the offset.
struct Frame {
    path: Vec<String>,
    is_table: bool,
    at_key: bool,
    key: Option<String>,
    written: Vec<String>,
}

/// The context of `offset` in the TOML that begins at `start`, inside the tables of `path`; `None` in a comment, a header or a list.
pub(super) fn context(text: &str, start: usize, offset: usize, path: &[&str]) -> Option<Context> {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    let mut scan = Scan { text, at: start, offset, frames: vec![Frame::table(path)] };
    while scan.at < offset {
        if let Some(found) = scan.step()? {
            return Some(found);
        }
    }
    scan.found(offset..offset, false)
}

impl Frame {
    fn table(path: Vec<String>) -> Frame {
        Frame { path, is_table: true, at_key: true, key: None, written: Vec::new() }
    }
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    offset: usize,
    /// Never empty: the first is the table of the current header.
    frames: Vec<Frame>,
}

impl Scan<'_> {
    /// Reads one token; `None` if the offset has no context, `Some(Some(_))` if the token is the word at the offset.
    fn step(&mut self) -> Option<Option<Context>> {
        let from = self.at;
        let c = self.text.get(from..)?.chars().next()?;
        self.at += c.len_utf8();
        let is_root = self.frames.len() == 1;
        let top = self.frames.last_mut()?;
        match c {
            '#' => {
                self.at = self.line_end(from);
                return (self.at < self.offset).then_some(None);
            }
            '\n' if is_root => (top.at_key, top.key) = (true, None),
            '[' if is_root && top.at_key => {
                self.at = self.line_end(from);
                let name = self.text[from..self.at]
                    .trim_matches(|c: char| c == '[' || c == ']' || c.is_whitespace());
                self.frames = vec![Frame::table(vec![name.to_owned()])];
                return (self.at < self.offset).then_some(None);
            }
            '[' | '{' => {
                let mut path = top.path.clone();
                path.extend(top.key.clone().filter(|_| top.is_table));
                let frame = Frame::table(path);
                self.frames.push(Frame { is_table: c == '{', at_key: c == '{', ..frame });
            }
            ']' | '}' if !is_root => drop(self.frames.pop()),
            ',' if top.is_table => (top.at_key, top.key) = (true, None),
            '=' => top.at_key = false,
            '"' | '\'' => return Some(self.string(from, c)),
            c if is_word(c) => return Some(self.word(from)),
            _ => {}
        }
        Some(None)
    }

    fn string(&mut self, from: usize, quote: char) -> Option<Context> {
        let mut escaped = false;
        let end = self.text[self.at..].find(|c: char| {
            let ends = c == '\n' || (c == quote && !escaped);
            escaped = c == '\\' && quote == '"' && !escaped;
            ends
        });
        let end = end.map_or(self.text.len(), |end| self.at + end);
        if end >= self.offset {
            return self.found(from + 1..end, true);
        }
        self.at = end + usize::from(self.text[end..].starts_with(quote));
        None
    }

    fn word(&mut self, from: usize) -> Option<Context> {
        let end = self.text[from..].find(|c| !is_word(c)).map_or(self.text.len(), |end| from + end);
        if end >= self.offset {
            return self.found(from..end, false);
        }
        self.at = end;
        if let Some(top) = self.frames.last_mut().filter(|top| top.at_key) {
            let word = self.text[from..end].to_owned();
            top.key = Some(word.clone());
            top.written.push(word);
        }
        None
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..].find('\n').map_or(self.text.len(), |end| from + end)
    }

    fn found(&self, word: Range<usize>, quoted: bool) -> Option<Context> {
        let top = self.frames.last()?;
        let slot = match (&top.key, top.at_key) {
            (_, true) => Slot::Key,
            (Some(key), false) => Slot::Value { key: key.clone(), quoted },
            (None, false) => return None,
        };
        Some(Context { path: top.path.clone(), slot, written: top.written.clone(), word })
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+')
}
