//! Whatever the program prints as JSON has the form of its schema in docs/schemas.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;
use warplens_test_support::schema_checker::Checker;

/// The outputs with a schema.
pub const PRINTED: [&str; 6] = ["check", "sim", "step", "batch", "test", "compare"];

static CHECKERS: LazyLock<HashMap<&str, Checker>> = LazyLock::new(|| {
    let checker = |name| {
        let text = std::fs::read_to_string(path(name)).unwrap_or_else(|_| "{}".to_owned());
        (name, Checker::new(serde_json::from_str(&text).expect("a schema")))
    };
    PRINTED.into_iter().map(checker).collect()
});

/// The file of a schema.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/schemas/{name}.json"))
}

/// Fails if a line that the program printed has another form than its schema.
pub fn check(arguments: &[&str], printed: &[u8]) {
    let is_batch = arguments.contains(&"--batch");
    if !is_batch && !arguments.windows(2).any(|pair| pair == ["--format", "json"]) {
        return;
    }
    let Some(&command) = arguments.first().filter(|command| PRINTED.contains(*command)) else { return };
    for line in printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line).expect("a line of JSON");
        let name = match command {
            "sim" if is_batch => "batch",
            "sim" if value.get("step").is_some() => "step",
            _ => command,
        };
        assert!(CHECKERS[name].accepts(&value), "not of the form in docs/schemas/{name}.json: {value:#}");
    }
}
