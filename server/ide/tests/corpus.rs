//! No false alarm: every file of the corpora that the assembler accepts gives no error.

#![allow(clippy::print_stdout)] // A test that is skipped says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use warplens_ide::{AnalysisHost, Diagnostic, FileId, Severity};
use warplens_syntax::Language;

/// The corpora beside the repository, where they are there.
fn corpus(part: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(part);
    if !root.is_dir() {
        println!("skipped: corpus not found ({part})");
        return None;
    }
    Some(root)
}

fn diagnostics(language: Language, text: &str) -> Vec<Diagnostic> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), language, text);
    host.snapshot().diagnostics(FileId(0)).unwrap()
}

/// The rows of a table, each by the names of its columns.
fn rows(table: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(table).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        columns.iter().zip(line.split('\t')).map(|(key, value)| ((*key).into(), value.into())).collect()
    };
    lines.map(row).collect()
}

/// Every error in the files, as `file:line: code: message`.
fn errors(root: &Path, files: impl IntoIterator<Item = String>, language: Language) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let Ok(bytes) = std::fs::read(root.join(&file)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for diagnostic in diagnostics(language, &text) {
            if diagnostic.severity == Severity::Error {
                let start = usize::from(diagnostic.range.start());
                let line = 1 + text[..start].matches('\n').count();
                found.push(format!("{file}:{line}: {}: {}", diagnostic.code, diagnostic.message));
            }
        }
    }
    found
}

fn assert_none(errors: &[String]) {
    let shown = errors.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(errors.is_empty(), "{} false alarms:\n{shown}", errors.len());
}

#[test]
fn accepted_ptx_has_no_error() {
    let Some(root) = corpus("ptx") else { return };
    let rows = rows(&root.join("PTXAS-VERDICTS.tsv")).into_iter();
    let accepted = rows.filter(|row| row["verdict"] == "ok" && row["file"].ends_with(".ptx"));
    assert_none(&errors(&root, accepted.map(|row| row["file"].clone()), Language::Ptx));
}

#[test]
fn accepted_controls_have_no_error() {
    let Some(root) = corpus("ptx-invalid") else { return };
    let accepted = rows(&root.join("EXPECTED.tsv")).into_iter().filter(|row| row["verdict"] == "accept");
    assert_none(&errors(&root, accepted.map(|row| row["file"].clone()), Language::Ptx));
}
