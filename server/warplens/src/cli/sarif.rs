//! SARIF 2.1.0 documents, for code hosts and review tools.

use std::fmt::Write as _;
use std::io::{self, Write};

use ropey::Rope;
use serde_json::{Value, json};
use warplens_ide::TextRange;

use super::outcome::Outcome;
use warplens_lsp::markdown;
use warplens_protocol::position::{self, Encoding};

/// A run of the program, as far as it has come.
#[derive(Default)]
pub(super) struct Run {
    pub(super) results: Vec<Value>,
    /// What the program could not do.
    pub(super) notifications: Vec<Value>,
    /// The reported codes and their descriptions, in the order of their first result.
    rules: Vec<(&'static str, Value)>,
}

impl Run {
    /// The number of a code among the rules. `describe` is called for a new one.
    pub(super) fn rule(&mut self, name: &'static str, describe: impl FnOnce() -> Value) -> usize {
        self.rules.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.rules.push((name, describe()));
            self.rules.len() - 1
        })
    }

    /// The object of the run. It is successful only if nothing is missing, whether or not there are results.
    pub(super) fn ended(self, outcome: Outcome, properties: &Value) -> Value {
        let rules: Vec<_> = self.rules.into_iter().map(|(_, rule)| rule).collect();
        json!({
            "tool": { "driver": {
                "name": "warplens",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "utf16CodeUnits",
            "invocations": [{
                "executionSuccessful": matches!(outcome, Outcome::Success | Outcome::Errors),
                "exitCode": outcome.code(),
                "toolExecutionNotifications": self.notifications,
            }],
            "results": self.results,
            "properties": properties,
        })
    }
}

/// Writes the document with these runs.
pub(super) fn write(runs: Vec<Value>, out: &mut dyn Write) -> io::Result<()> {
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// The description of a code.
pub(super) fn rule(name: &str, summary: &str, page: &str, level: &str) -> Value {
    json!({
        "id": name,
        "shortDescription": { "text": summary },
        "help": { "text": markdown::plain(page), "markdown": page },
        "defaultConfiguration": { "level": level },
    })
}

/// A relative or absolute path as a URI reference.
pub(super) fn uri(path: &str) -> String {
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
pub(super) fn location(uri: &str, text: &Rope, range: TextRange) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/ü.ptx"), "a%20b/%C3%BC.ptx");
        assert_eq!(uri("a\\k.ptx"), "a/k.ptx");
    }
}
