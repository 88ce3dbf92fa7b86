//! Renders Markdown as text, for terminals and for editors that do not render it. Supports the subset that the documentation uses.

use std::fmt::Write;

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};

const STRONG: Style = Style::new().bold();
const CODE: Style = AnsiColor::Cyan.on_default();
const FENCE: Style = Style::new().dimmed();

/// Renders text with styles, wrapped at `width` characters. Code is not wrapped.
pub fn render(markdown: &str, width: usize) -> String {
    let mut out = String::new();
    // The number of backticks that opened the block of code.
    let mut fence = None;
    let mut paragraph = String::new();
    for line in markdown.lines() {
        if !paragraph.is_empty() && continues(line) {
            paragraph.push(' ');
            paragraph.push_str(line.trim());
            continue;
        }
        if !paragraph.is_empty() {
            wrap(&std::mem::take(&mut paragraph), width, &mut out);
        }
        let ticks = run(line.trim_start());
        if ticks >= 3 && fence.is_none_or(|length| ticks >= length) {
            fence = fence.is_none().then_some(ticks);
        } else if fence.is_some() {
            let _ = writeln!(out, "    {FENCE}{line}{FENCE:#}");
        } else if line.trim() == "---" {
            let _ = writeln!(out, "{FENCE}{}{FENCE:#}", "─".repeat(width.min(40)));
        } else if let Some(heading) = line.strip_prefix('#') {
            let _ = writeln!(out, "{STRONG}{}{STRONG:#}", heading.trim_start_matches('#').trim());
        } else if line.trim().is_empty() {
            out.push('\n');
        } else {
            paragraph.push_str(line);
        }
    }
    if !paragraph.is_empty() {
        wrap(&paragraph, width, &mut out);
    }
    out
}

/// Whether a line continues the paragraph before it.
fn continues(line: &str) -> bool {
    let text = line.trim_start();
    let starts_block = ["```", "---", "#", "- ", "* ", "|"].iter().any(|start| text.starts_with(start));
    let number = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = number.len() < text.len() && number.starts_with(". ");
    !text.is_empty() && !starts_block && !is_numbered
}

/// Renders text without styles, with each paragraph on one line.
pub fn plain(markdown: &str) -> String {
    strip_str(&render(markdown, usize::MAX)).to_string()
}

/// Wraps a paragraph or a list item with a hanging indent.
fn wrap(line: &str, width: usize, out: &mut String) {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let (bullet, text) = match text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
        Some(rest) => ("• ", rest),
        None => ("", text),
    };
    let hanging = indent + bullet.chars().count();
    let _ = write!(out, "{:indent$}{bullet}", "");
    let mut column = hanging;
    for (at, word) in styled(text).split_ascii_whitespace().enumerate() {
        let word = word.replace(KEPT_SPACE, " ");
        let length = strip_str(&word).to_string().chars().count();
        if at > 0 && length > 0 {
            let fits = column + 1 + length <= width;
            let _ = if fits { write!(out, " ") } else { write!(out, "\n{:hanging$}", "") };
            column = if fits { column + 1 } else { hanging };
        }
        out.push_str(&word);
        column += length;
    }
    out.push('\n');
}

/// A space at which a line is not broken: in code or in a link.
const KEPT_SPACE: &str = "\0";

/// Turns `` `code` ``, `**strong**`, `[text](link)` and escapes into styles.
fn styled(text: &str) -> String {
    let mut out = String::new();
    let mut strong = false;
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("**") {
            strong = !strong;
            let _ = if strong { write!(out, "{STRONG}") } else { write!(out, "{STRONG:#}") };
            rest = after;
        } else if let Some((code, after)) = code(rest) {
            let _ = write!(out, "{CODE}{}{CODE:#}", code.replace(' ', KEPT_SPACE));
            if strong {
                let _ = write!(out, "{STRONG}");
            }
            rest = after;
        } else if let Some((link, after)) = link(rest) {
            out += &link.replace(' ', KEPT_SPACE);
            rest = after;
        } else {
            let is_escaped = |text: &&str| text.starts_with(|char: char| char.is_ascii_punctuation());
            let text = rest.strip_prefix('\\').filter(is_escaped).unwrap_or(rest);
            let (char, after) = text.split_at(text.ceil_char_boundary(1));
            out += char;
            rest = after;
        }
    }
    out
}

/// The number of backticks at the start.
fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// The code at the start of a text, which ends with as many backticks as it starts, and the rest.
fn code(text: &str) -> Option<(&str, &str)> {
    let ticks = Some(run(text)).filter(|ticks| *ticks > 0)?;
    let inside = &text[ticks..];
    let mut at = inside.find('`')?;
    while run(&inside[at..]) != ticks {
        at += run(&inside[at..]);
        at += inside[at..].find('`')?;
    }
    let code = &inside[..at];
    let unpadded = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
    Some((unpadded.unwrap_or(code), &inside[at + ticks..]))
}

fn link(text: &str) -> Option<(&str, &str)> {
    let (shown, after) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = after.split_once(')')?;
    (!shown.contains(['[', '\n'])).then_some((shown, after))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(markdown: &str, expected: Expect) {
        expected.assert_eq(&anstream::adapter::strip_str(&render(markdown, 30)).to_string());
    }

    #[test]
    fn paragraphs_and_lists_are_wrapped() {
        check(
            "# Title\n\nThe lanes of a warp that execute each line, **all of them**.\n\n- the first entry is a long one\n- `b`",
            expect![[r#"
                Title

                The lanes of a warp that
                execute each line, all of
                them.

                • the first entry is a long
                  one
                • b
            "#]],
        );
    }

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        check(
            "What is one\nsentence in the\nsource is one here.\n- an entry\n  that goes on\n1. first\n2. second\n\n    **A**\nb",
            expect![[r#"
                What is one sentence in the
                source is one here.
                • an entry that goes on
                1. first
                2. second

                    A b
            "#]],
        );
    }

    #[test]
    fn code_is_not_wrapped() {
        check(
            "```ptx\nadd.s32 %r1, %r2, %r3;        // a long line\n```\n`one piece of code that is longer`",
            expect![[r#"
                    add.s32 %r1, %r2, %r3;        // a long line
                one piece of code that is longer
            "#]],
        );
    }

    #[test]
    fn code_may_contain_backticks() {
        check(
            "``a`b`` and ` `` `\n````text\n```\n````\nend",
            expect![[r#"
                a`b and ``
                    ```
                end
            "#]],
        );
    }

    #[test]
    fn links_and_escapes_lose_their_markup() {
        check(
            "see [the guide](https://x.y/z) \\*here\\*",
            expect![[r#"
            see the guide *here*
        "#]],
        );
    }

    #[test]
    fn plain_characters_are_kept() {
        check(
            "a [0] ` b ** c",
            expect![[r#"
            a [0] ` b c
        "#]],
        );
    }

    #[test]
    fn plain_text_has_no_markup() {
        assert_eq!(plain("# T\n**`add`** and `b`"), "T\nadd and b\n");
    }

    #[test]
    fn headings_and_code_have_styles() {
        let styled = render("# T\n**`add`**", 80);
        assert!(styled.contains("\u{1b}[1mT"), "{styled:?}");
        assert!(styled.contains("\u{1b}[36madd"), "{styled:?}");
    }
}
