//! What is written at an offset of a launch. The text may be incomplete, so there is no syntax tree.

use std::ops::Range;

/// What is written at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Context {
    /// The keys of the tables around the offset, outermost first.
    pub(super) path: Vec<String>,
    pub(super) slot: Slot,
    /// The keys of the table before the offset.
    pub(super) written: Vec<String>,
    /// The word at the offset, without quotes.
    pub(super) word: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slot {
    Key,
    Value {
        key: String,
        /// Whether the word is inside a string.
        quoted: bool,
    },
}

/// A table or a list that is open at the offset.
struct Frame {
    next: Next,
    /// The key whose value is being written.
    key: Option<String>,
    written: Vec<String>,
}

/// What may follow in a table or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Key,
    Value,
    Element,
}

/// The context of `offset` in the TOML that begins at `start`, inside the tables of `path`; `None` in a comment, a header or a list.
pub(super) fn context(text: &str, start: usize, offset: usize, path: &[&str]) -> Option<Context> {
    let root = path.iter().map(|key| (*key).to_owned()).collect();
    let mut scan = Scan { text, at: start, offset, root, frames: vec![Frame::new(Next::Key)] };
    while scan.at < offset {
        if let Some(found) = scan.step()? {
            return Some(found);
        }
    }
    scan.found(offset..offset, false)
}

impl Frame {
    fn new(next: Next) -> Frame {
        Frame { next, key: None, written: Vec::new() }
    }

    fn expect_key(&mut self) {
        (self.next, self.key) = (Next::Key, None);
    }
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    offset: usize,
    /// The keys of the table of the current header.
    root: Vec<String>,
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
            '\n' if is_root => top.expect_key(),
            '[' if is_root && top.next == Next::Key => {
                self.at = self.line_end(from);
                let name = self.text[from..self.at]
                    .trim_matches(|c: char| c == '[' || c == ']' || c.is_whitespace());
                (self.root, self.frames) = (vec![name.to_owned()], vec![Frame::new(Next::Key)]);
                return (self.at < self.offset).then_some(None);
            }
            '[' | '{' => {
                self.frames.push(Frame::new(if c == '{' { Next::Key } else { Next::Element }));
            }
            ']' | '}' if !is_root => drop(self.frames.pop()),
            ',' if top.next != Next::Element => top.expect_key(),
            '=' if top.next == Next::Key => top.next = Next::Value,
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
        if let Some(top) = self.frames.last_mut().filter(|top| top.next == Next::Key) {
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
        let (top, outer) = self.frames.split_last()?;
        let slot = match (top.next, &top.key) {
            (Next::Key, _) => Slot::Key,
            (Next::Value, Some(key)) => Slot::Value { key: key.clone(), quoted },
            (Next::Value, None) | (Next::Element, _) => return None,
        };
        let keys = outer.iter().filter_map(|frame| frame.key.as_ref());
        let path = self.root.iter().chain(keys).cloned().collect();
        Some(Context { path, slot, written: top.written.clone(), word })
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+')
}
