//! Runs of kernels of the corpora, and what they accuse.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::support::run;

pub(crate) const MODELS: [&str; 4] = ["stack", "ipdom", "frontier", "its"];

/// The JSON output for a launch of a file.
pub(crate) fn simulate(file: &Path, launch: &Value, options: &[&str]) -> Value {
    let mut entry = Map::from_iter([("name".into(), json!("x")), ("file".into(), json!(file))]);
    entry.extend(launch.as_object().expect("a launch").clone());
    let file = file.to_str().expect("a path of UTF-8");
    let arguments = ["sim", file, "--launches", "-", "--launch", "x", "--format", "json"];
    let launches = json!({ "launch": [entry] }).to_string();
    let output = run(Path::new("."), &[&arguments, options].concat(), launches.as_bytes());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{file}: {error}: {output:?}"))
}

/// A warning or an error. Lines count from 1.
#[derive(Debug, PartialEq)]
pub(crate) struct Accusation {
    pub(crate) code: String,
    /// The lines of the finding and of its related locations.
    pub(crate) lines: Vec<u64>,
    /// The lines of other statements of the same source line.
    pub(crate) also: Vec<u64>,
}

impl Accusation {
    pub(crate) fn all_lines(&self) -> impl Iterator<Item = &u64> {
        self.lines.iter().chain(&self.also)
    }
}

/// The warnings and errors of a run.
pub(crate) fn accusations(report: &Value) -> Vec<Accusation> {
    let entries = |list: &'_ Value| list.as_array().cloned().unwrap_or_default();
    let line = |line: &Value| Some(line.as_u64()? + 1);
    let blames = |finding: &Value| finding["severity"] == "warning" || finding["severity"] == "error";
    let accusation = |finding: Value| {
        let related = entries(&finding["related"]);
        let lines = std::iter::once(&finding["line"]).chain(related.iter().map(|place| &place["line"]));
        Accusation {
            code: finding["code"].as_str().unwrap_or_default().to_owned(),
            lines: lines.filter_map(line).collect(),
            also: entries(&finding["also"]["lines"]).iter().filter_map(line).collect(),
        }
    };
    entries(&report["findings"]).into_iter().filter(blames).map(accusation).collect()
}
