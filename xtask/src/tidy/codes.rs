//! Where a diagnostic is: in a file with the name of its code, or in the table at the start of the crate.

use std::path::Path;

use anyhow::Result;

use crate::project::{files, read};

const CRATE: &str = "server/ide-diagnostics/src";

/// Reports each code that has neither a file of its name nor a line in the table of `lib.rs`, and each file of the table that
/// does not exist.
pub(super) fn check(root: &Path, problems: &mut Vec<String>) -> Result<()> {
    let sources = root.join(CRATE);
    let (codes, docs) = (read(&format!("{CRATE}/codes.rs"))?, read(&format!("{CRATE}/lib.rs"))?);
    let table: Vec<&str> = docs.lines().filter(|line| line.starts_with("//! | `")).flat_map(quoted).collect();
    let missing = table.iter().filter(|name| name.ends_with(".rs") && !sources.join(name).exists());
    problems.extend(
        missing.map(|name| format!("{CRATE}/lib.rs: the table names `{name}`, which does not exist")),
    );
    let files = files(vec![sources], "rs")?;
    let stems: Vec<&str> = files.iter().filter_map(|file| file.file_stem()?.to_str()).collect();
    for code in codes.lines().filter_map(code) {
        if !stems.contains(&code.replace('-', "_").as_str()) && !table.contains(&code) {
            problems.push(format!(
                "{CRATE}: `{code}` has no file of its name; add one, or name its file in the table of `lib.rs`"
            ));
        }
    }
    Ok(())
}

/// The code of a line such as `UNUSED_LABEL = "unused-label", Hint;`.
fn code(line: &str) -> Option<&str> {
    const SEVERITIES: [&str; 4] = ["Error", "Warning", "Information", "Hint"];
    let (before, severity) = line.strip_suffix(';')?.rsplit_once(", ")?;
    SEVERITIES.contains(&severity).then(|| before.split('"').nth(1))?
}

/// The words in backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_line() {
        assert_eq!(code("    UNUSED_LABEL = \"unused-label\", Hint;"), Some("unused-label"));
        assert_eq!(code("    \"guard-p0\", Warning;"), Some("guard-p0"));
        assert_eq!(code("    (\"swallowed-word\", \"missing-newline\"),"), None);
        assert_eq!(quoted("//! | `a.rs` | `b`, `c` |").collect::<Vec<_>>(), ["a.rs", "b", "c"]);
    }
}
