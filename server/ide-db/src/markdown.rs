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

/// The text as code in a line, which ends at no backtick of the text.
pub fn code(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    let ticks = "`".repeat(longest_run(&text) + 1);
    // Markdown removes one space at each end.
    let is_padded = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty();
    let space = if is_padded { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// The text as lines of code, which end at no fence of the text.
pub fn code_block(language: &str, text: &str) -> String {
    // A carriage return would start a line.
    let text = text.trim_end().replace(|char: char| char.is_control() && !matches!(char, '\n' | '\t'), " ");
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// A name in a sentence: as it is, unless Markdown interprets something in it.
pub fn name(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '$' | '%' | '-' | '…');
    if text.chars().all(is_plain) { text.to_owned() } else { escape(text) }
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}

/// A message whose words in backticks stay code, even if a name in it contains backticks.
pub fn escape_message(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    if parts.len().is_multiple_of(2) || message.contains("``") {
        return escape(message);
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => escape(part),
        _ => code(part),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_ends_after_its_text() {
        assert_eq!(code("a.cu:3"), "`a.cu:3`");
        assert_eq!(code("a`b`![l](x).cu"), "``a`b`![l](x).cu``");
        assert_eq!(code("``\r\n"), "``` ``   ```");
        assert_eq!(code_block("cpp", "int x;\n"), "```cpp\nint x;\n```");
        assert_eq!(code_block("cpp", "/*\r```\n````*/"), "`````cpp\n/* ```\n````*/\n`````");
        assert_eq!((name("my_tile[3"), name("my_tile")), (r"my\_tile\[3".to_owned(), "my_tile".to_owned()));
    }

    #[test]
    fn nothing_is_interpreted() {
        assert_eq!(escape("[a](http://x) `b`\n<c>"), r"\[a\](http\://x) \`b\` \<c\>");
        assert_eq!(escape("**x** www.y.z"), r"\*\*x\*\* www\.y.z");
        assert_eq!(escape_message("`a_b` is *x*"), r"`a_b` is \*x\*");
        assert_eq!(escape_message("`a`[b](c)` d"), r"\`a\`\[b\](c)\` d");
        assert_eq!(escape("saxpy, 2 x 64 (ä)"), "saxpy, 2 x 64 (ä)");
    }
}
