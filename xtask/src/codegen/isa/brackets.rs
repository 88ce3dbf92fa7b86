//! Splits text at separators outside brackets.

/// The parts of a text between separators outside brackets.
pub(super) fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let mut depth = 0_usize;
    let ends_part = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && is_separator(c)
    };
    text.split(ends_part).collect()
}

/// The text before the first space outside brackets, and the rest.
pub(super) fn split_head(text: &str) -> (&str, &str) {
    text.split_at(split(text, |c| c == ' ')[0].len())
}
