//! The statements that a warp executed in a compact form, for clients that draw many of them: most statements were visited by the
//! same lanes, so they share traces.

use rustc_hash::FxHashMap;
use serde::Serialize;
use warplens_sim_warp::{LineTrace, Mask, TracedVisit, Visit};

use super::line::{JsonVisit, json_visits};
use super::mask::hex;
use crate::run::{Role, splits};

/// The traces of statements, and the lines that have them.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct PlacedTraces {
    traces: Vec<JsonTrace>,
    /// The line of a statement, and the number of its trace; in text order.
    places: Vec<(u32, u32)>,
}

/// One statement in the trace of one warp.
#[derive(Debug, Clone, Copy)]
pub struct StatementTrace<'t> {
    /// The lanes that the warp has.
    pub launched: Mask,
    /// Lanes of a full warp.
    pub width: u32,
    /// The trace of the statement; `None` if the warp never reached it.
    pub trace: Option<&'t LineTrace>,
    pub role: Role,
    /// The number of lanes that jumped to each of several targets, if known.
    pub parts: &'t [u32],
    /// The condition of a branch, if it is an expression of thread indices.
    pub condition: Option<&'t str>,
    /// The selected visit, if any; `Some(None)` if the warp had not reached the statement at that point in time.
    pub chosen: Option<Option<&'t TracedVisit>>,
}

impl StatementTrace<'_> {
    /// Whether some of the lanes of a visit executed the statement, and not all: of the chosen visit, or of any.
    pub(crate) fn has_split(&self) -> bool {
        match self.chosen {
            Some(seen) => seen.is_some_and(|seen| seen.executed != 0 && seen.executed != seen.active),
            None => self.trace.is_some_and(|trace| trace.visits.iter().any(splits)),
        }
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Trace"))]
struct JsonTrace {
    count: u64,
    visits: Vec<JsonVisit>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "'branch' | 'join'"))]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<u32>>"))]
    parts: Box<[u32]>,
    label: String,
    /// The lanes of the selected visit; none if the warp had not reached the statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<JsonVisit>,
}

/// What all statements with a trace have in common.
#[derive(PartialEq, Eq, Hash)]
struct Key<'s> {
    count: u64,
    visits: Visits,
    truncated: bool,
    role: Role,
    parts: &'s [u32],
    condition: Option<&'s str>,
    /// The number and the masks of the selected visit.
    chosen: Option<Option<(u64, Mask, Mask)>>,
    /// The words of the label that are not about lanes.
    notes: &'s [String],
}

/// Identifies visits that are equal. Statements that were visited together several times share their visits.
#[derive(PartialEq, Eq, Hash)]
enum Visits {
    Equal { active: Mask, executed: Mask, repeat: u64 },
    Shared(*const Visit),
}

impl PlacedTraces {
    /// Lists the statements of a warp that have a trace, with the lines and characters of their opcodes.
    pub(crate) fn new(
        mut statements: Vec<((u32, u32), StatementTrace<'_>, Vec<String>)>,
        label: &dyn Fn(&StatementTrace<'_>, &[String]) -> String,
    ) -> PlacedTraces {
        statements.sort_by_key(|(at, ..)| *at);
        let mut numbers: FxHashMap<Key<'_>, u32> = FxHashMap::default();
        let mut listed = PlacedTraces::default();
        for ((line, _), statement, notes) in &statements {
            let Some(trace) = statement.trace else { continue };
            let number = *numbers.entry(key(statement, trace, notes)).or_insert_with(|| {
                listed.traces.push(json(statement, trace, label(statement, notes)));
                listed.traces.len() as u32 - 1
            });
            listed.places.push((*line, number));
        }
        listed
    }
}

fn key<'s>(
    &StatementTrace { role, parts, condition, chosen, .. }: &StatementTrace<'s>,
    trace: &LineTrace,
    notes: &'s [String],
) -> Key<'s> {
    let visits = match *trace.visits {
        [Visit { active, executed, repeat }] => Visits::Equal { active, executed, repeat },
        _ => Visits::Shared(trace.visits.as_ptr()),
    };
    let chosen = chosen.map(|seen| seen.map(|seen| (seen.visit, seen.active, seen.executed)));
    Key { count: trace.count, visits, truncated: trace.truncated, role, parts, condition, chosen, notes }
}

fn json(
    &StatementTrace { width, role, parts, chosen, .. }: &StatementTrace<'_>,
    trace: &LineTrace,
    label: String,
) -> JsonTrace {
    let lanes = |seen: Option<&TracedVisit>| JsonVisit {
        active: hex(seen.map_or(0, |seen| seen.active), width),
        executed: hex(seen.map_or(0, |seen| seen.executed), width),
        repeat: 1,
    };
    JsonTrace {
        count: trace.count,
        visits: json_visits(trace, width),
        truncated: trace.truncated,
        role: role.name(),
        parts: parts.into(),
        label,
        chosen: chosen.map(lanes),
    }
}
