//! Bugs that only some schedule shows, with right twins, and runs whose evidence is partial: from the corpus next to the repository,
//! if present.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::simulated::{Accusation, MODELS, accusations, simulate};

struct Corpus {
    folder: PathBuf,
    entries: Vec<Value>,
}

impl Corpus {
    fn read(folder: &str, file: &str) -> Option<Corpus> {
        let folder = warplens_test_support::shared(&format!("corpus/ptx-schedule/{folder}"))?;
        let text = fs::read_to_string(folder.join(file)).expect("readable");
        Some(Corpus { folder, entries: serde_json::from_str(&text).expect("JSON") })
    }

    /// The JSON of the run of a file under a launch.
    fn simulate(&self, file: &Value, launch: &Value, options: &[&str]) -> Value {
        simulate(&self.folder.join(file.as_str().expect("a path")), launch, options)
    }
}

/// Whether a run shows a bug: a finding with one of its names at one of its lines.
fn shows(report: &Value, bug: &Value) -> bool {
    let contains =
        |list: &Value, wanted: &Value| list.as_array().into_iter().flatten().any(|entry| entry == wanted);
    accusations(report).iter().any(|Accusation { code, lines, .. }| {
        contains(&bug["findings"], &json!(code))
            && lines.iter().any(|line| contains(&bug["lines"], &json!(line)))
    })
}

/// Whether the limits of a GPU show the bug, whatever the order of its blocks.
fn is_about_residency(bug: &Value) -> bool {
    bug["findings"][0] == "residency"
}

#[test]
fn one_run_shows_what_goes_wrong_in_another() {
    let Some(bugs) = Corpus::read("bugs", "bugs.json") else { return };
    let mut missed = Vec::new();
    for bug in bugs.entries.iter().filter(|bug| bug["any_schedule"] == true || is_about_residency(bug)) {
        for model in MODELS {
            let report = bugs.simulate(&bug["ptx"], &bug["launch"], &["--model", model]);
            if !shows(&report, bug) {
                missed.push((bug["id"].to_string(), model));
            }
        }
    }
    assert_eq!(missed, []);
}

#[test]
fn another_schedule_shows_what_depends_on_it() {
    let Some(bugs) = Corpus::read("bugs", "bugs.json") else { return };
    for bug in bugs.entries.iter().filter(|bug| bug["needs_schedule"] == true && !is_about_residency(bug)) {
        assert_eq!(accusations(&bugs.simulate(&bug["ptx"], &bug["launch"], &[])), [], "{}", bug["id"]);
        for seed in ["1", "2"] {
            let options = ["--schedules", "50", "--seed", seed];
            let report = bugs.simulate(&bug["ptx"], &bug["launch"], &options);
            assert!(shows(&report, bug), "{} with seed {seed}: {:?}", bug["id"], accusations(&report));
            let found = report["findings"].as_array().into_iter().flatten();
            let schedule = found.filter_map(|finding| finding["schedule"].as_str()).next();
            let schedule = schedule.expect("a finding of another schedule names it");
            let replayed = bugs.simulate(&bug["ptx"], &bug["launch"], &["--schedule", schedule]);
            assert!(shows(&replayed, bug), "{} under {schedule}: {:?}", bug["id"], accusations(&replayed));
        }
    }
}

#[test]
fn right_twins_are_silent() {
    let Some(bugs) = Corpus::read("bugs", "bugs.json") else { return };
    for bug in &bugs.entries {
        let launch = bug.get("twin_launch").unwrap_or(&bug["launch"]);
        for model in MODELS {
            let report = bugs.simulate(&bug["twin"], launch, &["--model", model]);
            assert_eq!(
                (accusations(&report), &report["verdict"]),
                (vec![], &json!("clean")),
                "{}",
                bug["id"]
            );
        }
        // Runs of many blocks that wait for each other take too long to repeat.
        if !is_about_residency(bug) {
            let report = bugs.simulate(&bug["twin"], launch, &["--schedules", "20", "--seed", "3"]);
            assert_eq!(
                (accusations(&report), &report["verdict"]),
                (vec![], &json!("clean")),
                "{}",
                bug["id"]
            );
        }
    }
}

#[test]
fn partial_evidence_has_its_verdict() {
    let Some(cases) = Corpus::read("verdicts", "verdicts.json") else { return };
    for case in &cases.entries {
        let options: Vec<&str> =
            case["options"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let report = cases.simulate(&case["ptx"], &case["launch"], &options);
        assert_eq!(report["verdict"], case["verdict"], "{}", case["id"]);
        let reasons = report["reasons"].as_array().expect("a list");
        assert!(case["reason"].is_null() || reasons.contains(&case["reason"]), "{}: {reasons:?}", case["id"]);
    }
}
