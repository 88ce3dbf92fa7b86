//! Edits inside a literal: the template of the statement changes, and everything after it moves.

use std::ops::Range;

use crate::assembly::{Context, is_ptx};
use crate::registry::Host;
use crate::replaced::Edit;
use crate::statement::Statement;
use crate::template::{Piece, PieceKind};

impl Host {
    /// Updates the statements of a file to an edit inside a literal, and returns the numbers of those whose template changed. `None`, with
    /// nothing changed, if the file must be scanned again. `text` is that before the edit.
    pub fn edit(&self, statements: &mut [Statement], text: &str, edit: &Edit<'_>) -> Option<Vec<usize>> {
        // Python and Julia compute with the text of literals.
        if !matches!(self.id, "cuda-cpp" | "cpp" | "c" | "rust") {
            return None;
        }
        let is_plain = |c: char| !matches!(c, '"' | '\'' | '\\' | '\n' | '\r' | '(' | ')' | '#');
        let removed = text.get(edit.removed.clone())?;
        if !removed.chars().chain(edit.inserted.chars()).all(is_plain) {
            return None;
        }
        let changed = changed(statements, text, edit)?;
        for (index, piece) in &changed {
            let statement = &statements[*index];
            if statement.readings.as_ref().is_none_or(|readings| !readings.is_empty()) {
                return None;
            }
            let mut template = statement.template.clone();
            template.edit(*piece, edit);
            // Whether other texts are PTX depends on the whole file.
            if !is_ptx(&template, statement.dialect, &statement.operands, Context::Unknown) {
                return None;
            }
        }
        for (index, piece) in &changed {
            statements[*index].template.edit(*piece, edit);
        }
        statements.iter_mut().for_each(|statement| statement.move_after(edit));
        Some(changed.into_iter().map(|(index, _)| index).collect())
    }
}

/// The statements with the literal of an edit, and their pieces there. `None` if the edit is not in the middle of a literal.
fn changed(statements: &[Statement], text: &str, edit: &Edit<'_>) -> Option<Vec<(usize, usize)>> {
    let removed = &edit.removed;
    let mut changed = Vec::new();
    for (index, statement) in statements.iter().enumerate() {
        let meets = |range: &Range<usize>| {
            range.start < removed.end.max(removed.start + 1) && removed.start < range.end
        };
        if statement.has_range(&meets) {
            return None;
        }
        let pieces = &statement.template.pieces;
        let Some(found) = pieces.iter().position(|piece| is_inside(piece, text, removed)) else {
            if pieces.iter().any(|piece| meets(&piece.host)) {
                return None;
            }
            continue;
        };
        changed.push((index, found));
    }
    (!changed.is_empty()).then_some(changed)
}

/// Whether a part of a literal is copied to the template, starts no escape, and is not removed as a whole.
fn is_inside(piece: &Piece, text: &str, removed: &Range<usize>) -> bool {
    let before = &text[..removed.start];
    let starts_after = piece.host.start < removed.start
        || piece.host.start == removed.start && before.ends_with('"') && !before.ends_with("\\\"");
    piece.kind == PieceKind::Copied
        && starts_after
        && removed.end <= piece.host.end
        && removed.len() < piece.host.len()
}

impl Statement {
    /// Whether a range outside of the template fulfills a condition, besides that of the whole statement.
    fn has_range(&self, is_it: &dyn Fn(&Range<usize>) -> bool) -> bool {
        is_it(&self.keyword)
            || self.operands.iter().any(|operand| is_it(&operand.range))
            || self.denial.iter().any(|denial| is_it(&denial.range))
            || self.constraints.iter().any(is_it)
            || self.options.iter().chain(&self.clobbers).any(|(_, range)| is_it(range))
    }

    /// Moves the ranges outside of the template.
    fn move_after(&mut self, edit: &Edit<'_>) {
        if self.range.end < edit.removed.start
            && self.template.pieces.iter().all(|piece| piece.host.end < edit.removed.start)
        {
            return;
        }
        edit.moved_range(&mut self.range);
        edit.moved_range(&mut self.keyword);
        self.readings.iter_mut().flatten().for_each(|reading| reading.statement.move_after(edit));
        self.operands.iter_mut().for_each(|operand| edit.moved_range(&mut operand.range));
        self.denial.iter_mut().for_each(|denial| edit.moved_range(&mut denial.range));
        self.constraints.iter_mut().for_each(|range| edit.moved_range(range));
        let words = self.options.iter_mut().chain(&mut self.clobbers);
        words.for_each(|(_, range)| edit.moved_range(range));
        self.template.move_after(edit);
    }
}
