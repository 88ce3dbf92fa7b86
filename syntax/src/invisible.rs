//! Characters that an editor does not show, or shows as a space, and that no language accepts between tokens.

/// What the character is called, if it is invisible.
pub(crate) fn name(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{b}' => "a vertical tab",
        '\u{85}' => "a next-line character",
        '\u{a0}' => "a no-break space",
        '\u{ad}' => "a soft hyphen",
        '\u{200b}' => "a zero-width space",
        '\u{200c}' => "a zero-width non-joiner",
        '\u{200d}' => "a zero-width joiner",
        '\u{2028}' => "a line separator",
        '\u{2029}' => "a paragraph separator",
        '\u{202f}' => "a narrow no-break space",
        '\u{2060}' => "a word joiner",
        '\u{3000}' => "an ideographic space",
        '\u{feff}' => "a byte order mark",
        '\u{2000}'..='\u{200a}' | '\u{1680}' | '\u{205f}' => "a space that is not ASCII",
        '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "a mark of text direction"
        }
        '\u{180e}' | '\u{2061}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' => "an invisible character",
        '\u{e}'..='\u{19}' | '\u{1b}'..='\u{1f}' | '\0'..='\u{8}' | '\u{7f}'..='\u{9f}' => {
            "a control character"
        }
        _ => return None,
    })
}

/// A description of the character, if it is invisible: `U+00A0, a no-break space,`.
pub(crate) fn description(character: char) -> Option<String> {
    name(character).map(|name| format!("U+{:04X}, {name},", u32::from(character)))
}

/// The length in bytes of the invisible characters at the start of a text.
pub(crate) fn length(text: &str) -> usize {
    text.find(|character| name(character).is_none()).unwrap_or(text.len())
}
