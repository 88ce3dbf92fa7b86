//! Lists of words in sentences.

use std::fmt::Display;

/// `a`, `a or b`, `a, b or c`.
pub fn any_of(words: impl IntoIterator<Item = impl Display>) -> String {
    enumeration(words, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub fn all_of(words: impl IntoIterator<Item = impl Display>) -> String {
    enumeration(words, "and")
}

fn enumeration(words: impl IntoIterator<Item = impl Display>, conjunction: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    match &words[..] {
        [most @ .., last] if !most.is_empty() => format!("{} {conjunction} {last}", most.join(", ")),
        words => words.concat(),
    }
}
