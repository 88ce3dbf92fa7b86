//! The list of words that the project does not use, compared with every tracked text file.
//!
//! The list is data (`words.toml`); this file reads it and finds its phrases. It knows no word.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

const LIST: &str = include_str!("words.toml");

/// Files that are not text of ours, or that quote the list itself.
const SKIPPED: [&str; 9] = [
    "tests/fixtures/",
    "xtask/src/tidy/words.rs",
    "xtask/src/tidy/words.toml",
    "Cargo.lock",
    "package-lock.json",
    "editors/panel/report.js",
    "LICENSE-",
    "docs/reference/",
    "proptest-regressions",
];

#[derive(Deserialize)]
struct List {
    word: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    ban: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    within: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    write: String,
}

/// Reports each use of a listed word in a tracked file or in its name.
pub(super) fn check(root: &Path, tracked: &[String], problems: &mut Vec<String>) -> Result<()> {
    let list: List = toml::from_str(LIST).context("words.toml cannot be read")?;
    let phrases = Phrases::new(&list.word);
    for name in tracked {
        if name.contains("/generated/") || SKIPPED.iter().any(|skipped| name.contains(skipped)) {
            continue;
        }
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        let applies = |entry: usize| {
            let Entry { within, except, .. } = &list.word[entry];
            !except.contains(name)
                && (within.is_empty() || within.iter().any(|folder| name.starts_with(folder)))
        };
        let mut report = |line: usize, entry: usize, found: &str| {
            if applies(entry) {
                problems.push(format!("{name}:{line}: \"{found}\"; write: {}", list.word[entry].write));
            }
        };
        phrases.find(&words(name), &mut |_, entry, found| report(0, entry, found));
        phrases.find(&words(&text), &mut report);
        if name.ends_with(".rs") {
            find_names(&list.word, &text, &mut report);
        }
    }
    Ok(())
}

fn find_names(entries: &[Entry], text: &str, report: &mut impl FnMut(usize, usize, &str)) {
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for word in code.split(|c: char| !c.is_alphanumeric() && c != '_') {
            if let Some(entry) = entries.iter().position(|entry| entry.names.iter().any(|name| name == word))
            {
                report(number + 1, entry, word);
            }
        }
    }
}

/// A word in lower case, or a single punctuation character, and the line it is on.
struct Word {
    text: String,
    line: usize,
}

/// The words of a text. Identifiers are split at `_` and where a capital follows a small letter; what marks a line as a
/// comment is passed over, so that a phrase may continue on the next line.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let content = line.trim_start().trim_start_matches(['/', '!', '#', '*', ';', '>', '|']);
        let mut word = String::new();
        let mut before = ' ';
        for c in content.chars().chain([' ']) {
            if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
                if !word.is_empty() {
                    words.push(Word { text: std::mem::take(&mut word), line: number + 1 });
                }
                if !c.is_alphanumeric() && !c.is_whitespace() && c != '_' {
                    words.push(Word { text: c.to_string(), line: number + 1 });
                }
            }
            if c.is_alphanumeric() {
                word.extend(c.to_lowercase());
            }
            before = c;
        }
    }
    words
}

/// One position of a phrase: the words that may be there; none stands for any word.
type Slot = Vec<String>;

/// All phrases of the list, found by their first words.
struct Phrases {
    phrases: Vec<(Vec<Slot>, usize)>,
    unless: Vec<Vec<Vec<Slot>>>,
    by_first_word: HashMap<String, Vec<usize>>,
}

impl Phrases {
    fn new(entries: &[Entry]) -> Phrases {
        let mut phrases = Vec::new();
        let mut by_first_word = HashMap::<String, Vec<usize>>::new();
        for (number, entry) in entries.iter().enumerate() {
            for phrase in entry.ban.iter().map(|text| slots(text)) {
                for word in &phrase[0] {
                    by_first_word.entry(word.clone()).or_default().push(phrases.len());
                }
                phrases.push((phrase, number));
            }
        }
        let unless =
            entries.iter().map(|entry| entry.unless.iter().map(|text| slots(text)).collect()).collect();
        Phrases { phrases, unless, by_first_word }
    }

    /// Calls `report` with line, entry and text of each phrase found.
    fn find(&self, words: &[Word], report: &mut impl FnMut(usize, usize, &str)) {
        for start in 0..words.len() {
            for &phrase in self.by_first_word.get(&words[start].text).into_iter().flatten() {
                let (slots, entry) = &self.phrases[phrase];
                if fits(slots, words, start) && !self.is_standard(*entry, words, start, slots.len()) {
                    let found: Vec<&str> =
                        words[start..start + slots.len()].iter().map(|word| word.text.as_str()).collect();
                    report(words[start].line, *entry, &found.join(" "));
                }
            }
        }
    }

    /// Whether a phrase that was found is a part of one that the entry permits.
    fn is_standard(&self, entry: usize, words: &[Word], start: usize, length: usize) -> bool {
        self.unless[entry].iter().any(|slots| {
            let first = (start + length).saturating_sub(slots.len());
            (first..=start).any(|at| fits(slots, words, at))
        })
    }
}

fn slots(phrase: &str) -> Vec<Slot> {
    let slot = |text: &str| match text {
        "*" => Slot::new(),
        _ => text.split('|').map(str::to_owned).collect(),
    };
    let spaced: String =
        phrase.chars().flat_map(|c| if "-\":".contains(c) { vec![' ', c, ' '] } else { vec![c] }).collect();
    spaced.split_whitespace().map(slot).collect()
}

fn fits(slots: &[Slot], words: &[Word], start: usize) -> bool {
    words.len() >= start + slots.len()
        && slots.iter().zip(&words[start..]).all(|(slot, word)| slot.is_empty() || slot.contains(&word.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        let list: List = toml::from_str(LIST).expect("the list");
        let mut found = Vec::new();
        Phrases::new(&list.word).find(&words(text), &mut |line, _, text| found.push((line, text.to_owned())));
        found
    }

    #[test]
    fn a_phrase_is_found_in_prose_identifiers_and_across_lines() {
        assert_eq!(found("lanes part"), [(1, "lanes part".to_owned())]);
        assert_eq!(
            found("fn quick_mend() {}\nstruct QuickMend;"),
            [(1, "mend".to_owned()), (2, "mend".to_owned())]
        );
        assert_eq!(found("/// values that are\n/// no numbers"), [(1, "are no".to_owned())]);
    }

    #[test]
    fn a_standard_term_is_not_a_hit() {
        assert_eq!(found("it is no longer part of the set; X stands for Y; --spelling"), []);
        assert_eq!(found("understand, apart, comment, remedy"), []);
    }
}
