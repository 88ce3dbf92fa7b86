//! What a file declares, in words: its declaration as written, what it is, how it is used.

pub mod ptx;

/// A stretch of source as one line: blanks folded, and cut where it gets long.
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
