//! Adds the diagnostics of ptxas to those of Warplens.

use ls_types::{Diagnostic, DiagnosticSeverity};

use crate::documents::snapshot::Snapshot;
use crate::to_proto;

/// Adds the diagnostics of ptxas on lines without an error from Warplens.
pub(crate) fn merge(snapshot: &Snapshot, found: &mut Vec<Diagnostic>) {
    let is_error = |found: &&Diagnostic| found.severity == Some(DiagnosticSeverity::ERROR);
    let lines: Vec<_> =
        found.iter().filter(is_error).map(|found| (found.range.start.line, found.range.end.line)).collect();
    for (range, message) in snapshot.shown.get(&snapshot.uri).ptxas.messages.iter() {
        let range = snapshot.range(*range);
        if !lines.iter().any(|(first, last)| (*first..=*last).contains(&range.start.line)) {
            found.push(Diagnostic {
                range,
                severity: Some(to_proto::severity(message.severity)),
                source: Some("ptxas".into()),
                message: message.text.clone(),
                ..Diagnostic::default()
            });
        }
    }
}
