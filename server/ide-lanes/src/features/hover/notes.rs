//! What a run shows about a statement apart from its lanes and registers: copies, phases of mbarriers, maps of tensor memory.

use std::fmt::Write;

use crate::view::{LaneView, LineOf, StatementView};

/// The notes about a statement: a paragraph with a list for each.
pub(super) fn of_statement(statement: &StatementView<'_>, shown: &LaneView, line_of: LineOf<'_>) -> String {
    let mut text = String::new();
    if let Some(missing) = shown.missing_note(statement.id) {
        let _ = write!(text, "\n\nA run with checks shows {missing} here; this one had none.");
    }
    let mut notes = shown.notes().iter().filter(|note| note.is_about(statement.id, shown.warp)).peekable();
    if let (Some(_), Some((chosen, visit))) = (notes.peek(), shown.moment) {
        let line = shown.place(chosen).map(|place| line_of(place.start()) + 1);
        let until = match (shown.has_notes_until_moment(), line) {
            (true, Some(line)) => format!("Up to visit {visit} of line {line}, which is chosen:"),
            (true, None) => "Up to the chosen visit:".to_owned(),
            (false, _) => "In the whole run, not up to the chosen visit:".to_owned(),
        };
        let _ = write!(text, "\n\n{until}");
    }
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
