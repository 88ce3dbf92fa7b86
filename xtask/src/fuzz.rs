//! `cargo xtask fuzz`: the tests of `tests/tests/fuzz` for a time, with new seeds.

use std::thread;

use anyhow::Result;

use crate::shell;

/// The tests, which share the time.
const TESTS: u64 = 11;

/// Runs the tests whose name contains `only`, all by default.
pub(crate) fn run(minutes: u64, only: Option<&str>) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64).min(TESTS);
    let seconds = match only {
        Some(_) => minutes * 60,
        None => minutes * 60 * threads / TESTS,
    };
    let test_threads = format!("--test-threads={threads}");
    let mut arguments = vec!["test", "--release", "--package", "warplens-tests", "--test", "fuzz", "--"];
    arguments.extend(["--nocapture", &test_threads]);
    arguments.extend(only);
    shell::command(".", "cargo", &arguments).env("WARPLENS_FUZZ_SECONDS", seconds.to_string()).run()
}
