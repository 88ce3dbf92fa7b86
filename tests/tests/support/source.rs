//! Sources with marker lines, as documents of a client.
//!
//! A line that consists of spaces, `|` and `^` marks the line above it and is removed: `|` places a cursor
//! before the character above it, `^^^` marks a range. The rest is the source as a user would write it.

use serde_json::{Value, json};

/// A document, with its text and marks when it was opened.
#[derive(Debug, Clone)]
pub struct File {
    pub uri: String,
    pub version: i32,
    pub text: String,
    pub cursors: Vec<FilePosition>,
    pub ranges: Vec<Value>,
}

/// A position in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct FilePosition {
    pub uri: String,
    pub line: u32,
    pub character: u32,
}

impl FilePosition {
    /// The parameters of a request at this position.
    pub fn params(&self) -> Value {
        json!({ "textDocument": { "uri": self.uri }, "position": self.position() })
    }

    pub fn position(&self) -> Value {
        json!({ "line": self.line, "character": self.character })
    }

    /// The empty range at this position.
    pub fn range(&self) -> Value {
        json!({ "start": self.position(), "end": self.position() })
    }
}

/// The range between two positions, each a line and a character.
pub fn range(start: [u32; 2], end: [u32; 2]) -> Value {
    let at = |[line, character]: [u32; 2]| json!({ "line": line, "character": character });
    json!({ "start": at(start), "end": at(end) })
}

/// The position of an offset in a text, in UTF-16. Lines of the protocol end with "\n", "\r\n" or "\r".
pub fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let is_end = |at: &usize| match before.as_bytes()[*at] {
        b'\n' => true,
        b'\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let ends = (0..at).filter(is_end);
    let (line, start) = ends.fold((0, 0), |(line, _), end| (line + 1, end + 1));
    json!({ "line": line, "character": utf16(&before[start..]) })
}

/// The number of UTF-16 units.
pub fn utf16(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

impl File {
    /// Removes the marks from `source`. `width` counts characters in the units that client and server agreed
    /// on.
    pub fn new(uri: String, source: &str, width: fn(&str) -> u32) -> File {
        let mut file = File { uri, version: 1, text: String::new(), cursors: vec![], ranges: vec![] };
        let (mut marked, mut line) = ("", 0);
        for text in source.split_inclusive('\n') {
            if is_marker(text) {
                file.mark(marked, text, line - 1, width);
            } else {
                file.text.push_str(text);
                marked = text;
                line += 1;
            }
        }
        file
    }

    fn mark(&mut self, marked: &str, marks: &str, line: u32, width: fn(&str) -> u32) {
        // Marks are aligned with characters, not bytes.
        let column = |at: usize| width(&marked.chars().take(at).collect::<String>());
        let marks: Vec<char> = marks.chars().collect();
        let mut at = 0;
        while at < marks.len() {
            let end = at + marks[at..].iter().take_while(|&&mark| mark == '^').count();
            if marks[at] == '|' {
                self.cursors.push(FilePosition { uri: self.uri.clone(), line, character: column(at) });
            } else if end > at {
                self.ranges.push(range([line, column(at)], [line, column(end)]));
                at = end;
            }
            at += 1;
        }
    }

    /// The cursor. The source must have exactly one.
    pub fn cursor(&self) -> &FilePosition {
        assert_eq!(self.cursors.len(), 1, "the source has one cursor");
        &self.cursors[0]
    }

    pub fn at(&self, line: u32, character: u32) -> FilePosition {
        FilePosition { uri: self.uri.clone(), line, character }
    }

    /// The parameters of a request about the document.
    pub fn params(&self) -> Value {
        json!({ "textDocument": { "uri": self.uri } })
    }
}

fn is_marker(line: &str) -> bool {
    let marks = line.trim();
    !marks.is_empty() && marks.bytes().all(|byte| matches!(byte, b' ' | b'|' | b'^'))
}
