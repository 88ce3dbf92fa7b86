//! The pages of findings: each starts with its summary, the index lists all of them, and the simulator reports the
//! finding in the page's examples. The assembler, if installed, accepts all examples.

use crate::page::{Example, accepts, check_names, examples, pages};
use expect_test::expect_file;
use warplens_ide::lanes::fixes::Budget;
use warplens_ide::lanes::{Exploration, RunRequest, Unexpected};
use warplens_ide::{AnalysisHost, FileId, Severity};
use warplens_sim_warp::{Checks, Control, FindingKind, RunOptions};

/// The page without examples: one would need a run with hundreds of megabytes.
const WITHOUT_EXAMPLE: FindingKind = FindingKind::ShadowLimit;

/// A kind of finding and its message.
type Found = (FindingKind, String);

/// The kinds of the findings of the launch in an example, or else of the inferred one; or why that cannot be run.
fn found(example: &Example) -> Result<Vec<FindingKind>, String> {
    let mut kinds: Vec<_> = run(example)?.into_iter().map(|(kind, _)| kind).collect();
    kinds.dedup();
    Ok(kinds)
}

fn run(example: &Example) -> Result<Vec<Found>, String> {
    let mut host = AnalysisHost::new();
    host.set_accepts(example.accepts);
    host.open(FileId(0), example.language.unwrap(), &example.text);
    let request =
        RunRequest::first(RunOptions { checks: Checks::ALL, coverage: true, ..RunOptions::default() });
    let prepared =
        host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into())).unwrap();
    let prepared = prepared.map_err(|problem| problem.to_string())?;
    let (prepared, mut result) = prepared.run_adjusted(Control::none()).expect("not cancelled");
    let failures = Unexpected::of(&prepared.resolved, &result);
    let exploration = Exploration::new(1, 8);
    prepared.explore(&mut result, &failures, &exploration, Control::none()).expect("not cancelled");
    let failed = prepared.resolved.failures(&result).into_iter().map(|failure| {
        let kind = FindingKind::ExpectFailed;
        (kind, kind.with_term(&failure.message))
    });
    let found = result.findings.iter().map(|finding| (finding.kind, finding.message.clone()));
    let found: Vec<Found> = found.chain(failed).collect();
    for (_, message) in &found {
        let title = message.lines().next().unwrap_or_default();
        // Most are shorter: a phrase stays whole.
        assert!(title.chars().count() <= 110, "the first line is too long: {title}");
        let term = title.split_once(": ").map_or("", |(term, _)| term);
        assert!(term.starts_with(char::is_uppercase), "the first line has no term: {title}");
        assert!(term.len() <= 40 && !term.contains([',', ';']), "the term is not one: {title}");
    }
    Ok(found)
}

/// The text after the fix of the first such finding that has one, and the title of that fix.
fn corrected(example: &Example, kind: FindingKind) -> Option<(Example, String)> {
    let mut host = AnalysisHost::new();
    host.set_accepts(example.accepts);
    host.open(FileId(0), example.language.unwrap(), &example.text);
    let request = RunRequest::first(RunOptions { checks: Checks::ALL, ..RunOptions::default() });
    let analysis = host.snapshot();
    let prepared = analysis.prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let (prepared, result) = prepared.unwrap().ok()?.run_adjusted(Control::none()).expect("not cancelled");
    let shown = prepared.show(std::sync::Arc::new(result), None);
    let found = analysis.findings(FileId(0), &shown).unwrap();
    let checked =
        |found| analysis.checked_fix(FileId(0), (&shown, &prepared), found, &mut Budget::default()).unwrap();
    let fix = found.iter().filter(|found| found.code == kind.name()).find_map(checked)?;
    Some((Example { text: fix.applied(&example.text), ..*example }, fix.title))
}

#[test]
fn fixes_correct_the_examples() {
    let mut out = String::new();
    for kind in FindingKind::all().filter(|kind| *kind != WITHOUT_EXAMPLE) {
        for wrong in examples(kind.page()).iter().step_by(2) {
            let Some((right, title)) = corrected(wrong, kind) else { continue };
            out += &format!("{kind}: {title}: {:?}\n", found(&right));
        }
    }
    expect_test::expect![[r#"
        divergent-barrier: Move `bar.sync 0;` to where the lanes reconverge: Ok([])
        wrong-membermask: Use the member mask `0xffffffff`: Ok([])
        absent-members: Use the member mask `0xff`: Ok([])
        data-race: Insert `bar.sync 0;`: Ok([CheckCoverage])
        warp-synchronous: Insert `bar.warp.sync 0xffffffff;`: Ok([CheckCoverage])
        proxy-fence: Insert `fence.proxy.async;`: Ok([])
        async-source: Insert `@%p1 cp.async.bulk.wait_group.read 0;`: Ok([])
        mbarrier-init: Insert `bar.sync 0;`: Ok([])
        wgmma-fence: Insert `wgmma.fence.sync.aligned;`: Ok([])
        tcgen05-order: Insert `tcgen05.fence::after_thread_sync;`: Ok([])
        prerequisite-grid: Insert `griddepcontrol.wait;`: Ok([])
        prerequisite-grid: Insert `griddepcontrol.wait;`: Ok([])
    "#]]
    .assert_eq(&out);
}

/// The errors of the text.
fn errors(example: &Example) -> Vec<String> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), example.language.unwrap(), &example.text);
    let found = host.snapshot().diagnostics(FileId(0)).unwrap();
    let errors = found.into_iter().filter(|found| found.severity == Severity::Error);
    errors.map(|error| error.message).collect()
}

#[test]
fn every_page_starts_with_the_summary_of_the_table() {
    for kind in FindingKind::all() {
        let head = format!("# {kind}\n\n**Finding.** {}\n\n", kind.summary());
        assert!(kind.page().starts_with(&head), "docs/findings/{kind}.md must start with\n{head}");
    }
}

#[test]
fn every_name_has_its_page() {
    check_names("findings", &FindingKind::all().map(FindingKind::name).collect::<Vec<_>>());
}

#[test]
fn wrong_examples_have_the_finding_and_right_ones_none() {
    let mut wrong = Vec::new();
    for kind in FindingKind::all() {
        let examples = examples(kind.page());
        assert_eq!(examples.is_empty(), kind == WITHOUT_EXAMPLE, "{kind}: examples");
        for pair in examples.chunks(2) {
            // The other examples need not write their whole output.
            let of_page = |found: &FindingKind| *found != FindingKind::CheckCoverage || *found == kind;
            let found =
                |example| found(example).map(|kinds| kinds.into_iter().filter(of_page).collect::<Vec<_>>());
            let bad = found(&pair[0]);
            if bad.as_deref() != Ok(&[kind]) {
                wrong.push(format!("{kind}: the wrong example gives {bad:?}"));
            }
            let (good, errors) = (found(&pair[1]), errors(&pair[1]));
            if good != Ok(vec![]) || !errors.is_empty() {
                wrong.push(format!("{kind}: the right example gives {good:?}, {errors:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_shows_the_message() {
    for kind in FindingKind::all().filter(|kind| *kind != WITHOUT_EXAMPLE) {
        let found = run(&examples(kind.page())[0]).unwrap_or_else(|problem| panic!("{kind}: {problem}"));
        let message = found.iter().find(|(found, _)| *found == kind).map(|(_, message)| message);
        let message = message.unwrap_or_else(|| panic!("{kind}: the example has another finding"));
        let page = with_quote(kind.page(), message);
        expect_file![pages("findings").join(format!("{kind}.md"))].assert_eq(&page);
    }
}

/// The page with a message as its only quotation. A page without a quotation gets it before the first block
/// of code.
fn with_quote(page: &str, message: &str) -> String {
    let lines: Vec<_> = page.lines().collect();
    let is_quote = |line: &&str| line.starts_with('>');
    let at = lines.iter().position(is_quote);
    let start =
        at.or_else(|| lines.iter().position(|line| line.starts_with("```"))).expect("a block of code");
    let end = start + lines[start..].iter().take_while(|line| is_quote(line)).count();
    let mut quote: Vec<String> = message.lines().flat_map(wrapped).collect();
    if at.is_none() {
        quote.push(String::new());
    }
    let lines = lines[..start].iter().map(|line| (*line).to_owned()).chain(quote);
    let lines: Vec<_> = lines.chain(page.lines().skip(end).map(str::to_owned)).collect();
    lines.join("\n") + "\n"
}

/// Wraps a line of a message into the lines of a quotation.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::from(">")];
    for word in text.split_whitespace() {
        if lines.last().is_some_and(|line| line.len() + word.len() >= 120) {
            lines.push(String::from(">"));
        }
        if let Some(line) = lines.last_mut() {
            line.extend([" ", word]);
        }
    }
    lines
}

#[test]
fn the_index_lists_all() {
    let mut index = String::from(
        "# Findings\n\nThe problems that a simulation reports: in an editor as diagnostics with the source `warplens-sim`, while the \
        lanes of a\nlaunch are shown, and at the end of `warplens sim`. Settings and a comment switch one off, as for \
        [diagnostics](../diagnostics/README.md).\n\n| Name | Summary |\n| --- | --- |\n",
    );
    for kind in FindingKind::all() {
        index += &format!("| [{kind}]({kind}.md) | {} |\n", kind.summary().replace('|', "\\|"));
    }
    expect_file![pages("findings").join("README.md")].assert_eq(&index);
}

/// The assembler accepts programs with errors that only a run shows.
#[test]
fn the_assembler_accepts_the_examples() {
    let Some(ptxas) = warplens_test_support::ptxas() else { return };
    let mut wrong = Vec::new();
    for kind in FindingKind::all() {
        let examples = examples(kind.page());
        for (at, example) in examples
            .iter()
            .enumerate()
            .filter(|(_, one)| one.language == Some(warplens_syntax::ptx::LANGUAGE))
        {
            if !accepts(&ptxas, kind.name(), &example.text) {
                wrong.push(format!("{kind}: example {}", at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "the assembler rejects\n{}", wrong.join("\n"));
}
