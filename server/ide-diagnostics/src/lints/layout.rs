//! Rewrites of statements on separate lines: they keep comments, and dedent code that is moved out of a construct.

use text_size::{TextRange, TextSize};
use warplens_ide_db::ItemFix;

pub(crate) struct Rewrite<'t> {
    text: &'t str,
    edits: Vec<(TextRange, String)>,
}

impl<'t> Rewrite<'t> {
    pub(crate) fn new(text: &'t str) -> Rewrite<'t> {
        Rewrite { text, edits: Vec::new() }
    }

    pub(crate) fn replace(&mut self, range: TextRange, write: impl Into<String>) {
        self.edits.push((range, write.into()));
    }

    /// Removes a statement, with its line if nothing else is on it. A comment stays.
    pub(crate) fn remove(&mut self, statement: TextRange) {
        let line = line_at(self.text, statement.start());
        if !line.contains_range(statement) {
            return self.edits.push((statement, String::new()));
        }
        let rest = &self.text[TextRange::new(statement.end(), line.end())];
        let space = TextSize::of(rest) - TextSize::of(rest.trim_start());
        let is_first = indentation_end(self.text, line) == statement.start();
        let range = match (is_first, rest.trim().is_empty()) {
            (true, true) => {
                let newline = TextSize::from(u32::from(line.end() < TextSize::of(self.text)));
                TextRange::new(line.start(), line.end() + newline)
            }
            (false, true) => statement,
            _ => TextRange::new(statement.start(), statement.end() + space),
        };
        self.edits.push((range, String::new()));
    }

    /// Dedents the lines between two statements by the difference of the indentations of `inner` and `first`.
    pub(crate) fn dedent(&mut self, first: TextRange, last: TextRange, inner: TextRange) {
        let mut start = line_at(self.text, first.start()).end() + TextSize::from(1);
        let (outer, inner) = (indentation(self.text, first), indentation(self.text, inner));
        let Some(surplus) = inner.strip_prefix(outer).filter(|surplus| !surplus.is_empty()) else { return };
        let last = line_at(self.text, last.start()).start();
        while start < last {
            let line = line_at(self.text, start);
            let at = TextRange::at(start + TextSize::of(outer), TextSize::of(surplus));
            let gone = self.edits.iter().any(|(edit, write)| write.is_empty() && edit.contains_range(at));
            if self.text[line].starts_with(inner) && !gone {
                self.edits.push((at, String::new()));
            }
            start = line.end() + TextSize::from(1);
        }
    }

    pub(crate) fn fix(mut self, title: String) -> ItemFix {
        self.edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        self.edits.into_iter().fold(ItemFix::new(title), |fix, (range, write)| fix.replace(range, write))
    }
}

/// Whether a statement shares its line with nothing but a comment, which one of these characters begins.
pub(crate) fn is_alone_on_line(text: &str, statement: TextRange, comments: &[&str]) -> bool {
    let line = line_at(text, statement.start());
    if !line.contains_range(statement) {
        return false;
    }
    let rest = text[TextRange::new(statement.end(), line.end())].trim();
    let is_comment = rest.is_empty() || comments.iter().any(|comment| rest.starts_with(comment));
    is_comment && indentation_end(text, line) == statement.start()
}

/// The white space before a statement that is alone on its line.
pub(crate) fn indentation(text: &str, statement: TextRange) -> &str {
    let line = line_at(text, statement.start());
    &text[TextRange::new(line.start(), indentation_end(text, line))]
}

fn indentation_end(text: &str, line: TextRange) -> TextSize {
    let written = &text[line];
    line.start() + TextSize::of(written) - TextSize::of(written.trim_start())
}

fn line_at(text: &str, offset: TextSize) -> TextRange {
    let (before, after) = text.split_at(usize::from(offset));
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = after.find('\n').map_or(text.len(), |newline| before.len() + newline);
    let size = |at: usize| TextSize::try_from(at).unwrap_or(offset);
    TextRange::new(size(start), size(end))
}
