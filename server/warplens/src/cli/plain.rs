//! Makes text from files safe to print. A terminal would act on control characters, and bidirectional formatting characters would reorder
//! the output.

use std::borrow::Cow;

/// Characters that XML cannot contain, besides the control characters.
pub(crate) const NOT_IN_XML: [char; 2] = ['\u{fffe}', '\u{ffff}'];

/// The distance between tab stops.
const TAB: usize = 8;

/// Replaces control and bidirectional formatting characters by escapes such as `\u{1b}`.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    replaced(text, |char, out| out.extend(char.escape_unicode()))
}

/// Replaces these characters by `�`, so that the columns stay the same. Tabs are kept.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    replaced(text, |char, out| out.push(if char == '\t' { '\t' } else { char::REPLACEMENT_CHARACTER }))
}

/// Also replaces tabs by spaces, because a line number before the text would move the tab stops.
pub(crate) fn without_tabs(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for char in line.chars() {
        let (shown, width) = match char {
            '\t' => (' ', TAB - column % TAB),
            _ if is_hidden(char) => (char::REPLACEMENT_CHARACTER, 1),
            _ => (char, 1),
        };
        out.extend(std::iter::repeat_n(shown, width));
        column += width;
    }
    out
}

fn replaced(text: &str, replace: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match is_hidden(char) {
            true => replace(char, &mut out),
            false => out.push(char),
        }
    }
    Cow::Owned(out)
}

/// Whether a character controls a terminal or the direction of text.
pub(crate) fn is_hidden(char: char) -> bool {
    let is_bidirectional = matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    // Line and paragraph separators end a line in some terminals.
    char.is_control() || is_bidirectional || matches!(char, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidirectional_characters_are_escaped() {
        assert_eq!(plain("a\u{1b}[31m\u{9b}2J\u{202e}b\r\n"), r"a\u{1b}[31m\u{9b}2J\u{202e}b\u{d}\u{a}");
        assert_eq!(plain("é𝄞 – x"), "é𝄞 – x");
        assert_eq!(without_controls("a\t\u{1b}\u{2066}b"), "a\t��b");
    }
}
