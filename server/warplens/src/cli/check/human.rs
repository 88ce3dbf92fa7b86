//! `check --format human`: each problem with its source code.

use std::io::{self, Write};

use annotate_snippets::Level;
use ropey::Rope;
use warplens_ide::lanes::count;
use warplens_ide::{Diagnostic, Severity};

use super::report::{Checked, CheckedFile, Report};
use crate::cli::code_frame::{Location, Problem};
use crate::cli::outcome::Outcome;
use crate::cli::plain::plain;

/// Prints each problem, and counts them at the end.
pub(super) struct Human {
    lowest: Severity,
    /// Whether to print a summary.
    summary: bool,
    files: usize,
    fixed: usize,
    errors: usize,
    warnings: usize,
}

impl Human {
    /// Prints the problems from severity `lowest` on.
    pub(super) fn new(lowest: Severity, summary: bool) -> Human {
        Human { lowest, summary, files: 0, fixed: 0, errors: 0, warnings: 0 }
    }
}

impl Report for Human {
    fn file(&mut self, out: &mut dyn Write, checked: &Checked) -> io::Result<()> {
        let Ok(CheckedFile { text, found, fixed }) = &checked.result else { return Ok(()) };
        self.files += 1;
        self.fixed += fixed;
        let path = checked.path.to_string_lossy();
        let path = plain(&path);
        for diagnostic in found.iter().filter(|diagnostic| diagnostic.severity <= self.lowest) {
            self.errors += usize::from(diagnostic.severity == Severity::Error);
            self.warnings += usize::from(diagnostic.severity == Severity::Warning);
            writeln!(out, "{}\n", render(&path, text, diagnostic))?;
        }
        Ok(())
    }

    fn end(&mut self, _: Outcome, out: &mut dyn Write) -> io::Result<()> {
        if !self.summary || self.files == 0 {
            return Ok(());
        }
        if self.fixed > 0 {
            writeln!(out, "{} fixed", count(self.fixed, "problem"))?;
        }
        match (self.errors, self.warnings) {
            (0, 0) => writeln!(out, "{} checked: no errors, no warnings", count(self.files, "file")),
            (errors, 0) => writeln!(out, "{}", count(errors, "error")),
            (0, warnings) => writeln!(out, "{}", count(warnings, "warning")),
            (errors, warnings) => {
                writeln!(out, "{}, {}", count(errors, "error"), count(warnings, "warning"))
            }
        }
    }
}

fn render(path: &str, text: &Rope, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let related = diagnostic.related.iter().map(|related| Location::related(related.range, &related.message));
    Problem {
        level,
        code: diagnostic.code,
        title: plain(&diagnostic.message),
        locations: std::iter::once(Location::primary(diagnostic.range)).chain(related).collect(),
        notes: Vec::new(),
    }
    .render(path, text)
}
