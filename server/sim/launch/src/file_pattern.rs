//! The mistakes of patterns in the `file` of a launch, such as `kernels/*.ptx`, which are matched against each document.

use fast_glob::ErrorKind;

/// The limit of a pattern in bytes.
const MAX_BYTES: usize = 1024;

/// The limit of braces in braces.
const MAX_DEPTH: usize = 8;

/// Whether a `file` is a pattern. It may also be a path with such characters.
pub fn is_pattern(file: &str) -> bool {
    file.contains(['*', '?', '[', '{'])
}

/// Why a `file` cannot be matched as a pattern; `None` if it can, or is no pattern.
pub fn mistake(file: &str) -> Option<String> {
    if !is_pattern(file) {
        return None;
    }
    if file.len() > MAX_BYTES {
        return Some(format!(
            "the pattern has {} bytes; the limit is {MAX_BYTES}: split the launch",
            file.len()
        ));
    }
    let deepest = nesting(file);
    if deepest > MAX_DEPTH {
        return Some(format!(
            "the pattern nests {deepest} braces; the limit is {MAX_DEPTH}: write them side by side"
        ));
    }
    let error = fast_glob::validate(file.replace('\\', "/")).err()?;
    Some(match error.kind {
        ErrorKind::UnclosedBracket => unclosed('[', ']'),
        ErrorKind::UnclosedBrace => unclosed('{', '}'),
        ErrorKind::TooManyBraceGroups => {
            "the pattern has more than 10 pairs of braces: split the launch, or use `*`".to_owned()
        }
        _ => format!("the pattern is not valid: {error}"),
    })
}

fn unclosed(open: char, close: char) -> String {
    format!("the pattern has `{open}` without `{close}`: add it, or write `[{open}]` for the character")
}

fn nesting(file: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for char in file.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_of_patterns() {
        let nested = |depth: usize| format!("{}a{}.ptx", "{".repeat(depth), "}".repeat(depth));
        let fine = [nested(MAX_DEPTH), "{a,b}".repeat(10), "a".repeat(5000)];
        for fine in
            fine.iter().map(String::as_str).chain(["kernels/*.ptx", "k[1].ptx", "k[[]1.ptx", "k}.ptx"])
        {
            assert_eq!(mistake(fine), None);
        }
        for (wrong, message) in [
            (nested(MAX_DEPTH + 1), "nests 9 braces"),
            (nested(400), "nests 400 braces"),
            ("{a,b}".repeat(11), "more than 10 pairs of braces"),
            ("*".repeat(2000), "has 2000 bytes"),
            ("[".to_owned(), "has `[` without `]`: add it, or write `[[]` for the character"),
            ("k[1.ptx".to_owned(), "has `[` without `]`"),
            ("{a,b.ptx".to_owned(), "has `{` without `}`"),
        ] {
            assert!(mistake(&wrong).is_some_and(|found| found.contains(message)), "{wrong}");
        }
    }
}
