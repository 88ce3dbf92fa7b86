//! Blanks between tokens: what is there, what is wanted, and the edits that make the one of the other.
//!
//! Tokens, comments and line marks are never touched, only what lies between them is, so that formatting cannot change
//! what a file says. A gap that is as wanted makes no edit, and one of several lines is edited line by line: cursors,
//! lanes and all else that follows the text stays where it is.

use text_size::{TextRange, TextSize};
use warplens_ide_db::answer::TextEdit;
use warplens_syntax::SyntaxKind;

/// How far in a line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indent {
    Flush,
    Statement,
    Continuation,
    /// So many times four blanks.
    Level(u8),
    /// The same for what closes a construct: comments before it may belong to what it closes.
    Closing(u8),
}

/// The deepest level that is shown.
const MAX_LEVEL: u8 = 40;
const BLANKS: &str = match std::str::from_utf8(&[b' '; 4 * MAX_LEVEL as usize]) {
    Ok(blanks) => blanks,
    Err(_) => "",
};

impl Indent {
    pub(super) fn text(self) -> &'static str {
        match self {
            Indent::Flush => "",
            Indent::Statement => "\t",
            Indent::Continuation => "\t\t",
            Indent::Level(level) | Indent::Closing(level) => &BLANKS[..4 * usize::from(level.min(MAX_LEVEL))],
        }
    }
}

/// Where comments go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// Those behind code in a column of their own; those on lines of their own as far in as they were, roughly.
    InColumns,
    /// Those behind code where they are; those on lines of their own as far in as what follows.
    WithCode,
}

/// What is wanted before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// It starts a line.
    Line(Indent),
    /// It stands on the line of the token before it, after these blanks.
    Same(&'static str),
    /// The same, unless it started a line: then it keeps doing so.
    Kept(&'static str, Indent),
}

impl Gap {
    /// How far in the token is when a comment before it makes it start a line.
    fn indent(self) -> Indent {
        match self {
            Gap::Line(indent) | Gap::Kept(_, indent) => indent,
            Gap::Same(_) => Indent::Continuation,
        }
    }
}

/// What the line that is being laid out ends with so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// There is no line yet: the start of the file.
    Start,
    /// So many line ends, which belong to the item before.
    Lines(usize),
    Code,
    /// `{` or `}`, which a comment follows closely.
    Brace,
    /// A comment or line mark that only the line's end ends.
    LineComment,
    /// A block comment that began its line.
    LeadingComment,
    /// A block comment after code.
    InnerComment,
    /// Something that was passed over: what follows on its line stays as it is.
    Unknown,
}

/// At most so many line ends between two tokens: two blank lines.
const MAX_BREAKS: usize = 3;

/// Where comments behind code begin, counted from where the code does.
const COMMENT_COLUMN: usize = 40;

/// A comment of its own line that is this far in belongs to the comments behind code.
const FAR_IN: usize = 32;

const TAB: usize = 8;

/// Compilers set these comments around text that a programmer wrote, which stays as it was written.
const INLINE_BEGIN: &str = "// begin inline asm";
const INLINE_END: &str = "// end inline asm";

/// A comment or a line mark that waits for the token after it.
struct Waiting {
    range: TextRange,
    kind: SyntaxKind,
}

/// Lays out a file, item after item, and collects the edits.
pub(super) struct Layout<'t> {
    text: &'t str,
    /// Where the item starts in the file.
    start: TextSize,
    /// Where the last token, comment or line mark of the item ends.
    at: TextSize,
    waiting: Vec<Waiting>,
    end: End,
    /// How wide the line is so far, from the end of its indentation.
    width: usize,
    /// Inside of text that compilers took over.
    inline: bool,
    comments: Comments,
    line_end: &'static str,
    /// Blanks of the file at the end of the last item, if the line may go on in the next one.
    loose: TextRange,
    edits: Vec<TextEdit>,
}

impl<'t> Layout<'t> {
    /// A layout of a file with these line ends.
    pub(super) fn new(comments: Comments, line_end: &'static str) -> Layout<'t> {
        Layout {
            text: "",
            start: 0.into(),
            at: 0.into(),
            waiting: Vec::new(),
            end: End::Start,
            width: 0,
            inline: false,
            comments,
            line_end,
            loose: TextRange::default(),
            edits: Vec::new(),
        }
    }

    /// Goes on with the next item.
    pub(super) fn item(&mut self, text: &'t str, start: TextSize) {
        (self.text, self.start, self.at, self.inline) = (text, start, 0.into(), false);
    }

    /// Passes over a part of the item, before which `gap` is wanted; the gap after it stays as it is.
    pub(super) fn pass(&mut self, range: TextRange, gap: Gap) {
        self.comments(gap, Some(range.start()));
        self.gap_before_token(range.start(), gap);
        let passed = &self.text[range];
        let (begin, end) = (passed.rfind(INLINE_BEGIN), passed.rfind(INLINE_END));
        if begin != end {
            self.inline = begin > end;
        }
        (self.at, self.end, self.loose) = (range.end(), End::Unknown, TextRange::default());
    }

    /// Passes over the whole item.
    pub(super) fn pass_item(&mut self) {
        (self.at, self.end, self.loose) = (TextSize::of(self.text), End::Unknown, TextRange::default());
    }

    /// A comment or a line mark of the item.
    pub(super) fn trivia(&mut self, range: TextRange, kind: SyntaxKind) {
        self.waiting.push(Waiting { range, kind });
    }

    /// A token of the item, and what is wanted before it.
    pub(super) fn token(&mut self, range: TextRange, kind: SyntaxKind, gap: Gap) {
        self.comments(gap, Some(range.start()));
        self.gap_before_token(range.start(), gap);
        self.put(range);
        let is_brace = matches!(kind, SyntaxKind::L_BRACE | SyntaxKind::R_BRACE);
        self.end = if is_brace { End::Brace } else { End::Code };
    }

    /// The end of the item: comments that no token of it follows, and line ends that do not belong to the next one.
    pub(super) fn end_item(&mut self) {
        self.comments(Gap::Line(Indent::Flush), None);
        let blank = TextRange::new(self.at, TextSize::of(self.text));
        let breaks = self.breaks(blank).min(MAX_BREAKS);
        if breaks > 0 && !matches!(self.end, End::Unknown | End::Start) {
            self.set_lines(blank, breaks, "");
            self.end = End::Lines(breaks);
        } else if self.end == End::Code {
            self.loose = blank + self.start;
        }
    }

    /// The end of the file, which is the end of a line.
    pub(super) fn finish(mut self) -> Vec<TextEdit> {
        self.loose = TextRange::default();
        let blank = TextRange::new(self.at, TextSize::of(self.text));
        match self.end {
            End::Unknown | End::Lines(_) => {}
            End::Start => self.set_lines(blank, 0, Indent::Flush.text()),
            _ => self.set_lines(blank, self.breaks(blank).clamp(1, MAX_BREAKS), ""),
        }
        self.edits
    }

    /// Puts the waiting comments. `next` is where a token follows.
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

    /// Puts a comment. It is alone when nothing follows on its line, and the last when nothing may follow there.
    fn comment(&mut self, comment: &Waiting, gap: Gap, is_alone: bool, is_last: bool) {
        let blank = TextRange::new(self.at, comment.range.start());
        let text = &self.text[comment.range];
        let ends_line = comment.kind != SyntaxKind::COMMENT || !text.starts_with("/*");
        let breaks = self.breaks(blank);
        let starts_line = breaks > 0 || matches!(self.end, End::Start | End::Lines(_) | End::LineComment);
        let ends_inline = text.trim_end() == INLINE_END;
        if self.inline || (self.end == End::Unknown && !starts_line) {
            self.keep(blank);
        } else if starts_line {
            let indent = match comment.kind {
                SyntaxKind::LINE_MARK => "",
                _ if !is_alone && !ends_line => gap.indent().text(),
                _ => self.own_indent(&self.text[blank], gap),
            };
            self.set_lines(blank, self.wanted_breaks(breaks), indent);
        } else if self.comments == Comments::WithCode {
            if blank.is_empty() {
                self.set_blanks(blank, " ");
            } else {
                self.keep(blank);
            }
        } else if ends_line || is_alone || is_last {
            self.set_blanks(blank, behind_code(self.end, self.width));
        } else {
            self.set_blanks(blank, " ");
        }
        self.put(comment.range);
        self.inline = (self.inline && !ends_inline) || text.trim_end() == INLINE_BEGIN;
        self.end = match () {
            () if ends_line => End::LineComment,
            () if starts_line => End::LeadingComment,
            () => End::InnerComment,
        };
    }

    /// The indentation of a comment on a line of its own, by the blanks before it and what follows.
    fn own_indent(&self, blank: &str, gap: Gap) -> &'static str {
        match (self.comments, gap.indent()) {
            (Comments::InColumns, _) => own_indent(blank),
            (Comments::WithCode, Indent::Closing(level))
                if width_of_last_line(blank) > 4 * usize::from(level) =>
            {
                Indent::Level(level.saturating_add(1)).text()
            }
            (Comments::WithCode, indent) => indent.text(),
        }
    }

    fn gap_before_token(&mut self, token: TextSize, gap: Gap) {
        let blank = TextRange::new(self.at, token);
        let breaks = self.breaks(blank);
        if self.inline || (self.end == End::Unknown && breaks == 0) {
            return self.keep(blank);
        }
        match (self.end, gap) {
            (End::LineComment | End::Lines(_), _) => {
                self.set_lines(blank, self.wanted_breaks(breaks), gap.indent().text())
            }
            (End::LeadingComment | End::InnerComment, _) if breaks > 0 => {
                self.set_lines(blank, self.wanted_breaks(breaks), gap.indent().text());
            }
            (End::LeadingComment, _) | (End::InnerComment, Gap::Same(_) | Gap::Kept(..)) => {
                self.set_blanks(blank, " ");
            }
            (_, Gap::Line(indent)) => self.set_lines(blank, self.wanted_breaks(breaks), indent.text()),
            (_, Gap::Kept(_, indent)) if breaks > 0 => {
                self.set_lines(blank, self.wanted_breaks(breaks), indent.text());
            }
            (_, Gap::Kept(blanks, _) | Gap::Same(blanks)) => {
                let must_part = blanks.is_empty() && !blank.is_empty() && self.would_join(blank);
                self.set_blanks(blank, if must_part { " " } else { blanks });
            }
        }
    }

    /// How many line ends there shall be where there are so many.
    fn wanted_breaks(&self, breaks: usize) -> usize {
        match self.end {
            End::Start => breaks.min(MAX_BREAKS - 1),
            End::Lines(before) => breaks.min(MAX_BREAKS - before),
            _ => breaks.clamp(1, MAX_BREAKS),
        }
    }

    /// Whether the tokens around these blanks would be read as others without them.
    fn would_join(&self, blank: TextRange) -> bool {
        let before = &self.text.as_bytes()[..usize::from(blank.start())];
        let after = &self.text.as_bytes()[usize::from(blank.end())..];
        let (Some(&last), Some(&first)) = (before.last(), after.first()) else { return false };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let is_operator = |byte: u8| b"<>=!&|:/*.@#%".contains(&byte);
        let in_number = || {
            let word = before.iter().rev().take_while(|byte| is_word(**byte) || **byte == b'.');
            word.last().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
        };
        match (last, first) {
            (b'%', first) => is_word(first) || is_operator(first),
            (last, b'.') if is_word(last) => in_number() || after.get(1).is_some_and(u8::is_ascii_digit),
            (last, b'+' | b'-') if is_word(last) => in_number(),
            (last, first) => (is_word(last) && is_word(first)) || (is_operator(last) && is_operator(first)),
        }
    }

    // Lines.

    fn breaks(&self, blank: TextRange) -> usize {
        line_ends(&self.text[blank]).count()
    }

    /// Leaves a gap as it is.
    fn keep(&mut self, blank: TextRange) {
        self.put(blank);
    }

    /// Goes on behind a piece of the text.
    fn put(&mut self, piece: TextRange) {
        (self.at, self.loose) = (piece.end(), TextRange::default());
        let text = &self.text[piece];
        match line_ends(text).last() {
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

    fn set_blanks(&mut self, blank: TextRange, wanted: impl AsRef<str>) {
        let wanted = wanted.as_ref();
        if &self.text[blank] != wanted {
            self.edit(blank, wanted.to_owned());
        }
        self.at = blank.end();
        self.advance(wanted);
    }

    /// Makes a gap so many line ends and an indentation, leaving the line ends that are there.
    fn set_lines(&mut self, blank: TextRange, breaks: usize, indent: &str) {
        let ends: Vec<(usize, usize)> = line_ends(&self.text[blank]).collect();
        let part = |start: usize, end: usize| {
            let at = |offset: usize| blank.start() + TextSize::new(offset as u32);
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
        self.replace(part(from, usize::from(blank.len())), &(missing + indent));
        (self.at, self.width) = (blank.end(), 0);
    }

    fn replace(&mut self, range: TextRange, wanted: &str) {
        if &self.text[range] != wanted {
            self.edit(range, wanted.to_owned());
        }
    }

    fn edit(&mut self, range: TextRange, insert: String) {
        self.edits.push(TextEdit { range: range + self.start, insert });
    }
}

/// The line ends of a text, each as where it starts and ends.
fn line_ends(text: &str) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().filter_map(move |(at, byte)| match byte {
        b'\n' if at > 0 && bytes[at - 1] == b'\r' => Some((at - 1, at + 1)),
        b'\n' => Some((at, at + 1)),
        b'\r' if bytes.get(at + 1) != Some(&b'\n') => Some((at, at + 1)),
        _ => None,
    })
}

fn width_of_last_line(blank: &str) -> usize {
    let start = line_ends(blank).last().map_or(0, |(_, end)| end);
    blank[start..].chars().fold(0, |width, char| match char {
        '\t' => (width / TAB + 1) * TAB,
        _ => width + 1,
    })
}

/// The indentation of a comment on a line of its own, by the one that it has.
fn own_indent(blank: &str) -> &'static str {
    const FAR: &str = "                                        ";
    match width_of_last_line(blank) {
        0 => "",
        1..FAR_IN => "\t",
        _ => &FAR[..COMMENT_COLUMN],
    }
}

/// What is wanted between code and a comment behind it.
fn behind_code(end: End, width: usize) -> String {
    let blanks = match end {
        End::Brace => 1,
        _ => COMMENT_COLUMN.saturating_sub(width).max(1),
    };
    " ".repeat(blanks)
}
