//! User text in Markdown.

/// Characters with a meaning in Markdown or HTML inside a line. The at sign turns an address into a link.
const SPECIAL: &str = "\\`*_[]<>&~|!$@";

/// The text on one line, with everything escaped that Markdown would interpret.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        match char {
            _ if char.is_control() => out.push(' '),
            // `www.` also starts a link.
            '.' if out.as_bytes().iter().rev().take(3).all(|byte| byte.eq_ignore_ascii_case(&b'w'))
                && out.len() > 2 =>
            {
                out.push_str("\\.")
            }
            // `://` also starts a link.
            ':' if text[at..].starts_with("://") => out.push_str("\\:"),
            _ if SPECIAL.contains(char) => out.extend(['\\', char]),
            _ => out.push(char),
        }
    }
    out
}

/// A message whose words in backticks stay code, even if a name in it contains backticks.
pub fn escape_message(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    if parts.len().is_multiple_of(2) || message.contains("``") {
        return escape(message);
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => escape(part),
        _ => format!("`{}`", part.replace(char::is_control, " ")),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_interpreted() {
        assert_eq!(escape("[a](http://x) `b`\n<c>"), r"\[a\](http\://x) \`b\` \<c\>");
        assert_eq!(escape("**x** www.y.z"), r"\*\*x\*\* www\.y.z");
        assert_eq!(escape_message("`a_b` is *x*"), r"`a_b` is \*x\*");
        assert_eq!(escape_message("`a`[b](c)` d"), r"\`a\`\[b\](c)\` d");
        assert_eq!(escape("saxpy, 2 x 64 (ä)"), "saxpy, 2 x 64 (ä)");
    }
}
