//! Findings as they are reported: equal findings of several warps as one, with the lanes and warps.

use std::fmt::Write;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use warplens_sim::{Finding, Lanes, RunResult, StatementId, WarpId};

/// Equal findings about one statement, in several warps.
#[derive(Debug)]
pub struct ReportedFinding<'r> {
    /// The one that is shown: that of the selected warp, or else the first.
    pub finding: &'r Finding,
    warps: Vec<WarpId>,
    /// Whether the run has several warps.
    several: bool,
}

/// The findings of a run in its order, for the selected `warp`.
pub fn reported(result: &RunResult, warp: WarpId) -> Vec<ReportedFinding<'_>> {
    let several = result.warps.len() > 1 || result.warps_truncated;
    let mut all: IndexMap<(&str, Option<StatementId>), ReportedFinding<'_>, FxBuildHasher> =
        IndexMap::default();
    for finding in &result.findings {
        let key = (finding.code, finding.statement);
        let new = || ReportedFinding { finding, warps: Vec::new(), several };
        let reported = all.entry(key).or_insert_with(new);
        let of = warp_of(finding);
        if !reported.warps.contains(&of) {
            reported.warps.push(of);
        }
        if of == warp && warp_of(reported.finding) != of {
            reported.finding = finding;
        }
    }
    all.into_values().collect()
}

fn warp_of(finding: &Finding) -> WarpId {
    WarpId { cta: finding.cta, warp: finding.warp }
}

impl ReportedFinding<'_> {
    /// The message with the lanes and warps, unless it names them itself:
    /// ` (lanes 0-7 of block 0,0,0, warp 1, and in 3 more warps)`
    pub fn message(&self) -> String {
        let Finding { message, lanes, cta: [x, y, z], warp, statement, .. } = self.finding;
        let mut place = Lanes(*lanes).to_string();
        if *lanes == 0 || message.contains(&place) {
            place.clear();
        }
        if statement.is_some() && self.several {
            let of = if place.is_empty() { "" } else { " of " };
            let _ = write!(place, "{of}block {x},{y},{z}, warp {warp}");
        }
        let more = match self.warps.len() - 1 {
            0 => None,
            1 => Some("and in 1 more warp".to_owned()),
            more => Some(format!("and in {more} more warps")),
        };
        let threads: Vec<String> =
            [Some(place).filter(|place| !place.is_empty()), more].into_iter().flatten().collect();
        if threads.is_empty() { message.clone() } else { format!("{message} ({})", threads.join(", ")) }
    }
}
