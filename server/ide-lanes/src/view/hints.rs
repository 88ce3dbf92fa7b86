//! The inlay hints at the end of lines: lanes, counters, and a value.

use text_size::{TextRange, TextSize};

use super::counters;
use super::lane_view::{LaneView, StatementView};
use super::text::{Style, joined, line};
use crate::json::StatementTrace;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneHint {
    /// The end of its line.
    pub offset: TextSize,
    pub text: String,
}

impl LaneView {
    /// The hints of the lines in `range`, which should hold whole lines. `line_end` gives the end of the line that an
    /// offset lies on.
    pub fn hints(
        &self,
        range: TextRange,
        style: Style,
        line_end: &dyn Fn(TextSize) -> TextSize,
    ) -> Vec<LaneHint> {
        if self.launched() == 0 {
            // The launch did not start: a finding explains why.
            return Vec::new();
        }
        let mut lines: Vec<(TextSize, Line<'_>)> = Vec::new();
        // The rest of a run that is in progress may reach the others.
        let has_hint = |statement: &StatementView<'_>| statement.trace.is_some() || !self.partial;
        let inside = |statement: &StatementView<'_>| range.contains_inclusive(statement.range.end());
        for statement in self.statements().filter(has_hint).filter(inside) {
            let end = line_end(statement.range.end());
            if lines.last().is_none_or(|(last, _)| *last != end) {
                lines.push((end, Line::default()));
            }
            let Some((_, line)) = lines.last_mut() else { continue };
            line.statements.push(self.trace_of(&statement));
            line.cost = line.cost.take().or_else(|| cost_words(&statement));
            if style.values && line.value.is_none() {
                line.value = value_words(&statement);
            }
        }
        let hint = |(offset, line): (_, Line<'_>)| Some(LaneHint { offset, text: line.text(style)? });
        lines.into_iter().filter_map(hint).collect()
    }
}

/// A line's statements, the cost of their memory accesses, and a value that one of them wrote.
#[derive(Default)]
struct Line<'s> {
    statements: Vec<StatementTrace<'s>>,
    cost: Option<String>,
    value: Option<String>,
}

impl Line<'_> {
    /// The text for the line; the last parts are omitted if it gets too long.
    fn text(self, style: Style) -> Option<String> {
        let lanes = line(self.statements, style);
        joined([lanes, self.cost, self.value].into_iter().flatten())
    }
}

impl StatementView<'_> {
    /// What a label says besides lanes: the cost of the accesses, and with `values` the value that was written.
    pub(super) fn label_notes(&self, values: bool) -> Vec<String> {
        let value = if values { value_words(self) } else { None };
        cost_words(self).into_iter().chain(value).collect()
    }
}

fn cost_words(statement: &StatementView<'_>) -> Option<String> {
    counters::words(statement.trace?.counters.as_deref()?)
}

/// The value that a statement wrote, in the lanes that executed it.
fn value_words(statement: &StatementView<'_>) -> Option<String> {
    let seen = statement.seen.filter(|seen| seen.executed != 0)?;
    let held = seen.registers.iter().find(|held| held.written)?;
    statement.reading(held, seen.executed).words()
}
