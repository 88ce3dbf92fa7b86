//! A few numbers for each warp of a run, for lists and pictures of all warps.

use rustc_hash::FxHashSet;
use serde::Serialize;
use warplens_sim_warp::{Counters, RunResult, WarpTrace};

use crate::program::Statement;
use crate::run::{Outcome, Prepared, Role, effects, splits};

/// A warp of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WarpSummary {
    cta: [u32; 3],
    warp: u32,
    /// Executed warp instructions.
    instructions: u64,
    /// The average share of active lanes in percent, rounded down: 100 is a full warp without divergence.
    active: u64,
    diverged: bool,
    findings: usize,
    /// What its memory accesses cost above the ideal; `None` if the run did not count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    excess: Option<Excess>,
}

/// The cost of memory accesses above the ideal. The two do not add up, because a sector and a wavefront take different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Excess {
    /// Sectors of 32 bytes of global memory.
    sectors: u64,
    /// Wavefronts of shared memory.
    wavefronts: u64,
}

/// The warps of a run whose traces are recorded, in the order of block, then warp.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WarpSummaries {
    /// The average over all warps.
    active: u64,
    warps: Vec<WarpSummary>,
    /// Whether the run had more warps.
    truncated: bool,
}

impl Prepared {
    pub fn warp_summaries(&self, outcome: &Outcome) -> WarpSummaries {
        WarpSummaries::of(&outcome.prepared(self), &outcome.result, &outcome.result.warps)
    }
}

impl WarpSummaries {
    /// These warps of a run.
    pub(crate) fn of(ran: &Prepared, result: &RunResult, warps: &[WarpTrace]) -> WarpSummaries {
        let width = u64::from(ran.width());
        let summary = |warp| summary(warp, &ran.statements, result, width);
        WarpSummaries {
            active: percent(result.totals.thread_instructions, result.totals.warp_instructions * width),
            warps: warps.iter().map(summary).collect(),
            truncated: result.warps_truncated || warps.len() < result.warps.len(),
        }
    }
}

fn summary(warp: &WarpTrace, statements: &[Statement], result: &RunResult, width: u64) -> WarpSummary {
    let instructions = warp.lines.iter().map(|line| line.count).sum();
    let active_lanes: u64 = warp.lines.iter().map(|line| line.active_lanes).sum();
    let of_warp = result.findings.iter().filter(|found| found.cta == warp.cta && found.warp == warp.warp);
    let findings: FxHashSet<_> = of_warp.map(|found| (found.kind, found.statement)).collect();
    WarpSummary {
        cta: warp.cta,
        warp: warp.warp,
        instructions,
        active: percent(active_lanes, instructions * width),
        diverged: diverged(warp, statements),
        findings: findings.len(),
        excess: excess(warp),
    }
}

fn excess(warp: &WarpTrace) -> Option<Excess> {
    let mut counted = warp.lines.iter().filter_map(|line| line.counters.as_deref()).peekable();
    counted.peek()?;
    let mut sum = Excess { sectors: 0, wavefronts: 0 };
    for Counters { global, shared } in counted {
        sum.sectors += global.sectors.saturating_sub(global.ideal);
        sum.wavefronts += shared.wavefronts.saturating_sub(shared.ideal);
    }
    Some(sum)
}

fn diverged(warp: &WarpTrace, statements: &[Statement]) -> bool {
    let effects = effects(statements, Some(warp));
    warp.lines.iter().any(|line| {
        let Some(effect) = effects.get(line.statement.index()) else { return false };
        effect.parts.len() > 1 || effect.role == Role::Branch && line.visits.iter().any(splits)
    })
}

/// A share in percent, rounded down; 0 of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TEXT, result, statements};

    #[test]
    fn a_warp_that_diverged_with_a_finding() {
        let run = result();
        let summary = summary(&run.warps[0], &statements(TEXT), &run, 32);
        assert_eq!((summary.instructions, summary.active, summary.diverged), (6, 87, true));
        let of_warp = run.findings.iter().filter(|found| found.cta == [0; 3] && found.warp == 0);
        assert_eq!(summary.findings, of_warp.count());
    }

    #[test]
    fn the_excess_of_a_warp_is_that_of_its_statements() {
        let mut run = result();
        assert_eq!(excess(&run.warps[0]), None, "the run did not count");
        let counters = |sectors, wavefronts| {
            let mut counters = Counters::default();
            (counters.global.sectors, counters.global.ideal) = (sectors, 4);
            (counters.shared.wavefronts, counters.shared.ideal) = (wavefronts, 1);
            Some(Box::new(counters))
        };
        run.warps[0].lines[0].counters = counters(32, 1);
        run.warps[0].lines[1].counters = counters(5, 9);
        assert_eq!(excess(&run.warps[0]), Some(Excess { sectors: 29, wavefronts: 8 }));
    }

    #[test]
    fn a_warp_whose_lanes_stay_together() {
        let mut run = result();
        run.warps[0].lines.truncate(1);
        run.findings.clear();
        let summary = summary(&run.warps[0], &statements(TEXT), &run, 32);
        assert_eq!((summary.active, summary.diverged, summary.findings), (100, false, 0));
    }
}
