//! The pages of diagnostics: each starts with its summary, only the wrong examples have the diagnostic, and the fix of a lint
//! produces the right example. The assembler, if installed, agrees.

use crate::page::{Example, accepts, check_names, examples, pages};
use expect_test::expect_file;
use warplens_ide::{AnalysisHost, Code, Diagnostic, FileId, LINTS, Profile, Rules, Severity, codes, inline};

/// The page without examples: one would need 500 mistakes.
const WITHOUT_EXAMPLE: &str = "too-many-problems";

fn diagnostics(example: &Example) -> Vec<Diagnostic> {
    let Some(language) = example.language else {
        let host = example.host.expect("a language or a host");
        return inline::diagnostics(host, &example.text, &Profile::default(), &Rules::default());
    };
    let mut host = AnalysisHost::new();
    host.set_accepts(example.accepts);
    host.open(FileId(0), language, &example.text);
    host.snapshot().diagnostics(FileId(0)).unwrap()
}

/// The diagnostics of an example. Hints are ignored unless the example is about them.
fn found(example: &Example, about: &str) -> Vec<(String, Severity)> {
    let found = diagnostics(example);
    let counts = |found: &Diagnostic| found.code == about || found.severity != Severity::Hint;
    let found = found.into_iter().filter(counts);
    found.map(|found| (found.code.to_owned(), found.severity)).collect()
}

#[test]
fn every_page_starts_with_the_severity_of_the_table_and_a_summary() {
    for code in codes() {
        assert!(code.summary().ends_with('.'), "docs/diagnostics/{}.md needs a summary", code.name);
        let head = format!("# {}\n\n**{:?}.** {}\n\n", code.name, code.severity, code.summary());
        assert!(code.page.starts_with(&head), "docs/diagnostics/{}.md must start with\n{head}", code.name);
    }
}

#[test]
fn every_name_has_its_page() {
    check_names("diagnostics", &codes().iter().map(|code| code.name).collect::<Vec<_>>());
}

#[test]
fn wrong_examples_have_the_diagnostic_and_right_ones_none() {
    let mut wrong = Vec::new();
    for code in codes() {
        let examples = examples(code.page);
        assert_eq!(examples.is_empty(), code.name == WITHOUT_EXAMPLE, "{}: examples", code.name);
        for pair in examples.chunks(2) {
            let bad = found(&pair[0], code.name);
            let is_it =
                |(name, severity): &(String, Severity)| name == code.name && *severity == code.severity;
            if bad.is_empty() || !bad.iter().all(is_it) {
                wrong.push(format!("{}: the wrong example gives {bad:?}", code.name));
            }
            let good = found(&pair[1], code.name);
            if !good.is_empty() {
                wrong.push(format!("{}: the right example gives {good:?}", code.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_index_lists_all() {
    let mut index = String::from(
        "# Diagnostics\n\nEvery diagnostic has a stable name. Settings and a comment switch one off: see [the settings]\
        (../editors.md).\n\n| Name | Severity | Summary |\n| --- | --- | --- |\n",
    );
    for code in codes() {
        let (Code { name, severity, .. }, summary) = (code, code.summary());
        let severity = format!("{severity:?}").to_lowercase();
        index += &format!("| [{name}]({name}.md) | {severity} | {} |\n", summary.replace('|', "\\|"));
    }
    expect_file![pages("diagnostics").join("README.md")].assert_eq(&index);
}

/// The text after the fix of the page's diagnostic.
fn fixed(example: &Example, about: &str) -> String {
    let found = diagnostics(example);
    let found = found.into_iter().find(|found| found.code == about).expect("the example is wrong");
    found.fixes.first().expect("a lint offers a rewrite").applied(&example.text)
}

#[test]
fn the_fix_of_a_lint_is_the_right_example() {
    let mut wrong = String::new();
    for code in codes().iter().filter(|code| LINTS.contains(&code.name)) {
        for pair in examples(code.page).chunks(2) {
            let text = fixed(&pair[0], code.name);
            if text != pair[1].text {
                wrong += &format!("{}: the rewrite is\n{text}", code.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// An example has an error if and only if the assembler rejects it.
#[test]
fn the_assembler_agrees_with_the_examples() {
    let Some(ptxas) = warplens_test_support::ptxas() else { return };
    let mut wrong = Vec::new();
    for code in codes() {
        let examples = examples(code.page);
        for (at, example) in examples
            .iter()
            .enumerate()
            .filter(|(_, one)| one.language == Some(warplens_syntax::ptx::LANGUAGE))
        {
            let is_bad = at % 2 == 0 && code.severity == Severity::Error;
            if accepts(&ptxas, code.name, &example.text) == is_bad {
                wrong.push(format!("{}: example {}", code.name, at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "the assembler disagrees:\n{}", wrong.join("\n"));
}
