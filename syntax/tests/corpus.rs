//! Real files: every tree reproduces its text, and files that the assembler accepts have no syntax errors.

use std::fs;
use std::path::Path;

use warplens_syntax::{Parse, parse_file};
use warplens_test_support::corpora;

/// Parses a file and checks that the tree reproduces its text.
fn parse(path: &Path) -> (String, Parse) {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let parse = parse_file(warplens_syntax::ptx::LANGUAGE, &text);
    assert!(parse.green().to_string() == text, "{}: the tree is not the text", path.display());
    (text, parse)
}

/// The names of the files with this verdict in a column of a table.
fn files_with_verdict(table: &Path, column: usize, verdict: &str) -> Vec<String> {
    let table = fs::read_to_string(table).unwrap();
    let rows = table.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row[column] == verdict).map(|row| row[0].to_owned()).collect()
}

fn assert_no_errors(folder: &Path, files: &[String]) {
    assert!(!files.is_empty());
    let mut failures = Vec::new();
    for file in files {
        let path = folder.join(file);
        if path.extension().is_some_and(|extension| extension == "gz") {
            continue;
        }
        let (text, parse) = parse(&path);
        if let Some(error) = parse.errors().first() {
            let line = text[..usize::from(error.range.start())].matches('\n').count() + 1;
            failures.push(format!("{file}:{line}: {}", error.message));
        }
    }
    assert!(failures.is_empty(), "{} files with errors:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn accepted_ptx_has_no_syntax_error() {
    for corpus in corpora("") {
        let folder = corpus.join("ptx");
        assert_no_errors(&folder, &files_with_verdict(&folder.join("PTXAS-VERDICTS.tsv"), 7, "ok"));
        let folder = corpus.join("ptx-invalid");
        assert_no_errors(&folder, &files_with_verdict(&folder.join("EXPECTED.tsv"), 6, "accept"));
    }
}

#[test]
fn no_file_loses_text() {
    let mut folders: Vec<_> = ["ptx", "ptx-invalid", "ptx-exec"].into_iter().flat_map(corpora).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                parse(&path);
            }
        }
    }
}
