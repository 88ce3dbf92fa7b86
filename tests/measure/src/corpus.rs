//! Files with known verdicts of the assembler: false positives in the files that it accepts, and the errors found in
//! those that it rejects.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::judge::{self, Error};

/// The rows of a table, as maps from column names.
type Rows = Vec<BTreeMap<String, String>>;

/// The table with the assembler's verdicts.
pub(crate) const VERDICTS: &str = "ptx/PTXAS-VERDICTS.tsv";

pub(crate) fn run(folder: &Path, list: bool) -> Result<()> {
    let mut alarm = |line: String| {
        if list {
            println!("    {line}");
        }
    };
    let accepted = accepted(folder, &mut alarm)?;
    let rejected = rejected(&folder.join("ptx-invalid"), &mut alarm)?;
    println!("{accepted}\n{rejected}");
    Ok(())
}

/// Files that the assembler accepts.
struct Accepted {
    files: usize,
    /// Files with an error from Warplens.
    alarms: usize,
}

/// Files that the assembler rejects.
struct Rejected {
    files: usize,
    /// Files with an error from Warplens.
    found: usize,
    /// Files with an error on the expected line.
    placed: usize,
    /// Of these, files with at most three errors in total.
    few: usize,
}

fn accepted(folder: &Path, note: &mut dyn FnMut(String)) -> Result<Accepted> {
    let mut paths = ptx_files(&folder.join("ptx-exec"))?;
    for row in rows(&folder.join(VERDICTS))? {
        let path = folder.join("ptx").join(&row["file"]);
        // Modules with 32-bit addresses were only parsed: the assembler generates no code for them.
        let is_parsed_only = row["ptxas"].starts_with("13.") && row["mode"].starts_with("parse-only");
        if row["verdict"] == "ok" && !is_parsed_only && path.extension().is_some_and(|it| it == "ptx") {
            paths.push(path);
        }
    }
    let controls = rows(&folder.join("ptx-invalid/EXPECTED.tsv"))?;
    let controls = controls.iter().filter(|row| row["verdict"] == "accept");
    paths.extend(controls.map(|row| folder.join("ptx-invalid").join(&row["file"])));
    let mut accepted = Accepted { files: paths.len(), alarms: 0 };
    for path in paths {
        let errors = judge::errors(&read(&path)?)?;
        accepted.alarms += usize::from(!errors.is_empty());
        for error in errors.iter().take(3) {
            note(format!("false positive: {}:{}: {}", path.display(), error.line, error.message));
        }
    }
    Ok(accepted)
}

fn rejected(folder: &Path, note: &mut dyn FnMut(String)) -> Result<Rejected> {
    let mut rejected = Rejected { files: 0, found: 0, placed: 0, few: 0 };
    for row in rows(&folder.join("EXPECTED.tsv"))?.iter().filter(|row| row["verdict"] == "reject") {
        let errors = judge::errors(&read(&folder.join(&row["file"]))?)?;
        let near = errors.iter().any(|error| is_near(error, row));
        let few = near && errors.len() <= 3;
        rejected.files += 1;
        rejected.found += usize::from(!errors.is_empty());
        rejected.placed += usize::from(near);
        rejected.few += usize::from(few);
        if !few {
            note(format!("{} line {}: {}", row["file"], row["edited_line"], row["all_diagnostics"]));
            errors.iter().take(4).for_each(|error| note(format!("    {}: {}", error.line, error.message)));
        }
    }
    Ok(rejected)
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "files that ptxas accepts: {}, with an error from Warplens: {}", self.files, self.alarms)
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        write!(
            f,
            "files that ptxas rejects: {}, with an error from Warplens: {} ({:.1} %); of these on the line: {} \
             ({:.1} %), with at most three errors too: {} ({:.1} %)",
            self.files,
            self.found,
            percent(self.found, self.files),
            self.placed,
            percent(self.placed, self.found),
            self.few,
            percent(self.few, self.found)
        )
    }
}

/// Whether an error is within one line of the edited or a reported line.
fn is_near(error: &Error, row: &BTreeMap<String, String>) -> bool {
    let lines = ["edited_line", "expected_line", "min_line"].into_iter();
    lines
        .filter_map(|key| row[key].parse::<usize>().ok())
        .any(|line| line > 0 && error.line.abs_diff(line) <= 1)
}

pub(crate) fn read(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn rows(table: &Path) -> Result<Rows> {
    let text = read(table)?;
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        columns.iter().zip(line.split('\t')).map(|(key, value)| ((*key).into(), value.into())).collect()
    };
    Ok(lines.map(row).collect())
}

/// The PTX files under a folder, sorted.
pub(crate) fn ptx_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(ptx_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_false_positive() {
        for folder in warplens_test_support::corpora("") {
            let mut notes = Vec::new();
            accepted(&folder, &mut |note| notes.push(note)).unwrap();
            assert!(notes.is_empty(), "{}", notes.join("\n"));
        }
    }

    #[test]
    fn errors_are_on_the_expected_lines() {
        for folder in warplens_test_support::corpora("ptx-invalid") {
            let mut notes = Vec::new();
            let rejected = rejected(&folder, &mut |note| notes.push(note)).unwrap();
            let enough =
                rejected.found * 100 >= rejected.files * 97 && rejected.few * 100 >= rejected.found * 95;
            assert!(enough, "{rejected}\n{}", notes.join("\n"));
        }
    }
}
