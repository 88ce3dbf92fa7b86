//! No false alarms: files of the corpora that the assembler accepts have no errors.

use std::collections::BTreeMap;
use std::path::Path;

use warplens_ide::{Analysis, AnalysisHost, Diagnostic, FileId, Severity, TextSize};
use warplens_syntax::Language;
use warplens_test_support::corpora;

fn diagnostics(language: Language, text: &str) -> Vec<Diagnostic> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), language, text);
    host.snapshot().diagnostics(FileId(0)).unwrap()
}

/// The rows of a table, as maps from column names.
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
    for root in corpora("ptx") {
        let accepted = assembled(&root);
        assert_none(&errors(&root, accepted, warplens_syntax::ptx::LANGUAGE));
    }
}

/// The PTX files that the assembler makes machine code of.
fn assembled(root: &Path) -> Vec<String> {
    // Modules with 32-bit addresses were only parsed: the assembler generates no code for them.
    let is_assembled = |row: &BTreeMap<String, String>| {
        let is_new = row["ptxas"].starts_with("13.");
        row["verdict"] == "ok" && !(is_new && row["mode"].starts_with("parse-only"))
    };
    let rows = rows(&root.join("PTXAS-VERDICTS.tsv")).into_iter();
    let accepted = rows.filter(|row| is_assembled(row) && row["file"].ends_with(".ptx"));
    accepted.map(|row| row["file"].clone()).collect()
}

#[test]
fn accepted_controls_have_no_error() {
    for root in corpora("ptx-invalid") {
        let accepted = rows(&root.join("EXPECTED.tsv")).into_iter().filter(|row| row["verdict"] == "accept");
        let files = accepted.map(|row| row["file"].clone());
        assert_none(&errors(&root, files, warplens_syntax::ptx::LANGUAGE));
    }
}

/// WAVE that an assembler accepts has no error, and programs that both toolchains reject have one.
#[test]
fn errors_in_wave_are_where_the_toolchains_have_them() {
    corpora("wave").iter().for_each(|root| check_wave(root));
}

fn check_wave(root: &Path) {
    let manifest = std::fs::read_to_string(root.join("manifest.json")).unwrap();
    let entries: Vec<serde_json::Value> = serde_json::from_str(&manifest).unwrap();
    for entry in entries {
        let file = entry["file"].as_str().expect("a program has a file");
        assert!(root.join(file).exists(), "{file} is there");
        let good = ["crates_0_1_2", "head_4a8bbec"].iter().any(|by| entry[by]["assemble"] == "OK");
        let errors = errors(root, [file.to_owned()], warplens_syntax::wave::LANGUAGE);
        assert_eq!(errors.is_empty(), good, "{file}: {errors:?}");
    }
}

/// Every file that the assembler rejects has an error within one line of the edited or reported line.
#[test]
fn refused_ptx_has_an_error() {
    corpora("ptx-invalid").iter().for_each(|root| check_refused(root));
}

fn check_refused(root: &Path) {
    let (mut all, mut found, mut missed) = (0, 0, Vec::new());
    for row in rows(&root.join("EXPECTED.tsv")) {
        if row["verdict"] != "reject" {
            continue;
        }
        all += 1;
        let text = String::from_utf8_lossy(&std::fs::read(root.join(&row["file"])).unwrap()).into_owned();
        let lines = [&row["edited_line"], &row["expected_line"]].map(|line| line.parse().unwrap_or(0usize));
        let is_there = diagnostics(warplens_syntax::ptx::LANGUAGE, &text).iter().any(|diagnostic| {
            let line = 1 + text[..usize::from(diagnostic.range.start())].matches('\n').count();
            diagnostic.severity == Severity::Error
                && lines.iter().any(|expected| line.abs_diff(*expected) <= 1)
        });
        if is_there { found += 1 } else { missed.push(row["file"].clone()) }
    }
    println!("{found} of {all}, without {missed:?}");
    assert!(found * 100 >= all * 95, "{found} of {all}, without {missed:?}");
}

/// Makes every request about an offset. Any result will do, as long as nothing panics.
fn ask_about(analysis: &Analysis, offset: TextSize) {
    let file = FileId(0);
    analysis.hover(file, offset).unwrap();
    analysis.completions(file, offset).unwrap();
    analysis.definition(file, offset).unwrap();
    analysis.occurrences(file, offset).unwrap();
    let _ = analysis.prepare_rename(file, offset).unwrap();
    let _ = analysis.rename(file, offset, "renamed").unwrap();
    analysis.selection(file, offset).unwrap();
}

#[test]
fn no_question_about_a_refused_file_panics() {
    for (part, language) in [
        ("ptx-invalid", warplens_syntax::ptx::LANGUAGE),
        ("wave/from-registry", warplens_syntax::wave::LANGUAGE),
    ] {
        let entries = corpora(part).into_iter().flat_map(|root| std::fs::read_dir(root).unwrap());
        let files = entries.map(|entry| entry.unwrap().path());
        for path in files.filter(|path| path.extension().is_some_and(|kind| kind == "ptx" || kind == "wave"))
        {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let mut host = AnalysisHost::new();
            host.open(FileId(0), language, &text);
            let analysis = host.snapshot();
            analysis.symbols(FileId(0)).unwrap();
            analysis.folds(FileId(0)).unwrap();
            analysis.tokens(FileId(0)).unwrap();
            let places = text.char_indices().map(|(offset, _)| offset).step_by(401);
            places.for_each(|offset| ask_about(&analysis, TextSize::try_from(offset).unwrap()));
        }
    }
}
