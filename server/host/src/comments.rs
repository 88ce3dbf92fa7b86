//! Comments in the text of a statement.

use std::borrow::Cow;
use std::ops::Range;

use crate::template::Template;

/// A comment, and whether it ends with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub range: Range<usize>,
    pub is_line: bool,
}

impl Template {
    /// The comments of the text, in order. One that is never closed goes to the end.
    pub fn comments(&self) -> Vec<Comment> {
        comments(&self.text)
    }

    /// The text with a space for each comment.
    pub(crate) fn code(&self) -> Cow<'_, str> {
        let comments = self.comments();
        if comments.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        let starts = std::iter::once(0).chain(comments.iter().map(|comment| comment.range.end));
        let ends = comments.iter().map(|comment| comment.range.start).chain([self.text.len()]);
        let parts: Vec<&str> = starts.zip(ends).map(|(start, end)| &self.text[start..end]).collect();
        Cow::Owned(parts.join(" "))
    }
}

fn comments(text: &str) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(slash) = text[at..].find('/').map(|slash| at + slash) {
        let is_line = text[slash..].starts_with("//");
        if !is_line && !text[slash..].starts_with("/*") {
            at = slash + 1;
            continue;
        }
        let rest = &text[slash + 2..];
        let length = if is_line { rest.find('\n') } else { rest.find("*/").map(|end| end + 2) };
        at = slash + 2 + length.unwrap_or(rest.len());
        found.push(Comment { range: slash..at, is_line });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn of_lines_and_blocks() {
        let mut template = Template::default();
        template.invent("a / b // one /* x\nadd; /* two // x */ sub; //* three\n/* four");
        let text = &template.text;
        let found = template.comments().into_iter().map(|comment| (&text[comment.range], comment.is_line));
        let expected =
            [("// one /* x", true), ("/* two // x */", false), ("//* three", true), ("/* four", false)];
        assert!(found.eq(expected));
        assert_eq!(template.code(), "a / b  \nadd;   sub;  \n ");
    }
}
