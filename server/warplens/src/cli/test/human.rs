//! `test --format human`.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use warplens_ide::lanes::{Explored, count};

use super::case::{Case, End};
use crate::cli::plain::plain;

const PASSED: Style = AnsiColor::Green.on_default();
const FAILED: Style = AnsiColor::Red.on_default().bold();

/// The line of a launch, and its failures.
pub(super) fn line(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let name = format!("{}: {}", plain(&case.path), plain(&case.name));
    match &case.end {
        End::Passed { checks, explored } => {
            let Explored { schedules, order_independent, .. } = *explored;
            let schedules = match (schedules, order_independent) {
                (_, true) => ", any schedule".to_owned(),
                (0, false) => String::new(),
                _ => format!(", {}", count(schedules as usize, "other schedule")),
            };
            writeln!(out, "{PASSED}passed{PASSED:#}  {name} ({}{schedules})", count(*checks, "check"))
        }
        End::Failed(failures) => {
            writeln!(out, "{FAILED}failed{FAILED:#}  {name}")?;
            let mut lines = failures.iter().flat_map(|failure| failure.lines());
            lines.try_for_each(|line| writeln!(out, "        {}", plain(line)))
        }
        End::Incomplete(verdict) => writeln!(out, "{FAILED}{verdict}{FAILED:#} {name}"),
        End::Invalid(problem) => {
            writeln!(out, "{FAILED}invalid{FAILED:#} {name}\n        {}", plain(problem))
        }
    }
}

/// How many launches passed and failed.
pub(super) fn summary(cases: &[Case], out: &mut dyn Write) -> io::Result<()> {
    if cases.is_empty() {
        return Ok(());
    }
    let number = |is: fn(&End) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    write!(out, "{} passed", count(number(|end| matches!(end, End::Passed { .. })), "launch"))?;
    let failed = number(|end| matches!(end, End::Failed(_) | End::Invalid(_)));
    let incomplete = number(|end| matches!(end, End::Incomplete(_)));
    for (count, what) in [(failed, "failed"), (incomplete, "incomplete")] {
        if count != 0 {
            write!(out, ", {count} {what}")?;
        }
    }
    writeln!(out)
}
