//! Skipped tests and checks. Each appends a line to a file, and `cargo xtask test` shows them at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::project::project_root;

/// The variable that names the file to the tests; `tests/support` appends to it.
pub(crate) const VARIABLE: &str = "WARPLENS_SKIPPED";

/// The file: a line for each skip, the reason and what is skipped with a tab between them.
pub(crate) fn notes() -> PathBuf {
    project_root().join("target/skipped.txt")
}

/// Forgets earlier skips.
pub(crate) fn clear() {
    let _ = fs::remove_file(notes());
}

/// Prints that something is skipped, and notes it.
pub(crate) fn note(what: &str, reason: &str) {
    println!("skipped: {what} ({reason})");
    let file = fs::OpenOptions::new().create(true).append(true).open(notes());
    // Without the file only the summary lacks the line.
    let _ = file.and_then(|mut file| writeln!(file, "{reason}\t{what}"));
}

/// What was skipped, by reason, in one line.
pub(crate) fn summary() -> String {
    summary_of(&fs::read_to_string(notes()).unwrap_or_default())
}

fn summary_of(notes: &str) -> String {
    let mut by_reason = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (reason, what) in notes.lines().filter_map(|line| line.split_once('\t')) {
        by_reason.entry(reason).or_default().insert(what);
    }
    let count: usize = by_reason.values().map(BTreeSet::len).sum();
    let parts: Vec<String> = by_reason
        .iter()
        .map(|(reason, names)| format!("{reason}: {}", Vec::from_iter(names.iter().copied()).join(", ")))
        .collect();
    if parts.is_empty() { "skipped: 0".into() } else { format!("skipped: {count} ({})", parts.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_are_counted_once_and_grouped_by_reason() {
        assert_eq!(summary_of(""), "skipped: 0");
        let notes = "no ptxas\tb\nno corpus\tc\nno ptxas\ta\nno ptxas\tb\n";
        assert_eq!(summary_of(notes), "skipped: 3 (no corpus: c; no ptxas: a, b)");
    }
}
