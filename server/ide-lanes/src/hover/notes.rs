//! What the run shows about a statement besides its lanes and registers.

use std::fmt::Write;

use crate::shown::{LineOf, Shown, ShownStatement};

/// The notes about a statement, each a paragraph with a list.
pub(super) fn of_statement(statement: &ShownStatement<'_>, shown: &Shown, line_of: LineOf<'_>) -> String {
    let mut text = String::new();
    let notes = shown.result().notes.iter().filter(|note| note.is_about(statement.id, shown.warp()));
    for note in notes {
        let _ = write!(text, "\n\n{}\n", note.title);
        if !note.grid.is_empty() {
            let _ = write!(text, "\n```text\n{}```\n", note.grid);
        }
        for (line, parts) in &note.lines {
            let parts = parts.iter().map(|(statement, part)| match shown.place(*statement) {
                Some(place) => format!("{part} (line {})", line_of(place.start()) + 1),
                None => part.clone(),
            });
            let parts: Vec<String> = parts.collect();
            let _ = write!(text, "\n- {line}{}", parts.join(", "));
        }
    }
    text
}
