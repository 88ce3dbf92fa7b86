//! A barrier at which only some lanes arrive: without its guard, or after the branch at which the lanes diverge.

use std::ops::Range;

use text_size::TextRange;
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::StatementId;

use super::text_range::text_range;
use crate::program::Flow;
use crate::simulator::FindingInText;

pub(super) fn corrected(found: FindingInText<'_>) -> Vec<Fix> {
    let Some(barrier) = found.finding.statement else { return Vec::new() };
    without_guard(found, barrier).into_iter().chain(after_branch(found, barrier)).collect()
}

fn without_guard(found: FindingInText<'_>, barrier: StatementId) -> Option<Fix> {
    let barrier = found.statement(barrier)?;
    let range = TextRange::new(barrier.range.start(), barrier.opcode.start());
    let guard = found.text.get(Range::<usize>::from(range))?.trim_end();
    let edits = vec![TextEdit { range, insert: String::new() }];
    guard.starts_with('@').then(|| Fix {
        title: format!("Remove the guard `{guard}`"),
        edits,
        preferred: false,
    })
}

/// Moves the barrier, and equal ones on the other path, to the reconvergence point of the innermost branch around it.
fn after_branch(found: FindingInText<'_>, barrier: StatementId) -> Option<Fix> {
    let code = |id: StatementId| Some(found.text.get(found.code_range(id)?)?.trim_end());
    let (branch, end) = branch_around(found, barrier)?;
    let moved = code(barrier)?;
    let equal = (branch.0..end.0).map(StatementId).filter(|id| code(*id) == Some(moved));
    let ranges = equal.filter_map(|id| Some(Range::<usize>::from(found.statement(id)?.range)));
    let mut edits: Vec<TextEdit> = ranges
        .map(|range| TextEdit { range: text_range(&with_line(found.text, range)), insert: String::new() })
        .collect();
    let join = found.statement(end)?.range.start();
    let insert = format!("{moved}\n{}", found.indent(join));
    edits.push(TextEdit { range: TextRange::empty(join), insert });
    Some(Fix { title: format!("Move `{moved}` to where the lanes reconverge"), edits, preferred: false })
}

/// The innermost branch around a statement, and where its lanes reconverge.
pub(super) fn branch_around(
    found: FindingInText<'_>,
    inside: StatementId,
) -> Option<(StatementId, StatementId)> {
    let branches = (0..).map(StatementId).zip(found.statements);
    let around = branches.filter_map(|(branch, statement)| match statement.flow {
        Flow::Branch { reconvergence: Some(end) } => Some((branch, end)),
        _ => None,
    });
    around
        .filter(|(branch, end)| *branch < inside && inside < *end)
        .min_by_key(|(branch, end)| end.0 - branch.0)
}

/// A part of a text, with its line if nothing else is on it.
fn with_line(text: &str, part: Range<usize>) -> Range<usize> {
    let start = text[..part.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[part.end..].find('\n').map_or(text.len(), |length| part.end + length + 1);
    let is_alone = text[start..part.start].trim().is_empty() && text[part.end..end].trim().is_empty();
    if is_alone { start..end } else { part }
}
