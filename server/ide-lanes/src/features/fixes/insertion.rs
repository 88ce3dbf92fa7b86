//! The fix that inserts a statement.

use std::ops::Range;

use text_size::TextRange;
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::{Correction, StatementId};

use crate::simulator::FindingInText;

/// Inserts a statement beside those that it names, on a line of its own, with their guard if it needs one.
pub(super) fn insert(correction: &Correction, found: FindingInText<'_>) -> Option<Fix> {
    let statement = with_guard(correction, found)?;
    let edit = |id: &StatementId| {
        let neighbor = found.statement(*id)?;
        let at = if correction.after { neighbor.range.end() } else { neighbor.range.start() };
        let indent = found.indent(at);
        let insert = match correction.after {
            true => format!("\n{indent}{statement}"),
            false => format!("{statement}\n{indent}"),
        };
        Some(TextEdit { range: TextRange::empty(at), insert })
    };
    let edits: Vec<TextEdit> = correction.at.iter().map(edit).collect::<Option<_>>()?;
    let twice = if edits.len() > 1 { " twice" } else { "" };
    Some(Fix { title: format!("Insert `{statement}`{twice}"), edits, preferred: false })
}

fn with_guard(correction: &Correction, found: FindingInText<'_>) -> Option<String> {
    let neighbor = found.statement(*correction.at.first()?)?;
    let guard = TextRange::new(neighbor.range.start(), neighbor.opcode.start());
    let guard = found.text.get(Range::<usize>::from(guard)).filter(|_| correction.guarded);
    Some(format!("{}{}", guard.unwrap_or_default(), correction.text))
}
