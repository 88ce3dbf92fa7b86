//! `test --format human`.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use warplens_ide::lanes::count;

use super::case::{Case, Verdict};
use crate::cli::plain::plain;

const PASSED: Style = AnsiColor::Green.on_default();
const FAILED: Style = AnsiColor::Red.on_default().bold();

/// The line of a launch, and its failures.
pub(super) fn line(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let name = format!("{}: {}", plain(&case.path), plain(&case.name));
    match &case.verdict {
        Verdict::Passed(checks) => {
            writeln!(out, "{PASSED}passed{PASSED:#}  {name} ({})", count(*checks, "check"))
        }
        Verdict::Failed(failures) => {
            writeln!(out, "{FAILED}failed{FAILED:#}  {name}")?;
            failures.iter().try_for_each(|failure| writeln!(out, "        {}", plain(failure)))
        }
        Verdict::Invalid(problem) => {
            writeln!(out, "{FAILED}invalid{FAILED:#} {name}\n        {}", plain(problem))
        }
    }
}

/// How many launches passed and failed.
pub(super) fn summary(cases: &[Case], out: &mut dyn Write) -> io::Result<()> {
    let passed = cases.iter().filter(|case| matches!(case.verdict, Verdict::Passed(_))).count();
    match cases.len() - passed {
        _ if cases.is_empty() => Ok(()),
        0 => writeln!(out, "{} passed", count(passed, "launch")),
        failed => writeln!(out, "{} passed, {failed} failed", count(passed, "launch")),
    }
}
