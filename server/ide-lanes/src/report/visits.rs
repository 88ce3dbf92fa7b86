//! The visits of a statement as JSON.

use serde::Serialize;
use warplens_sim::{LineTrace, Visit};

use crate::text::hex;

/// Visits with the same masks that follow each other.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Visit"))]
pub(crate) struct JsonVisit {
    active: String,
    executed: String,
    repeat: u64,
}

/// The visits of a statement.
pub(crate) fn json_visits(trace: &LineTrace, width: u32) -> Vec<JsonVisit> {
    let visit = |visit: &Visit| JsonVisit {
        active: hex(visit.active, width),
        executed: hex(visit.executed, width),
        repeat: visit.repeat,
    };
    trace.visits.iter().map(visit).collect()
}
