//! No false alarms: programs that either WAVE toolchain assembles have no problem that counts as an error,
//! and programs that both reject have one.

use std::path::Path;

use warplens_hir::{Severity, wave};
use warplens_syntax::parse_file;
use warplens_test_support::corpora;

/// Every error of a file, including those of the parser.
fn errors(text: &str) -> Vec<String> {
    let parse = parse_file(warplens_syntax::wave::LANGUAGE, text);
    let mut errors: Vec<_> = parse.errors().iter().map(|error| error.message.to_string()).collect();
    let items: Vec<_> = parse.items().map(wave::lower).collect();
    let problems = items.iter().flat_map(|code| code.problems.clone());
    let of_file = wave::file_problems(&items.iter().collect::<Vec<_>>());
    let all = problems.chain(of_file.into_iter().map(|found| found.problem));
    errors.extend(
        all.filter(|problem| problem.severity() == Severity::Error)
            .map(|problem| format!("{:?}", problem.kind)),
    );
    errors
}

#[test]
fn errors_are_where_the_toolchains_have_them() {
    corpora("wave").iter().for_each(|corpus| check_errors(corpus));
}

fn check_errors(corpus: &Path) {
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).expect("the corpus has a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    for program in manifest.as_array().expect("the manifest is a list") {
        let file = program["file"].as_str().expect("a program has a file");
        let text = std::fs::read_to_string(corpus.join(file)).expect("the file is there");
        let good = ["crates_0_1_2", "head_4a8bbec"].iter().any(|by| program[by]["assemble"] == "OK");
        let errors = errors(&text);
        assert_eq!(errors.is_empty(), good, "{file}: {errors:?}");
    }
}
