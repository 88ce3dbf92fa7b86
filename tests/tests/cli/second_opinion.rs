//! Kernels of the corpora that SentryWard, a static verifier of PTX, judges otherwise, each with the reason.
//!
//! `WARPLENS_SENTRYWARD` names the program of its version 0.1.1. Then all kernels of the corpora are judged again: a difference that
//! `second_opinion.json` does not explain fails, and so does an explanation without a difference.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use warplens_test_support::{program_of, shared};

use crate::simulated::{accusations, simulate};
use crate::support::run;

fn explained() -> Vec<Value> {
    serde_json::from_str(include_str!("second_opinion.json")).expect("JSON")
}

/// The bugs of another corpus, whose launches are in a list.
const BUGS: &str = "ptx-schedule/bugs";

/// The launch of a kernel of that corpus.
fn launch_of(bugs: &Value, path: &str) -> Option<Value> {
    let has = |bug: &&Value, key: &str| bug[key] == path;
    let bug = bugs.as_array()?.iter().find(|bug| has(bug, "ptx") || has(bug, "twin"))?;
    let own = bug.get("twin_launch").filter(|_| has(&bug, "twin"));
    Some(own.unwrap_or(&bug["launch"]).clone())
}

/// The runs of the kernels of a file under their first launches.
fn runs(corpus: &Path, file: &str) -> Vec<Value> {
    if let Some(path) = file.strip_prefix(BUGS) {
        let bugs = fs::read_to_string(corpus.join(BUGS).join("bugs.json")).expect("readable");
        let bugs: Value = serde_json::from_str(&bugs).expect("JSON");
        let launch = launch_of(&bugs, path.trim_start_matches('/')).expect("a bug or a twin");
        return vec![simulate(&corpus.join(file), &launch, &[])];
    }
    let path = corpus.join(file);
    let arguments = ["sim", path.to_str().expect("a path of UTF-8"), "--format", "json"];
    let output = run(Path::new("."), &arguments, b"").stdout;
    let lines = String::from_utf8(output).expect("UTF-8");
    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn codes(report: &Value) -> BTreeSet<String> {
    accusations(report).into_iter().map(|accusation| accusation.code).collect()
}

#[test]
fn our_side_of_the_differences() {
    let Some(corpus) = shared("corpus") else { return };
    for row in explained() {
        let file = row["file"].as_str().expect("a path");
        let found: BTreeSet<String> = runs(&corpus, file).iter().flat_map(codes).collect();
        assert_eq!(json!(found), row["ours"], "{file}: {}", row["why"]);
    }
}

/// Whether SentryWard accuses a kernel under a launch, if it judges it.
fn accuses(program: &str, file: &Path, report: &Value) -> Option<bool> {
    let launch = &report["launch"];
    let dimension = |key: &str| {
        let given = launch[key].as_array().into_iter().flatten().cloned();
        let all: Vec<Value> = given.chain(std::iter::repeat(json!(1))).take(3).collect();
        json!(all)
    };
    let mut shape = json!({ "grid_dim": dimension("grid"), "block_dim": dimension("block") });
    if launch["cluster"].is_array() {
        shape["cluster_dim"] = dimension("cluster");
    }
    if let Some(bytes) = launch["dynamic_shared"].as_u64().filter(|bytes| *bytes != 0) {
        shape["dynamic_shared_bytes"] = json!(bytes);
    }
    let input = json!({ "schema": "spverify.kernel-input/v1", "entry": report["entry"], "launch": shape });
    let path = std::env::temp_dir().join(format!("warplens-second-opinion-{}.json", std::process::id()));
    fs::write(&path, input.to_string()).expect("writable");
    let output = Command::new(program).arg(file).arg("--input").arg(&path).args(["--timeout", "40"]).output();
    let output = output.expect("SentryWard runs").stdout;
    let _ = fs::remove_file(&path);
    let judged: Value = serde_json::from_slice(&output).unwrap_or_default();
    match judged["result"].as_str()? {
        "race_free" | "verified" => Some(false),
        "not_wellsynced" | "potential_race" | "invalid_lifecycle" => Some(true),
        _ => None,
    }
}

#[test]
fn differences_are_explained() {
    let (Some(program), Some(corpus)) = (program_of("WARPLENS_SENTRYWARD"), shared("corpus")) else { return };
    let mut differing = BTreeSet::new();
    for folder in ["defects", "ptx-schedule/bugs/ptx"] {
        for entry in fs::read_dir(corpus.join(folder)).expect("a folder").flatten() {
            let file = format!("{folder}/{}", entry.file_name().to_str().expect("a name of UTF-8"));
            let differs = |report: &Value| {
                accuses(&program, &entry.path(), report)
                    .is_some_and(|accuses| accuses == codes(report).is_empty())
            };
            if file.ends_with(".ptx") && runs(&corpus, &file).iter().any(differs) {
                differing.insert(file);
            }
        }
    }
    let explained: BTreeSet<String> =
        explained().iter().filter_map(|row| Some(row["file"].as_str()?.to_owned())).collect();
    assert_eq!(differing, explained);
}
