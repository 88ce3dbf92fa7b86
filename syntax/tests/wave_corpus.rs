//! The WAVE programs of the shared corpus: every tree reproduces its text, and programs that either toolchain
//! assembles have no syntax errors.

use std::path::Path;

use warplens_syntax::parse_file;
use warplens_test_support::corpora;

#[test]
fn trees_are_their_texts_and_good_programs_have_no_errors() {
    corpora("wave").iter().for_each(|corpus| check_programs(corpus));
}

fn check_programs(corpus: &Path) {
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).expect("the corpus has a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    let programs = manifest.as_array().expect("the manifest is a list");
    let files = ["from-registry", "from-repository"]
        .map(|folder| std::fs::read_dir(corpus.join(folder)).unwrap().count());
    assert_eq!(programs.len(), files.iter().sum::<usize>(), "the manifest lists all programs");
    for program in programs {
        let file = program["file"].as_str().expect("a program has a file");
        let text = std::fs::read_to_string(corpus.join(file)).expect("the file is there");
        let parse = parse_file(warplens_syntax::wave::LANGUAGE, &text);
        assert_eq!(parse.syntax().text().to_string(), text, "{file}");
        let good = ["crates_0_1_2", "head_4a8bbec"].iter().any(|by| program[by]["assemble"] == "OK");
        assert!(!good || parse.errors().is_empty(), "{file}: {:?}", parse.errors());
    }
}
