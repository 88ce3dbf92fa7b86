//! The lenses of *Try it*, and what the runs add to diagnostics and hovers.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Diagnostic, Hover};
use warplens_ide_diagnostics::rules::Rules;

use super::document::HostDocument;
use super::ranges::text_range;

/// A statement that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryLens {
    /// The keyword of the statement.
    pub range: TextRange,
    /// What a click does, or the outputs of the run.
    pub title: String,
}

/// The lenses above the statements of a file whose text and operands are known.
pub(crate) fn lenses(document: &HostDocument, rules: &Rules) -> Vec<TryLens> {
    let indexes = 0..document.statements.len();
    let known = indexes.filter(|index| {
        let place = document.place(*index);
        place.module().uncertain.is_empty() && place.statement.knows_operands
    });
    known.map(|index| lens(document, index, rules)).collect()
}

fn lens(document: &HostDocument, index: usize, rules: &Rules) -> TryLens {
    let statement = &document.statements[index];
    let title = match document.run(index, rules) {
        None => "▷ Try it".to_owned(),
        Some(Err(problem)) => format!("Not run: {problem}"),
        Some(Ok(tried)) => tried.title(statement),
    };
    TryLens { range: text_range(statement.keyword.clone()), title }
}

/// The findings of the statements that the user tries.
pub(crate) fn findings(document: &HostDocument, rules: &Rules) -> Vec<Diagnostic> {
    let runs = (0..document.statements.len()).filter_map(|index| document.run(index, rules)?.as_ref().ok());
    runs.flat_map(|tried| tried.findings.clone()).collect()
}

/// The lanes of the instruction at an offset, if the user tries its statement.
pub(crate) fn lanes(document: &HostDocument, offset: TextSize, rules: &Rules) -> Option<Hover> {
    let index = document.index_at(offset)?;
    let tried = document.run(index, rules)?.as_ref().ok()?;
    tried.hover(&document.text, &document.statements[index], offset)
}
