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
    if line.ends_with('\\') || line.contains("//") || is_in_literal(document, end) {
        return None;
    }
    let mark = if matches!(document.host.id, "python" | "julia" | "mojo") { "#" } else { "//" };
    let insert = format!("  {mark} warplens: allow({})", found.code);
    let edits = vec![TextEdit { range: TextRange::empty(end), insert }];
    Some(Fix { title: format!("Allow `{}` on this line", found.code), edits, preferred: false })
}

/// Whether a position is in a literal of a template, even where the host strips the text, such as after the opening `"""` of Julia. Then
/// no quote is between it and a piece.
fn is_in_literal(document: &HostDocument, at: TextSize) -> bool {
    let Some(place) = document.statement_at(at) else { return false };
    let at = usize::from(at);
    place.pieces().iter().any(|piece| {
        let between = match at < piece.host.start {
            true => at..piece.host.start,
            false => piece.host.end.min(at)..at,
        };
        !document.text[between].contains(['"', '\''])
    })
}
