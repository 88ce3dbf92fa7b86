//! Files with the assembler's verdicts beside them: false alarms on those it takes, mistakes found in those it refuses.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::judge::{self, Error};

/// The rows of a table, each by the names of its columns.
type Rows = Vec<BTreeMap<String, String>>;

pub(crate) fn run(folder: &Path, list: bool) -> Result<()> {
    accepted(folder, list)?;
    rejected(&folder.join("ptx-invalid"), list)
}

fn accepted(folder: &Path, list: bool) -> Result<()> {
    let (mut files, mut alarms) = (0, 0);
    let mut judge = |path: &Path| -> Result<()> {
        let errors = judge::errors(&read(path)?)?;
        files += 1;
        alarms += usize::from(!errors.is_empty());
        for error in errors.iter().filter(|_| list).take(3) {
            println!("    false alarm: {}:{}: {}", path.display(), error.line, error.message);
        }
        Ok(())
    };
    for row in rows(&folder.join("ptx/PTXAS-VERDICTS.tsv"))? {
        let path = folder.join("ptx").join(&row["file"]);
        if row["verdict"] == "ok" && path.extension().is_some_and(|it| it == "ptx") {
            judge(&path)?;
        }
    }
    for row in rows(&folder.join("ptx-invalid/EXPECTED.tsv"))? {
        if row["verdict"] == "accept" {
            judge(&folder.join("ptx-invalid").join(&row["file"]))?;
        }
    }
    for path in ptx_files(&folder.join("ptx-exec"))? {
        judge(&path)?;
    }
    println!("files that ptxas takes: {files}, with an error from Warplens: {alarms}");
    Ok(())
}

fn rejected(folder: &Path, list: bool) -> Result<()> {
    let (mut files, mut found, mut placed, mut few) = (0, 0, 0, 0);
    for row in rows(&folder.join("EXPECTED.tsv"))? {
        if row["verdict"] != "reject" {
            continue;
        }
        files += 1;
        let errors = judge::errors(&read(&folder.join(&row["file"]))?)?;
        let near = errors.iter().any(|error| is_near(error, &row));
        found += usize::from(!errors.is_empty());
        placed += usize::from(near);
        few += usize::from(near && errors.len() <= 3);
        if list && !(near && errors.len() <= 3) {
            println!("    {} line {}: {}", row["file"], row["edited_line"], row["all_diagnostics"]);
            for error in errors.iter().take(4) {
                println!("        {}: {}", error.line, error.message);
            }
        }
    }
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    println!(
        "files that ptxas refuses: {files}, with an error from Warplens: {found} ({:.1} %); of these on the line: {placed} \
         ({:.1} %), with at most three errors too: {few} ({:.1} %)",
        percent(found, files),
        percent(placed, found),
        percent(few, found)
    );
    Ok(())
}

/// Whether an error stands within a line of the edited or a reported one.
fn is_near(error: &Error, row: &BTreeMap<String, String>) -> bool {
    let lines = ["edited_line", "expected_line", "min_line"].into_iter();
    lines
        .filter_map(|key| row[key].parse::<usize>().ok())
        .any(|line| line > 0 && error.line.abs_diff(line) <= 1)
}

fn read(path: &Path) -> Result<String> {
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

/// The PTX files under a folder.
fn ptx_files(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
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
