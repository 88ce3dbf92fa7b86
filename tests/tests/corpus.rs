//! Real files, from the corpus next to the repository, if present: trees contain the text byte for byte, and a
//! file that its assembler accepts has no errors.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use warplens_ide::{AnalysisHost, FileId, Severity};
use warplens_syntax::{Language, parse_file};
use warplens_test_support::corpora;

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the corpus can be listed").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The text of a file. Files that are not UTF-8 are skipped, because the server rejects them.
fn text_of(path: &Path) -> Option<String> {
    String::from_utf8(fs::read(path).expect("the corpus can be read")).ok()
}

fn check_lossless(folder: &str, language: Language, extension: &str) {
    let files: Vec<_> = corpora(folder).iter().flat_map(|folder| files_below(folder, extension)).collect();
    assert!(!files.is_empty(), "the corpus has no .{extension} files");
    for path in files {
        let Some(text) = text_of(&path) else { continue };
        assert!(
            parse_file(language, &text).syntax().to_string() == text,
            "{}: the tree's text differs from the file's",
            path.display()
        );
    }
}

/// The errors in a file as an editor would show them, one a line.
fn errors(language: Language, text: &str) -> Vec<String> {
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.open(file, language, text);
    let found = host.snapshot().diagnostics(file).expect("nothing cancels it");
    found
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| {
            let line = text[..usize::from(diagnostic.range.start())].lines().count();
            format!("line {line}: {} ({})", diagnostic.message, diagnostic.code)
        })
        .collect()
}

/// Checks that none of `files` (in `folder`) has an error. On failure, lists the first error in each.
fn check_accepted(folder: &Path, language: Language, files: impl Iterator<Item = String>) {
    let (mut clean, mut wrong) = (0, Vec::new());
    for name in files {
        let Some(text) = text_of(&folder.join(&name)) else { continue };
        match errors(language, &text).first() {
            None => clean += 1,
            Some(first) => wrong.push(format!("{name}: {first}")),
        }
    }
    eprintln!("{clean} accepted files without an error, {} with", wrong.len());
    assert!(wrong.is_empty(), "false alarms:\n{}", wrong.join("\n"));
    assert!(clean > 0, "the list of accepted files is empty");
}

/// The rows of a tab-separated file, as maps from column names.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(path).expect("the corpus has its lists");
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines
        .map(|line| {
            columns.iter().map(ToString::to_string).zip(line.split('\t').map(str::to_owned)).collect()
        })
        .collect()
}

#[test]
fn ptx_trees_hold_their_text() {
    check_lossless("ptx", warplens_syntax::ptx::LANGUAGE, "ptx");
}

#[test]
fn invalid_ptx_trees_hold_their_text() {
    check_lossless("ptx-invalid", warplens_syntax::ptx::LANGUAGE, "ptx");
}

#[test]
fn wave_trees_hold_their_text() {
    check_lossless("wave", warplens_syntax::wave::LANGUAGE, "wave");
}

#[test]
fn ptx_that_the_assembler_accepts_has_no_error() {
    corpora("ptx").iter().for_each(|folder| check_assembled_ptx(folder));
}

fn check_assembled_ptx(folder: &Path) {
    let rows = rows(&folder.join("PTXAS-VERDICTS.tsv"));
    // Modules with 32-bit addresses were only parsed: the assembler generates no code for them.
    let is_parsed_only = |row: &BTreeMap<String, String>| {
        row["ptxas"].starts_with("13.") && row["mode"].starts_with("parse-only")
    };
    let accepted = rows.iter().filter(|row| row["verdict"] == "ok" && !is_parsed_only(row));
    let accepted = accepted.filter(|row| row["file"].ends_with(".ptx"));
    check_accepted(folder, warplens_syntax::ptx::LANGUAGE, accepted.map(|row| row["file"].clone()));
}

#[test]
fn mutations_that_the_assembler_accepts_have_no_error() {
    for folder in corpora("ptx-invalid") {
        let rows = rows(&folder.join("EXPECTED.tsv"));
        let accepted = rows.iter().filter(|row| row["verdict"] == "accept");
        check_accepted(&folder, warplens_syntax::ptx::LANGUAGE, accepted.map(|row| row["file"].clone()));
    }
}

#[test]
fn wave_that_a_toolchain_assembles_has_no_error() {
    corpora("wave").iter().for_each(|folder| check_assembled_wave(folder));
}

fn check_assembled_wave(folder: &Path) {
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("the corpus has its manifest");
    let entries: Vec<Value> = serde_json::from_str(&manifest).expect("the manifest is JSON");
    let assembles = |entry: &Value, toolchain: &str| entry[toolchain]["assemble"] == "OK";
    let accepted = entries
        .iter()
        .filter(|entry| assembles(entry, "crates_0_1_2") || assembles(entry, "head_4a8bbec"))
        .filter_map(|entry| entry["file"].as_str().map(str::to_owned));
    check_accepted(folder, warplens_syntax::wave::LANGUAGE, accepted);
}
