//! The problems of a statement by itself.

use text_size::{TextRange, TextSize};
use warplens_host::Edit;
use warplens_ide_db::Diagnostic;

use super::ranges::text_range;

/// A problem of a statement by itself.
#[derive(Debug, Clone)]
pub struct Found {
    pub diagnostic: Diagnostic,
    pub(super) about: About,
}

/// What other statements of the file may change about a problem.
#[derive(Debug, Clone)]
pub(super) enum About {
    /// Nothing.
    Statement,
    /// A name that the statement does not declare: it is no problem if another statement does.
    Undeclared(String),
    /// A register or variable without a scope, in a function of the host: it is no problem if another statement uses it, or may have
    /// opened a scope around it.
    Declared { name: String, function: usize },
}

impl Found {
    /// Moves the positions after an edit outside of the statement.
    pub fn move_after(&mut self, edit: &Edit<'_>) {
        let moved = |range: &mut TextRange| {
            let at = |at: TextSize| edit.moved(at.into());
            *range = text_range(&(at(range.start())..at(range.end())));
        };
        moved(&mut self.diagnostic.range);
        self.diagnostic.related.iter_mut().for_each(|related| moved(&mut related.range));
        let edits = self.diagnostic.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
        edits.for_each(|edit| moved(&mut edit.range));
    }
}
