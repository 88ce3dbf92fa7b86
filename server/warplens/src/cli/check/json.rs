//! `check --format json`: one object for each line. The keys are documented in docs/cli.md.

use std::io::{self, Write};

use serde::Serialize;
use tower_lsp::ls_types::Range;
use warplens_ide::Severity;

use super::report::{Checked, CheckedFile, Report};
use warplens_protocol::position::{self, Encoding};

pub(super) struct Json;

#[derive(Serialize)]
struct Problem<'c> {
    path: &'c str,
    range: Range,
    severity: &'static str,
    code: &'static str,
    message: &'c str,
    related: Vec<Related<'c>>,
}

#[derive(Serialize)]
struct Related<'c> {
    path: &'c str,
    range: Range,
    message: &'c str,
}

impl Report for Json {
    fn file(&mut self, out: &mut dyn Write, checked: &Checked) -> io::Result<()> {
        let Ok(CheckedFile { text, found, .. }) = &checked.result else { return Ok(()) };
        let path = &*checked.path.to_string_lossy();
        let range = |range| position::range(text, range, Encoding::Utf16);
        for diagnostic in found {
            let related = diagnostic.related.iter().map(|related| Related {
                path,
                range: range(related.range),
                message: &related.message,
            });
            let problem = Problem {
                path,
                range: range(diagnostic.range),
                severity: severity(diagnostic.severity),
                code: diagnostic.code,
                message: &diagnostic.message,
                related: related.collect(),
            };
            serde_json::to_writer(&mut *out, &problem)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}
