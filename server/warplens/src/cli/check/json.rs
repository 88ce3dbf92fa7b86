//! `check --format json`: one object for each line. The keys are documented in docs/cli.md.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use tower_lsp::ls_types::Range;
use warplens_ide::Severity;
use warplens_ide::lanes::json::Position;

use super::report::{Checked, CheckedFile, Report};
use warplens_protocol::position::{self, Encoding};

pub(super) struct Json;

/// A diagnostic. Positions count from 0, in UTF-16 code units.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Problem<'c> {
    path: &'c str,
    #[schemars(with = "Span")]
    range: Range,
    #[schemars(extend("enum" = SEVERITIES))]
    severity: &'static str,
    code: &'static str,
    message: &'c str,
    related: Vec<Related<'c>>,
}

#[derive(Serialize, JsonSchema)]
struct Related<'c> {
    path: &'c str,
    #[schemars(with = "Span")]
    range: Range,
    message: &'c str,
}

/// The form of a range of the protocol.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it only describes the form")]
struct Span {
    start: Position,
    end: Position,
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

const SEVERITIES: [&str; 4] = ["error", "warning", "information", "hint"];

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}
