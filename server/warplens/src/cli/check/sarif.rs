//! `check --format sarif`: one SARIF 2.1.0 document for code hosts and review tools.

use std::fmt::Write as _;
use std::io::{self, Write};

use ropey::Rope;
use serde_json::{Value, json};
use warplens_ide::{Diagnostic, Severity, TextRange};

use super::report::{Checked, CheckedFile, Report};
use crate::markdown;
use warplens_protocol::position::{self, Encoding};

#[derive(Default)]
pub(super) struct Sarif {
    results: Vec<Value>,
    /// The reported codes, in the order of their first problem.
    rules: Vec<&'static str>,
    /// Files that could not be read.
    notifications: Vec<Value>,
}

impl Report for Sarif {
    fn file(&mut self, _: &mut dyn Write, checked: &Checked) -> io::Result<()> {
        let uri = uri(&checked.path.to_string_lossy());
        match &checked.result {
            Ok(CheckedFile { text, found, .. }) => {
                for diagnostic in found {
                    let result = self.result(&uri, text, diagnostic);
                    self.results.push(result);
                }
            }
            Err(error) => self.notifications.push(json!({
                "level": "error",
                "message": { "text": format!("{uri} {error}") },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri } } }],
            })),
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<_> = self.rules.iter().map(|name| rule(name)).collect();
        let document = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "warplens",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                } },
                "columnKind": "utf16CodeUnits",
                "invocations": [{
                    "executionSuccessful": self.notifications.is_empty(),
                    "toolExecutionNotifications": self.notifications,
                }],
                "results": self.results,
            }],
        });
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")
    }
}

impl Sarif {
    fn result(&mut self, uri: &str, text: &Rope, diagnostic: &Diagnostic) -> Value {
        let rule = self.rules.iter().position(|code| *code == diagnostic.code).unwrap_or_else(|| {
            self.rules.push(diagnostic.code);
            self.rules.len() - 1
        });
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
    json!({
        "id": name,
        "shortDescription": { "text": code.summary() },
        "help": { "text": markdown::plain(code.page), "markdown": code.page },
        "defaultConfiguration": { "level": level(code.severity) },
    })
}

/// A relative or absolute path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// A location, with lines and columns counted from one.
fn location(uri: &str, text: &Rope, range: TextRange) -> Value {
    let range = position::range(text, range, Encoding::Utf16);
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri },
        "region": {
            "startLine": range.start.line + 1,
            "startColumn": range.start.character + 1,
            "endLine": range.end.line + 1,
            "endColumn": range.end.character + 1,
        },
    } })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/ü.ptx"), "a%20b/%C3%BC.ptx");
        assert_eq!(uri("a\\k.ptx"), "a/k.ptx");
    }
}
