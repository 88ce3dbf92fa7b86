//! `test --format junit`: XML for continuous integration. A source is a suite, a launch is a case.

use std::io::{self, Write};

use super::case::{Case, End};
use crate::cli::plain::{NOT_IN_XML, plain};

pub(super) fn write(cases: &[Case], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"warplens\"{}>", counts(cases))?;
    for suite in cases.chunk_by(|a, b| a.path == b.path) {
        let path = escaped(&suite[0].path);
        writeln!(out, "  <testsuite name=\"{path}\"{}>", counts(suite))?;
        for case in suite {
            write!(out, "    <testcase name=\"{}\" classname=\"{path}\"", escaped(&case.name))?;
            match &case.end {
                End::Passed { .. } => writeln!(out, "/>")?,
                End::Failed(failures) => element(out, "failure", failures)?,
                End::Incomplete(verdict) => element(out, "error", &[verdict.to_string()])?,
                End::Invalid(problem) => element(out, "error", std::slice::from_ref(problem))?,
            }
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn counts(cases: &[Case]) -> String {
    let count = |is: fn(&End) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        cases.len(),
        count(|end| matches!(end, End::Failed(_))),
        count(|end| matches!(end, End::Incomplete(_) | End::Invalid(_)))
    )
}

fn element(out: &mut dyn Write, name: &str, lines: &[String]) -> io::Result<()> {
    let first = lines.first().map_or("", String::as_str);
    let text: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
    writeln!(out, ">")?;
    writeln!(out, "      <{name} message=\"{}\">{}</{name}>", escaped(first), text.join("\n"))?;
    writeln!(out, "    </testcase>")
}

/// Escapes the characters that XML interprets, and replaces those that it cannot contain.
fn escaped(text: &str) -> String {
    let text = plain(text).replace(NOT_IN_XML, "\u{fffd}");
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}
