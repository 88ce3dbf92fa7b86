//! White space between tokens: the present gap, the wanted gap, and the edits that turn one into the other.
//!
//! Only the white space between tokens, comments and line markers is changed, so formatting cannot change the meaning of a
//! file. A correct gap needs no edit, and a gap of several lines is edited line by line: cursors, lanes and everything
//! else that is tracked through edits stays in position.

use text_size::{TextRange, TextSize};
use warplens_ide_db::TextEdit;
use warplens_syntax::SyntaxKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indent {
    Flush,
    Statement,
    Continuation,
    /// This many times four spaces.
    Level(u8),
    /// Like `Level`, for a token that closes a construct: comments before it may belong to the construct.
    Closing(u8),
}

const MAX_LEVEL: u8 = 40;
const SPACES: &str = match std::str::from_utf8(&[b' '; 4 * MAX_LEVEL as usize]) {
    Ok(spaces) => spaces,
    Err(_) => "",
};

impl Indent {
    pub fn text(self) -> &'static str {
        match self {
            Indent::Flush => "",
            Indent::Statement => "\t",
            Indent::Continuation => "\t\t",
            Indent::Level(level) | Indent::Closing(level) => &SPACES[..4 * usize::from(level.min(MAX_LEVEL))],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// Comments after code have a column of their own; comments on separate lines roughly keep their
    /// indentation.
    InColumns,
    /// Comments after code stay in place; comments on separate lines are aligned with the next token.
    WithCode,
}

/// The wanted gap before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    Line(Indent),
    /// The token continues the line of the previous one, after these spaces.
    Same(&'static str),
    /// Like `Same`, but a token that already starts a line still starts one, with this indentation.
    Kept(&'static str, Indent),
}

impl Gap {
    /// The indentation of the token if a comment before it forces it to start a line.
    fn indent(self) -> Indent {
        match self {
            Gap::Line(indent) | Gap::Kept(_, indent) => indent,
            Gap::Same(_) => Indent::Continuation,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Start,
    /// This many newlines, which belong to the previous item.
    Lines(usize),
    Code,
    /// `{` or `}`, after which a comment follows with one space.
    Brace,
    /// A comment, line marker or `@@DWARF` line that extends to the end of the line.
    LineComment,
    /// A block comment that starts its line.
    LeadingComment,
    /// A block comment after code.
    InnerComment,
    /// Skipped text. The rest of its line stays unchanged.
    Unknown,
}

/// The maximum number of newlines between two tokens: two blank lines.
const MAX_BREAKS: usize = 3;

/// The column of comments after code, relative to the start of the code.
const COMMENT_COLUMN: usize = 40;

/// A comment on a separate line with at least this indentation belongs to the comments after code.
const FAR_IN: usize = 32;

const TAB: usize = 8;

/// Compilers mark handwritten code with these comments. Such code is not formatted.
const INLINE_BEGIN: &str = "// begin inline asm";
const INLINE_END: &str = "// end inline asm";

/// A comment or a line marker before the next token.
struct Waiting {
    range: TextRange,
    kind: SyntaxKind,
}

/// Lays out a file, item after item, and collects the edits.
pub(crate) struct Layout<'t> {
    text: &'t str,
    /// The offset of the item in the file.
    start: TextSize,
    /// The end of the item's last token, comment or line marker.
    at: TextSize,
    waiting: Vec<Waiting>,
    end: End,
    /// Whether the last token is a number.
    after_number: bool,
    /// The width of the line so far, without indentation.
    width: usize,
    /// Whether the current code is handwritten.
    inline: bool,
    comments: Comments,
    line_end: &'static str,
    /// The white space at the end of the last item, if the next item may continue the line.
    loose: TextRange,
    edits: Vec<TextEdit>,
}

impl<'t> Layout<'t> {
    /// Lays out a file that uses this kind of newline.
    pub(crate) fn new(comments: Comments, line_end: &'static str) -> Layout<'t> {
        Layout {
            text: "",
            start: 0.into(),
            at: 0.into(),
            waiting: Vec::new(),
            end: End::Start,
            after_number: false,
            width: 0,
            inline: false,
            comments,
            line_end,
            loose: TextRange::default(),
            edits: Vec::new(),
        }
    }

    pub(crate) fn item(&mut self, text: &'t str, start: TextSize) {
        (self.text, self.start, self.at, self.inline) = (text, start, 0.into(), false);
    }

    /// Skips a part of the item, with `gap` before it. The gap after it stays unchanged.
    pub(crate) fn pass(&mut self, range: TextRange, gap: Gap) {
        self.comments(gap, Some(range.start()));
        self.gap_before_token(range.start(), gap);
        let passed = &self.text[range];
        let (begin, end) = (passed.rfind(INLINE_BEGIN), passed.rfind(INLINE_END));
        if begin != end {
            self.inline = begin > end;
        }
        (self.at, self.end, self.loose) = (range.end(), End::Unknown, TextRange::default());
    }

    pub(crate) fn pass_item(&mut self) {
        (self.at, self.end, self.loose) = (TextSize::of(self.text), End::Unknown, TextRange::default());
    }

    /// Adds a comment or a line marker of the item.
    pub(crate) fn trivia(&mut self, range: TextRange, kind: SyntaxKind) {
        self.waiting.push(Waiting { range, kind });
    }

    /// Adds a token of the item, with the gap before it.
    pub(crate) fn token(&mut self, range: TextRange, kind: SyntaxKind, gap: Gap) {
        self.comments(gap, Some(range.start()));
        self.gap_before_token(range.start(), gap);
        self.put(range);
        self.after_number = matches!(kind, SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER);
        self.end = match kind {
            SyntaxKind::L_BRACE | SyntaxKind::R_BRACE => End::Brace,
            SyntaxKind::DWARF_LINE => End::LineComment,
            _ => End::Code,
        };
    }

    /// Ends the item: lays out comments after its last token, and newlines that do not belong to the next
    /// item.
    pub(crate) fn end_item(&mut self) {
        self.comments(Gap::Line(Indent::Flush), None);
        let space = TextRange::new(self.at, TextSize::of(self.text));
        let breaks = self.breaks(space).min(MAX_BREAKS);
        if breaks > 0 && !matches!(self.end, End::Unknown | End::Start) {
            self.set_lines(space, breaks, "");
            self.end = End::Lines(breaks);
        } else if self.end == End::Code {
            self.loose = space + self.start;
        }
    }

    /// Ends the file, and with it the last line.
    pub(crate) fn finish(mut self) -> Vec<TextEdit> {
        self.loose = TextRange::default();
        let space = TextRange::new(self.at, TextSize::of(self.text));
        match self.end {
            End::Unknown | End::Lines(_) => {}
            End::Start => self.set_lines(space, 0, Indent::Flush.text()),
            _ => self.set_lines(space, self.breaks(space).clamp(1, MAX_BREAKS), ""),
        }
        self.edits
    }

    /// Lays out the pending comments. `next` is the start of the next token.
    fn comments(&mut self, gap: Gap, next: Option<TextSize>) {
        let waiting = std::mem::take(&mut self.waiting);
        for (index, comment) in waiting.iter().enumerate() {
            let follows = waiting.get(index + 1).map(|after| after.range.start()).or(next);
            let after = follows.map(|start| TextRange::new(comment.range.end(), start));
            let is_alone = after.is_none_or(|after| self.breaks(after) > 0);
            let is_last = index + 1 == waiting.len() && matches!(gap, Gap::Line(_));
            self.comment(comment, gap, is_alone, is_last);
        }
        self.waiting = waiting;
        self.waiting.clear();
    }

    /// Lays out a comment. `is_alone`: nothing follows on its line; `is_last`: nothing may follow there.
    fn comment(&mut self, comment: &Waiting, gap: Gap, is_alone: bool, is_last: bool) {
        let space = TextRange::new(self.at, comment.range.start());
        let text = &self.text[comment.range];
        let ends_line = comment.kind != SyntaxKind::COMMENT || !text.starts_with("/*");
        let breaks = self.breaks(space);
        let starts_line = breaks > 0 || matches!(self.end, End::Start | End::Lines(_) | End::LineComment);
        let ends_inline = text.trim_end() == INLINE_END;
        if self.inline || (self.end == End::Unknown && !starts_line) {
            self.put(space);
        } else if starts_line {
            let indent = match comment.kind {
                SyntaxKind::LINE_MARK => "",
                _ if !is_alone && !ends_line => gap.indent().text(),
                _ => self.own_indent(&self.text[space], gap),
            };
            self.set_lines(space, self.wanted_breaks(breaks), indent);
        } else if self.comments == Comments::WithCode {
            if space.is_empty() {
                self.set_spaces(space, " ");
            } else {
                self.put(space);
            }
        } else if ends_line || is_alone || is_last {
            self.set_spaces(space, after_code(self.end, self.width));
        } else {
            self.set_spaces(space, " ");
        }
        self.put(comment.range);
        self.inline = (self.inline && !ends_inline) || text.trim_end() == INLINE_BEGIN;
        self.end = match () {
            () if ends_line => End::LineComment,
            () if starts_line => End::LeadingComment,
            () => End::InnerComment,
        };
    }

    /// The indentation of a comment on a separate line, given the spaces before it and the next token.
    fn own_indent(&self, space: &str, gap: Gap) -> &'static str {
        match (self.comments, gap.indent()) {
            (Comments::InColumns, _) => own_indent(space),
            (Comments::WithCode, Indent::Closing(level))
                if width_of_last_line(space) > 4 * usize::from(level) =>
            {
                Indent::Level(level.saturating_add(1)).text()
            }
            (Comments::WithCode, indent) => indent.text(),
        }
    }

    fn gap_before_token(&mut self, token: TextSize, gap: Gap) {
        let space = TextRange::new(self.at, token);
        let breaks = self.breaks(space);
        if self.inline || (self.end == End::Unknown && breaks == 0) || self.would_split(space) {
            return self.put(space);
        }
        match (self.end, gap) {
            (End::LineComment | End::Lines(_), _) => {
                self.set_lines(space, self.wanted_breaks(breaks), gap.indent().text())
            }
            (End::LeadingComment | End::InnerComment, _) if breaks > 0 => {
                self.set_lines(space, self.wanted_breaks(breaks), gap.indent().text());
            }
            (End::LeadingComment, _) | (End::InnerComment, Gap::Same(_) | Gap::Kept(..)) => {
                self.set_spaces(space, " ");
            }
            (_, Gap::Line(indent)) => self.set_lines(space, self.wanted_breaks(breaks), indent.text()),
            (_, Gap::Kept(_, indent)) if breaks > 0 => {
                self.set_lines(space, self.wanted_breaks(breaks), indent.text());
            }
            (_, Gap::Kept(spaces, _) | Gap::Same(spaces)) => {
                let must_separate = spaces.is_empty() && !space.is_empty() && self.would_join(space);
                self.set_spaces(space, if must_separate { " " } else { spaces });
            }
        }
    }

    /// The wanted number of newlines for the present number.
    fn wanted_breaks(&self, breaks: usize) -> usize {
        match self.end {
            End::Start => breaks.min(MAX_BREAKS - 1),
            End::Lines(before) => breaks.min(MAX_BREAKS - before),
            _ => breaks.clamp(1, MAX_BREAKS),
        }
    }

    /// Whether the tokens around this white space would merge without it.
    fn would_join(&self, space: TextRange) -> bool {
        let before = &self.text.as_bytes()[..usize::from(space.start())];
        let after = &self.text.as_bytes()[usize::from(space.end())..];
        let (Some(&last), Some(&first)) = (before.last(), after.first()) else { return false };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let is_operator = |byte: u8| b"<>=!&|:/*.@#%".contains(&byte);
        match (last, first) {
            (b'%', first) => is_word(first) || is_operator(first),
            (last, b'.') if is_word(last) => {
                self.after_number || after.get(1).is_some_and(u8::is_ascii_digit)
            }
            (last, b'+' | b'-') if is_word(last) => self.after_number,
            (last, first) => (is_word(last) && is_word(first)) || (is_operator(last) && is_operator(first)),
        }
    }

    /// Whether a gap between the adjacent tokens would change the second one: `.0` is a modifier directly after a word, and a
    /// number elsewhere.
    fn would_split(&self, space: TextRange) -> bool {
        let (before, after) = self.text.as_bytes().split_at(usize::from(space.end()));
        space.is_empty()
            && matches!(after, [b'.', digit, ..] if digit.is_ascii_digit())
            && before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
    }

    fn breaks(&self, space: TextRange) -> usize {
        newlines(&self.text[space]).count()
    }

    fn put(&mut self, piece: TextRange) {
        (self.at, self.loose) = (piece.end(), TextRange::default());
        let text = &self.text[piece];
        match newlines(text).last() {
            None => self.advance(text),
            Some((_, end)) => {
                self.width = 0;
                self.advance(text[end..].trim_start_matches([' ', '\t']));
            }
        }
    }

    fn advance(&mut self, text: &str) {
        for char in text.chars() {
            self.width = if char == '\t' { (self.width / TAB + 1) * TAB } else { self.width + 1 };
        }
    }

    fn set_spaces(&mut self, space: TextRange, wanted: impl AsRef<str>) {
        let wanted = wanted.as_ref();
        self.replace(space, wanted);
        self.at = space.end();
        self.advance(wanted);
    }

    /// Changes a gap to this many newlines and an indentation, but keeps newlines that are already there.
    fn set_lines(&mut self, space: TextRange, breaks: usize, indent: &str) {
        let ends: Vec<(usize, usize)> = newlines(&self.text[space]).collect();
        let part = |start: usize, end: usize| {
            let at = |offset: usize| space.start() + TextSize::new(offset as u32);
            TextRange::new(at(start), at(end))
        };
        let mut from = 0;
        for &(start, end) in ends.iter().take(breaks) {
            self.replace(part(from, start), "");
            from = end;
        }
        let last_line = ends.last().map_or(0, |(_, end)| *end);
        if from < last_line {
            self.replace(part(from, last_line), "");
            from = last_line;
        }
        let missing = self.line_end.repeat(breaks.saturating_sub(ends.len()));
        if !missing.is_empty() && !self.loose.is_empty() {
            self.edits.push(TextEdit { range: self.loose, insert: String::new() });
        }
        self.replace(part(from, usize::from(space.len())), &(missing + indent));
        (self.at, self.width) = (space.end(), 0);
    }

    fn replace(&mut self, range: TextRange, wanted: &str) {
        if &self.text[range] != wanted {
            self.edits.push(TextEdit { range: range + self.start, insert: wanted.to_owned() });
        }
    }
}

/// The newlines of a text, as start and end offsets.
fn newlines(text: &str) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter_map(move |(at, byte)| match byte {
        b'\n' if at > 0 && bytes[at - 1] == b'\r' => Some((at - 1, at + 1)),
        b'\n' => Some((at, at + 1)),
        b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some((at, at + 1)),
        _ => None,
    })
}

fn width_of_last_line(space: &str) -> usize {
    let start = newlines(space).last().map_or(0, |(_, end)| end);
    space[start..].chars().fold(0, |width, char| match char {
        '\t' => (width / TAB + 1) * TAB,
        _ => width + 1,
    })
}

/// The indentation of a comment on a separate line, given its present one.
fn own_indent(space: &str) -> &'static str {
    const FAR: &str = "                                        ";
    match width_of_last_line(space) {
        0 => "",
        1..FAR_IN => "\t",
        _ => &FAR[..COMMENT_COLUMN],
    }
}

fn after_code(end: End, width: usize) -> String {
    let spaces = match end {
        End::Brace => 1,
        _ => COMMENT_COLUMN.saturating_sub(width).max(1),
    };
    " ".repeat(spaces)
}
