//! A statement that a warp reached, with its visits and counters.

use schemars::JsonSchema;
use serde::Serialize;
use warplens_sim_warp::{Counters, LineTrace, StatementId, Visit};

use super::mask::hex;
use super::position::{Position, Positions};
use crate::program::CodePlace;
use crate::run::Role;

/// The place of a statement in machine code; `None` if the text is not a listing.
pub(crate) type CodePlaces<'a> = &'a dyn Fn(StatementId) -> Option<CodePlace>;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonLine {
    line: u32,
    character: u32,
    /// Its function and address, in a listing of machine code.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    code: Option<CodePlace>,
    count: u64,
    active: String,
    executed: String,
    visits: Vec<JsonVisit>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The effect of the statement on groups of lanes, in an editor.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// The sizes of the groups after a statement with several targets, in an editor.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    parts: Box<[u32]>,
    /// The words after a strip of its lanes, in an editor.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    counters: Option<JsonCounters>,
}

/// Visits with the same masks that follow each other.
#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Visit"))]
pub(crate) struct JsonVisit {
    pub(super) active: String,
    pub(super) executed: String,
    pub(super) repeat: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonCounters {
    efficiency: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    global: Option<JsonSectors>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<JsonWavefronts>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonSectors {
    requests: u64,
    sectors: u64,
    ideal: u64,
    worst: [u32; 2],
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonWavefronts {
    requests: u64,
    wavefronts: u64,
    ideal: u64,
    ways: u32,
}

impl JsonCounters {
    fn new(trace: &LineTrace, counters: &Counters, width: u32) -> JsonCounters {
        let Counters { global, shared } = counters;
        JsonCounters {
            efficiency: trace.efficiency(width),
            global: (global.requests != 0).then_some(JsonSectors {
                requests: global.requests,
                sectors: global.sectors,
                ideal: global.ideal,
                worst: [global.worst, global.worst_ideal],
            }),
            shared: (shared.requests != 0).then_some(JsonWavefronts {
                requests: shared.requests,
                wavefronts: shared.wavefronts,
                ideal: shared.ideal,
                ways: shared.worst_ways,
            }),
        }
    }
}

impl JsonLine {
    /// `None` if the statement was removed from the text.
    pub(crate) fn new(
        trace: &LineTrace,
        width: u32,
        code: CodePlaces<'_>,
        at: Positions<'_>,
    ) -> Option<JsonLine> {
        let Position { line, character } = at(trace.statement)?;
        Some(JsonLine {
            line,
            character,
            code: code(trace.statement),
            count: trace.count,
            active: hex(trace.active, width),
            executed: hex(trace.executed, width),
            visits: json_visits(trace, width),
            truncated: trace.truncated,
            role: None,
            parts: Box::default(),
            label: None,
            counters: trace.counters.as_deref().map(|counters| JsonCounters::new(trace, counters, width)),
        })
    }

    pub(crate) fn position(&self) -> (u32, u32) {
        (self.line, self.character)
    }

    /// With the members that only editors get.
    pub(crate) fn in_editor(self, role: Role, parts: &[u32], label: String) -> JsonLine {
        JsonLine { role: role.name(), parts: parts.into(), label: Some(label), ..self }
    }
}

/// The lines in text order.
pub(crate) fn lines<'l>(
    traces: impl IntoIterator<Item = &'l LineTrace>,
    width: u32,
    code: CodePlaces<'_>,
    at: Positions<'_>,
) -> Vec<JsonLine> {
    let traces = traces.into_iter();
    let mut lines: Vec<_> = traces.filter_map(|trace| JsonLine::new(trace, width, code, at)).collect();
    lines.sort_by_key(JsonLine::position);
    lines
}

pub(crate) fn json_visits(trace: &LineTrace, width: u32) -> Vec<JsonVisit> {
    let visit = |visit: &Visit| JsonVisit {
        active: hex(visit.active, width),
        executed: hex(visit.executed, width),
        repeat: visit.repeat,
    };
    trace.visits.iter().map(visit).collect()
}
