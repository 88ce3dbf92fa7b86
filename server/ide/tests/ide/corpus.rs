//! Files of the corpora: errors of WAVE are where its toolchains have them, and no request panics. (`tests/measure` compares PTX with the
//! verdicts of its assembler.)

use std::path::Path;

use warplens_ide::{Analysis, AnalysisHost, Diagnostic, FileId, Severity, TextSize};
use warplens_syntax::Language;
use warplens_test_support::corpora;

fn diagnostics(language: Language, text: &str) -> Vec<Diagnostic> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), language, text);
    host.snapshot().diagnostics(FileId(0)).unwrap()
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
