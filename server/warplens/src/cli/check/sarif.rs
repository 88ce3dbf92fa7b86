//! `check --format sarif`: one SARIF 2.1.0 document for code hosts and review tools.

use std::io::{self, Write};

use ropey::Rope;
use serde_json::{Value, json};
use warplens_ide::{Diagnostic, Severity};

use super::report::{Checked, CheckedFile, Report};
use crate::cli::outcome::Outcome;
use crate::cli::sarif::{Run, location, uri, write};

#[derive(Default)]
pub(super) struct Sarif {
    /// Files that could not be read are its notifications.
    run: Run,
}

impl Report for Sarif {
    fn file(&mut self, _: &mut dyn Write, checked: &Checked) -> io::Result<()> {
        let uri = uri(&checked.path.to_string_lossy());
        match &checked.result {
            Ok(CheckedFile { text, found, .. }) => {
                for diagnostic in found {
                    let result = self.result(&uri, text, diagnostic);
                    self.run.results.push(result);
                }
            }
            Err(error) => self.run.notifications.push(json!({
                "level": "error",
                "message": { "text": format!("{uri} {error}") },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri } } }],
            })),
        }
        Ok(())
    }

    fn end(&mut self, outcome: Outcome, out: &mut dyn Write) -> io::Result<()> {
        let verdict = match outcome {
            Outcome::Success => "clean",
            Outcome::Errors => "findings",
            Outcome::Incomplete | Outcome::Unusable => "incomplete",
        };
        let run = std::mem::take(&mut self.run);
        write(vec![run.ended(outcome, &json!({ "verdict": verdict }))], out)
    }
}

impl Sarif {
    fn result(&mut self, uri: &str, text: &Rope, diagnostic: &Diagnostic) -> Value {
        let rule = self.run.rule(diagnostic.code, || rule(diagnostic.code));
        let related = diagnostic.related.iter().map(|related| {
            let mut related_location = location(uri, text, related.range);
            related_location["message"] = json!({ "text": related.message });
            related_location
        });
        json!({
            "ruleId": diagnostic.code,
            "ruleIndex": rule,
            "level": level(diagnostic.severity),
            "message": { "text": diagnostic.message },
            "locations": [location(uri, text, diagnostic.range)],
            "relatedLocations": related.collect::<Vec<_>>(),
        })
    }
}

/// The description of a diagnostic.
fn rule(name: &str) -> Value {
    let Some(code) = warplens_ide::code(name) else { return json!({ "id": name }) };
    crate::cli::sarif::rule(name, code.summary(), code.page, level(code.severity))
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}
