//! Lists of words in sentences.

/// `a`, `a or b`, `a, b or c`.
pub fn any_of(words: &[impl AsRef<str>]) -> String {
    enumeration(words, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub fn all_of(words: &[impl AsRef<str>]) -> String {
    enumeration(words, "and")
}

fn enumeration(words: &[impl AsRef<str>], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [most @ .., last] if !most.is_empty() => format!("{} {conjunction} {last}", most.join(", ")),
        words => words.concat(),
    }
}
