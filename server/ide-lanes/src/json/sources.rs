//! The lanes of a source line: those that executed any statement compiled from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use warplens_sim_warp::{LineTrace, Mask, StatementId, Visit};

use super::mask::hex;
use super::placed::StatementTrace;
use crate::program::FileLine;
use crate::run::Role;

/// The lanes of a line of a source file that the warp reached.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct SourceLanes {
    #[serde(flatten)]
    place: FileLine,
    /// Where the first statement of the line is in the compiled file: its line, from 0.
    compiled: u32,
    /// The lanes that reached a statement of the line, at the selected visit if there is one.
    active: String,
    /// The lanes that executed one.
    executed: String,
    /// The words to draw beside a strip of these lanes; where lanes diverged at a branch, those of the branch.
    label: String,
}

/// What the statements of a line did.
struct Line<'t> {
    place: &'t FileLine,
    compiled: u32,
    /// The first statement, or the first branch at which lanes diverged.
    statement: StatementTrace<'t>,
    active: Mask,
    executed: Mask,
}

impl SourceLanes {
    /// Adds up the statements of each line that the warp reached, in the order of files and lines. A statement has its source line and its
    /// line in the compiled file.
    pub(crate) fn all<'t>(
        statements: impl Iterator<Item = (&'t FileLine, u32, StatementTrace<'t>)>,
        label: &dyn Fn(&StatementTrace<'_>) -> String,
    ) -> Vec<SourceLanes> {
        let mut lines: BTreeMap<(&str, u64), Line<'t>> = BTreeMap::new();
        for (place, compiled, statement) in statements {
            let new = || Line { place, compiled, statement, active: 0, executed: 0 };
            lines.entry((&place.file, place.line)).or_insert_with(new).add(&statement);
        }
        lines.values().map(|line| line.json(label)).collect()
    }
}

impl<'t> Line<'t> {
    fn add(&mut self, statement: &StatementTrace<'t>) {
        let (active, executed) = match statement.chosen {
            Some(seen) => seen.map_or((0, 0), |seen| (seen.active, seen.executed)),
            None => statement.trace.map_or((0, 0), |trace| (trace.active, trace.executed)),
        };
        self.active |= active;
        self.executed |= executed;
        if !is_split(&self.statement) && is_split(statement) {
            self.statement = *statement;
        }
    }

    fn json(&self, label: &dyn Fn(&StatementTrace<'_>) -> String) -> SourceLanes {
        let &Line { place, compiled, statement, active, executed } = self;
        SourceLanes {
            place: place.clone(),
            compiled,
            active: hex(active, statement.width),
            executed: hex(executed, statement.width),
            label: match is_split(&statement) || active == 0 {
                true => label(&statement),
                false => label(&self.as_one_visit(&once(active, executed))),
            },
        }
    }

    /// The line as a statement that its lanes visited once.
    fn as_one_visit<'v>(&self, trace: &'v LineTrace) -> StatementTrace<'v>
    where
        't: 'v,
    {
        let trace = Some(trace);
        StatementTrace {
            trace,
            role: Role::Plain,
            parts: &[],
            condition: None,
            chosen: None,
            ..self.statement
        }
    }
}

fn is_split(statement: &StatementTrace<'_>) -> bool {
    statement.role == Role::Branch && statement.has_split()
}

fn once(active: Mask, executed: Mask) -> LineTrace {
    LineTrace {
        statement: StatementId(0),
        count: 1,
        active,
        executed,
        active_lanes: u64::from(active.count_ones()),
        executed_lanes: u64::from(executed.count_ones()),
        visits: Arc::new([Visit { active, executed, repeat: 1 }]),
        truncated: false,
        counters: None,
    }
}
