//! The schemas of the output: docs/schemas has what the program prints, and the output has no undocumented key. Every test that runs
//! the program with `--format json` compares too (`support::schemas`).

use std::path::Path;

use expect_test::expect_file;
use serde_json::json;
use warplens_test_support::schema_checker::Checker;

use crate::support::{run, schemas};

#[test]
fn the_published_schemas_are_those_of_the_program() {
    for name in schemas::PRINTED {
        let printed = run(Path::new("."), &["schema", name], b"");
        let text = String::from_utf8(printed.stdout).expect("UTF-8");
        expect_file![schemas::path(name)].assert_eq(&text);
    }
}

#[test]
fn a_schema_refuses_what_is_not_documented() {
    let text = std::fs::read_to_string(schemas::path("check")).expect("readable");
    let checker = Checker::new(serde_json::from_str(&text).expect("a schema"));
    let place = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
    let right = json!({
        "path": "k.ptx", "range": place, "severity": "error", "code": "c", "message": "m", "related": [],
    });
    assert!(checker.accepts(&right));
    for (key, value) in
        [("other", json!(1)), ("severity", json!("fatal")), ("range", json!({})), ("code", json!(null))]
    {
        let mut wrong = right.clone();
        wrong[key] = value;
        assert!(!checker.accepts(&wrong), "{wrong}");
    }
}

/// Each command over what the corpora have for it.
#[test]
fn the_output_over_the_corpora_has_the_form_of_the_schemas() {
    let mut printed = [0; 3];
    let mut count = |which: usize, arguments: &[&str]| {
        let output = run(Path::new("."), arguments, b"");
        printed[which] += output.stdout.iter().filter(|byte| **byte == b'\n').count();
    };
    for folder in warplens_test_support::corpora("ptx-invalid") {
        count(0, &["check", "--format", "json", &folder.to_string_lossy()]);
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    count(1, &["test", "--format", "json", &examples.to_string_lossy()]);
    for model in ["stack,its", "stack,ipdom"] {
        let file = examples.join("divergence.ptx");
        count(2, &["compare", &file.to_string_lossy(), "--models", model, "--format", "json"]);
    }
    eprintln!("{printed:?} lines of check, test and compare");
    assert!(printed.iter().all(|lines| *lines > 0), "{printed:?}");
}
