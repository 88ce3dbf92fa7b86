//! The pages of findings: each starts with the summary of the table, the index lists them all, and the simulator reports
//! the finding in their examples. The assembler, if installed, accepts every one of them.

#![allow(clippy::print_stdout)] // A skipped test prints a note.

mod page;

use expect_test::expect_file;
use page::{Example, accepts, assembler, check_names, examples, pages};
use warplens_ide::lanes::{Choice, FindingCode, RunRequest, finding_codes};
use warplens_ide::{AnalysisHost, FileId, Severity};
use warplens_sim::{Checks, Control, RunOptions};

/// The page without examples: one would need a run of hundreds of megabytes.
const WITHOUT_EXAMPLE: &str = "shadow-limit";

/// The findings of the launch in an example, or else of the inferred one; or why that cannot be run.
fn found(example: &Example) -> Result<Vec<&'static str>, String> {
    let mut host = AnalysisHost::new();
    host.set_accepts(example.accepts);
    host.open(FileId(0), example.language, &example.text);
    let request = RunRequest {
        entry: None,
        launch: Choice::First,
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunOptions { checks: Checks::ALL, ..RunOptions::default() },
    };
    let prepared =
        host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into())).unwrap();
    let prepared = prepared.map_err(|problem| problem.to_string())?;
    let result = prepared.run(Control::none()).expect("not cancelled");
    let mut codes: Vec<_> = result.findings.iter().map(|finding| finding.code).collect();
    codes.dedup();
    Ok(codes)
}

/// The errors of the text.
fn errors(example: &Example) -> Vec<String> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), example.language, &example.text);
    let found = host.snapshot().diagnostics(FileId(0)).unwrap();
    let errors = found.into_iter().filter(|found| found.severity == Severity::Error);
    errors.map(|error| error.message).collect()
}

#[test]
fn every_page_starts_with_the_summary_of_the_table() {
    for FindingCode { name, summary, page } in finding_codes() {
        let head = format!("# {name}\n\n**Finding.** {summary}\n\n");
        assert!(page.starts_with(&head), "docs/findings/{name}.md must start with\n{head}");
    }
}

#[test]
fn every_name_has_its_page() {
    check_names("findings", &finding_codes().iter().map(|code| code.name).collect::<Vec<_>>());
}

#[test]
fn wrong_examples_have_the_finding_and_right_ones_none() {
    let mut wrong = Vec::new();
    for FindingCode { name, page, .. } in finding_codes() {
        let examples = examples(page);
        assert_eq!(examples.is_empty(), *name == WITHOUT_EXAMPLE, "{name}: examples");
        for pair in examples.chunks(2) {
            let bad = found(&pair[0]);
            if bad.as_deref() != Ok(&[*name]) {
                wrong.push(format!("{name}: the wrong example gives {bad:?}"));
            }
            let (good, errors) = (found(&pair[1]), errors(&pair[1]));
            if good != Ok(vec![]) || !errors.is_empty() {
                wrong.push(format!("{name}: the right example gives {good:?}, {errors:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_index_lists_all() {
    let mut index = String::from(
        "# Findings\n\nThe problems that a simulation reports: in an editor as diagnostics with the source `warplens-sim`, while the \
        lanes of a\nlaunch are shown, and at the end of `warplens sim`. Settings and a comment switch one off, as for \
        [diagnostics](../diagnostics/README.md).\n\n| Name | Summary |\n| --- | --- |\n",
    );
    for FindingCode { name, summary, .. } in finding_codes() {
        index += &format!("| [{name}]({name}.md) | {} |\n", summary.replace('|', "\\|"));
    }
    expect_file![pages("findings").join("README.md")].assert_eq(&index);
}

/// The assembler accepts programs with errors that only a run shows.
#[test]
fn the_assembler_accepts_the_examples() {
    let Some(ptxas) = assembler() else { return };
    let mut wrong = Vec::new();
    for FindingCode { name, page, .. } in finding_codes() {
        let examples = examples(page);
        for (at, example) in
            examples.iter().enumerate().filter(|(_, one)| one.language == warplens_syntax::ptx::LANGUAGE)
        {
            if !accepts(&ptxas, name, &example.text) {
                wrong.push(format!("{name}: example {}", at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "the assembler rejects\n{}", wrong.join("\n"));
}
