//! Comments in a template.

use std::ops::Range;

/// A comment, and whether it ends with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) range: Range<usize>,
    pub(super) is_line: bool,
}

/// The comments of a text, in text order. One that is never closed goes to the end.
pub(super) fn comments(text: &str) -> Vec<Comment> {
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
    use super::comments;

    #[test]
    fn of_lines_and_blocks() {
        let text = "a / b // one /* x\nadd; /* two // x */ sub; //* three\n/* four";
        let found = comments(text).into_iter().map(|comment| (&text[comment.range], comment.is_line));
        let expected =
            [("// one /* x", true), ("/* two // x */", false), ("//* three", true), ("/* four", false)];
        assert!(found.eq(expected));
    }
}
