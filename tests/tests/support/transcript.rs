//! A run of the program as a user sees it.

use std::path::Path;

use expect_test::Expect;

use super::run;

/// Compares standard output, standard error and the exit code.
pub fn check(folder: &Path, arguments: &[&str], input: &str, expected: Expect) {
    let output = run(folder, arguments, input.as_bytes());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*folder.to_string_lossy(), "FOLDER");
    expected.assert_eq(&format!(
        "{}--\n{}exit {}\n",
        text(&output.stdout),
        text(&output.stderr),
        output.status.code().unwrap_or(-1)
    ));
}
