//! Quick fixes of kernels with a known mistake, from the corpora next to the repository, if present: after the fixes that are offered, the
//! launch that shows the mistake has no error and no warning.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use warplens_ide::{AnalysisHost, Diagnostic, Severity};
use warplens_ide_db::FileId;
use warplens_ide_lanes::fixes::Budget;
use warplens_ide_lanes::{Choice, RunRequest};
use warplens_sim_warp::{Checks, Control, RunOptions};

/// More fixes than any of the kernels needs.
const MOST: usize = 6;

/// The titles of the fixes that are applied one after the other, and the findings after the last one.
fn corrected(mut text: String, launch: &Choice) -> (Vec<String>, Vec<Diagnostic>) {
    let mut titles = Vec::new();
    loop {
        let mut host = AnalysisHost::new();
        host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, &text);
        let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
        let request = RunRequest { launch: launch.clone(), ..RunRequest::first(options) };
        let analysis = host.snapshot();
        let prepared = analysis.prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
        let prepared = prepared.expect("it is not cancelled").expect("it can be run");
        let (prepared, result) = prepared.run_adjusted(Control::none()).expect("it is not cancelled");
        let shown = prepared.show(Arc::new(result), None);
        let found = analysis.findings(FileId(0), &shown).expect("it is not cancelled");
        let mut budget = Budget::default();
        let mut checked = |found| analysis.checked_fix(FileId(0), (&shown, &prepared), found, &mut budget);
        let fix = found.iter().find_map(|found| checked(found).expect("it is not cancelled"));
        let Some(fix) = fix.filter(|_| titles.len() < MOST) else { return (titles, found) };
        text = fix.applied(&text);
        titles.push(fix.title);
    }
}

/// The kernels with a mistake: name, file, and the launch that shows it.
fn kernels(folder: &Path) -> Vec<(String, String, Choice)> {
    let list = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(folder.join(name));
        text.map_or_else(|_| Vec::new(), |text| serde_json::from_str(&text).expect("JSON"))
    };
    let text =
        |file: &Value| fs::read_to_string(folder.join(file.as_str().expect("a file"))).expect("readable");
    let given = |launch: &Value| Choice::from_json(&launch.to_string()).expect("a launch");
    let opened = list("first-run/cases.json").into_iter().map(|case| {
        let file = Value::from(format!("first-run/{}", case["file"].as_str().expect("a file")));
        (case["id"].to_string(), text(&file), Choice::Inferred)
    });
    let launched = list("prove/verdicts.json").into_iter().filter_map(|kernel| {
        let answers = kernel["verdicts"].as_object()?.values();
        let mut refuted = answers.filter(|answer| answer["verdict"] == "refuted");
        let launch = refuted.find(|answer| answer["launch"].is_object())?["launch"].clone();
        let file = Value::from(format!("prove/{}", kernel["file"].as_str().expect("a file")));
        Some((kernel["name"].to_string(), text(&file), given(&launch)))
    });
    opened.chain(launched).collect()
}

#[test]
fn offered_fixes_leave_clean_kernels() {
    let Some(folder) = warplens_test_support::shared("corpus") else { return };
    let (mut fixed, mut wrong) = (0, Vec::new());
    let kernels = kernels(&folder);
    for (name, text, launch) in &kernels {
        let (titles, left) = corrected(text.clone(), launch);
        let accused = left.iter().filter(|found| found.severity <= Severity::Warning);
        let accused: Vec<&str> = accused.map(|found| found.code).collect();
        eprintln!("{name}: {titles:?} {accused:?}");
        fixed += usize::from(!titles.is_empty());
        if !titles.is_empty() && !accused.is_empty() {
            wrong.push((name, titles, accused));
        }
    }
    eprintln!("{fixed} of {} kernels have a fix", kernels.len());
    assert!(fixed >= 20 && wrong.is_empty(), "{wrong:#?}");
}
