//! The fix that switches a diagnostic off by a comment at the end of its line.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Diagnostic, Fix, Severity, TextEdit};

use super::document::HostDocument;

/// A fix that adds a comment to switch a diagnostic off for its line. `None` for errors, and where the end of the line is part of a
/// literal or of a macro that continues.
pub(crate) fn allow_fix(document: &HostDocument, found: &Diagnostic) -> Option<Fix> {
    if found.severity == Severity::Error {
        return None;
    }
    let rest = &document.text[usize::from(found.range.start())..];
    let line = rest.lines().next().unwrap_or_default().trim_end();
    let end = found.range.start() + TextSize::of(line);
    let is_inside = document
        .statement_at(end)
        .is_some_and(|place| place.pieces().iter().any(|piece| piece.host.contains(&usize::from(end))));
    if line.ends_with('\\') || line.contains("//") || is_inside {
        return None;
    }
    let mark = if matches!(document.host.id, "python" | "julia" | "mojo") { "#" } else { "//" };
    let insert = format!("  {mark} warplens: allow({})", found.code);
    let edits = vec![TextEdit { range: TextRange::empty(end), insert }];
    Some(Fix { title: format!("Allow `{}` on this line", found.code), edits, preferred: false })
}
