//! The limits of patterns in the `file` of a launch, such as `kernels/*.ptx`, which are matched against each document.

/// The limit of a pattern in bytes.
const MAX_BYTES: usize = 1024;

/// The limit of braces in braces.
const MAX_DEPTH: usize = 8;

/// Whether a `file` is a pattern. It may also be a path with such characters.
pub fn is_pattern(file: &str) -> bool {
    file.contains(['*', '?', '[', '{'])
}

/// Why a `file` is not matched as a pattern; `None` if it is within the limits or no pattern.
pub fn excess(file: &str) -> Option<String> {
    if !is_pattern(file) {
        return None;
    }
    if file.len() > MAX_BYTES {
        return Some(format!(
            "the pattern has {} bytes; the limit is {MAX_BYTES}: split the launch",
            file.len()
        ));
    }
    let (mut depth, mut deepest) = (0usize, 0);
    for char in file.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    (deepest > MAX_DEPTH).then(|| {
        format!("the pattern nests {deepest} braces; the limit is {MAX_DEPTH}: write them side by side")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_limited_and_paths_are_not() {
        let nested = |depth: usize| format!("{}a{}.ptx", "{".repeat(depth), "}".repeat(depth));
        for fine in ["kernels/*.ptx".to_owned(), nested(MAX_DEPTH), "{a,b}".repeat(100), "a".repeat(5000)] {
            assert_eq!(excess(&fine), None);
        }
        for wrong in [nested(MAX_DEPTH + 1), nested(400), "*".repeat(2000), format!("[{}]", "x".repeat(1024))]
        {
            assert!(excess(&wrong).is_some(), "{wrong}");
        }
    }
}
