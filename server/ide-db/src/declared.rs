//! Descriptions of declarations: the declaration as written, its kind, and its uses.

/// A part of the source on one line, with white space collapsed and long text truncated.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 160;
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() + word.len() > LONGEST {
            line.push_str(" …");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// `1 use`, `3 uses`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
