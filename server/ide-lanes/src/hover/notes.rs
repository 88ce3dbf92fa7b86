//! What the run tells about a statement besides its lanes and registers.

use std::fmt::Write;

use crate::shown::{LineOf, Shown, ShownStatement};

/// The notes about a statement, each a paragraph with a list.
pub(super) fn of_statement(statement: &ShownStatement<'_>, shown: &Shown, line_of: LineOf<'_>) -> String {
    let mut text = String::new();
    let notes = shown.result().notes.iter().filter(|note| note.is_about(statement.id, shown.warp()));
    for note in notes {
        let _ = write!(text, "\n\n{}\n", note.title);
        for (line, related) in &note.lines {
            let parts = related.iter().map(|related| match shown.place(related.statement) {
                Some(place) => format!("{} (line {})", related.message, line_of(place.start()) + 1),
                None => related.message.clone(),
            });
            let parts: Vec<String> = parts.collect();
            let _ = write!(text, "\n- {line}{}", parts.join(", "));
        }
    }
    text
}
