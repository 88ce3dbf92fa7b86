//! Terms of the field: the wrong ones (`words.toml`) in tracked files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Files that quote the terms, and text that others wrote.
const SKIPPED: [&str; 4] = ["xtask/src/tidy/words", "/generated/", "tests/fixtures/", "package-lock.json"];

#[derive(Deserialize)]
struct Terms {
    term: Vec<Term>,
}

#[derive(Deserialize)]
struct Term {
    not: Vec<String>,
    but: String,
}

/// Reports each line of a tracked file that contains a wrong term.
pub(super) fn check(root: &Path, tracked: &str, problems: &mut Vec<String>) -> Result<()> {
    let Terms { term: terms } =
        toml::from_str(include_str!("words.toml")).context("words.toml cannot be read")?;
    for name in tracked.lines().filter(|name| !SKIPPED.iter().any(|skipped| name.contains(skipped))) {
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        let uses = uses(&terms, &text).into_iter();
        problems.extend(uses.map(|(line, wrong, but)| format!("{name}:{line}: \"{wrong}\"; write: {but}")));
    }
    Ok(())
}

/// The lines that contain a wrong term, with the term and the right one.
fn uses<'a>(terms: &'a [Term], text: &str) -> Vec<(usize, &'a str, &'a str)> {
    let wrong =
        |term: &'a Term| term.not.iter().map(|wrong| (wrong.as_str(), words(wrong), term.but.as_str()));
    let phrases: Vec<_> = terms.iter().flat_map(wrong).collect();
    let lines = (1..).zip(text.lines().map(words));
    lines
        .flat_map(|(number, line)| {
            let found = phrases.iter().filter(move |(_, phrase, _)| line.contains(phrase));
            found.map(move |(wrong, _, but)| (number, *wrong, *but)).collect::<Vec<_>>()
        })
        .collect()
}

/// The words of a line in lower case, with a space before and after each. Identifiers are split into their words.
fn words(line: &str) -> String {
    let mut words = String::from(" ");
    let mut previous = ' ';
    for c in line.chars() {
        let continues = c.is_alphanumeric() && previous.is_alphanumeric();
        if (!continues || c.is_uppercase() && previous.is_lowercase()) && !words.ends_with(' ') {
            words.push(' ');
        }
        if !c.is_whitespace() && !matches!(c, '_' | '-') {
            words.extend(c.to_lowercase());
        }
        previous = c;
    }
    words + " "
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(wrong: &str, text: &str) -> Vec<usize> {
        let terms = [Term { not: vec![wrong.into()], but: String::new() }];
        uses(&terms, text).into_iter().map(|(line, ..)| line).collect()
    }

    #[test]
    fn a_term_is_found_in_prose_and_in_identifiers() {
        let text = "the lanes part here\nfn lanes_part() {}\nstruct LanesPart;\n* Lanes part.";
        assert_eq!(found("lanes part", text), [1, 2, 3, 4]);
    }

    #[test]
    fn a_part_of_a_word_is_not_a_term() {
        assert_eq!(found("mend", "a comment, amended"), [0; 0]);
        assert_eq!(found("lanes part", "lanes(part.mask)"), [0; 0]);
    }
}
