//! Kernels with known verdicts, from the corpus next to the repository, if present: in every model, a launch that shows a
//! mistake has a finding at its line, and a launch that respects the kernel's contract has no warning and no error.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::simulated::{Accusation, MODELS, accusations, simulate};
use crate::support::run;

/// Under `its`, the lanes that do not arrive have exited when the barrier completes, so the run is correct.
const NOT_SHOWN: [(&str, &str); 2] = [("barrier-in-thread-branch", "its"), ("barrier-by-data", "its")];

/// The codes that correspond to a question of the corpus.
fn codes(question: &str) -> &'static [&'static str] {
    match question {
        "race" => &["data-race", "same-value-race", "proxy-fence", "warp-synchronous"],
        "bounds" => &["out-of-bounds", "misaligned", "null-pointer"],
        "barrier" => &["divergent-barrier", "barrier-mismatch", "barrier-deadlock", "no-progress"],
        "uni" => &["divergent-uniform"],
        _ => panic!("unknown question {question}"),
    }
}

/// The kernels of the corpora, each with its file.
fn kernels() -> Vec<(PathBuf, Value)> {
    let of_folder = |folder: PathBuf| {
        let text = fs::read_to_string(folder.join("verdicts.json")).expect("readable");
        let kernels: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        kernels.into_iter().map(move |kernel| (folder.join(kernel["file"].as_str().expect("a file")), kernel))
    };
    warplens_test_support::corpora("prove").into_iter().flat_map(of_folder).collect()
}

/// The questions about a kernel whose answer is `refuted`.
fn refuted(kernel: &Value) -> impl Iterator<Item = (&String, &Value)> {
    kernel["verdicts"]
        .as_object()
        .expect("verdicts")
        .iter()
        .filter(|(_, answer)| answer["verdict"] == "refuted")
}

#[test]
fn a_launch_that_shows_a_mistake_has_a_finding_at_its_line() {
    let (mut found, mut missed) = (0, Vec::new());
    for (file, kernel) in &kernels() {
        for (question, answer) in refuted(kernel).filter(|(_, answer)| answer["launch"].is_object()) {
            let wanted: Vec<u64> =
                answer["ptx_lines"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
            for model in MODELS {
                let report = simulate(file, &answer["launch"], &["--model", model]);
                let names_it = |accusation: &Accusation| {
                    codes(question).contains(&&*accusation.code)
                        && accusation.all_lines().any(|line| wanted.contains(line))
                };
                match accusations(&report).iter().any(names_it) {
                    true => found += 1,
                    false => missed.push((kernel["name"].as_str().expect("a name").to_owned(), model)),
                }
            }
        }
    }
    eprintln!("{found} of {} mistakes found at their lines", found + missed.len());
    missed.retain(|(name, model)| !NOT_SHOWN.contains(&(name.as_str(), *model)));
    assert!(found > 0 && missed.is_empty(), "{missed:?}");
}

#[test]
fn a_launch_that_keeps_the_contract_has_no_warning() {
    let mut runs = 0;
    for (file, kernel) in &kernels() {
        let allowed: Vec<&str> = refuted(kernel).flat_map(|(question, _)| codes(question)).copied().collect();
        for launch in kernel["launches"].as_array().into_iter().flatten() {
            for model in MODELS {
                let report = simulate(file, launch, &["--model", model]);
                let wrong: Vec<String> = accusations(&report).into_iter().map(|one| one.code).collect();
                let wrong: Vec<&String> = wrong.iter().filter(|code| !allowed.contains(&&***code)).collect();
                assert_eq!(
                    (&report["status"], wrong),
                    (&json!("finished"), vec![]),
                    "{} {model}",
                    kernel["name"]
                );
                runs += 1;
            }
        }
    }
    eprintln!("{runs} launches without a warning or an error");
}

/// Kernels that are opened without a launch.
#[test]
fn an_inferred_launch_looks_for_trouble() {
    let Some(folder) = warplens_test_support::shared("corpus/first-run") else { return };
    let cases = fs::read_to_string(folder.join("cases.json")).expect("readable");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    let report = |file: &Value| -> Value {
        let path = folder.join(file.as_str().expect("a file"));
        let path = path.to_str().expect("a path of UTF-8");
        let output = run(Path::new("."), &["sim", path, "--format", "json"], b"");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{path}: {error}: {output:?}"))
    };
    for case in &cases {
        let bug = report(&case["file"]);
        let counts = |finding: &Value| {
            let line = finding["line"].as_u64().map(|line| json!(line + 1));
            let is_expected = |key: &str, value: &Value| {
                case[key].as_array().is_some_and(|expected| expected.contains(value))
            };
            let is_told = finding["severity"] != "information" || finding["launch"].is_object();
            is_expected("codes", &finding["code"])
                && line.is_some_and(|line| is_expected("lines", &line))
                && is_told
        };
        let findings = bug["findings"].as_array().expect("findings");
        assert!(findings.iter().any(counts), "{} is not shown: {findings:?}", case["id"]);
        let twin = report(&case["twin"]);
        assert!(accusations(&twin).is_empty(), "the twin of {} is accused: {twin:?}", case["id"]);
    }
}
