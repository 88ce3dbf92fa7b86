//! Findings as they are told: once for all warps that they are alike in, with who they are about.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use warplens_sim::{Finding, Lanes, RunResult, StatementId, WarpId};

/// Findings that say the same of one statement, in several warps.
#[derive(Debug)]
pub struct Told<'r> {
    /// The one that is told: of the warp that is looked at, else the first.
    pub finding: &'r Finding,
    warps: Vec<WarpId>,
    /// Whether there are warps to tell apart.
    several: bool,
}

/// The findings of a run in its order, for who looks at `warp`.
pub fn told(result: &RunResult, warp: WarpId) -> Vec<Told<'_>> {
    let several = result.warps.len() > 1 || result.warps_truncated;
    let mut all: Vec<Told<'_>> = Vec::new();
    let mut known: FxHashMap<(&str, Option<StatementId>), usize> = FxHashMap::default();
    for finding in &result.findings {
        let at = *known.entry((finding.code, finding.statement)).or_insert_with(|| {
            all.push(Told { finding, warps: Vec::new(), several });
            all.len() - 1
        });
        let of = warp_of(finding);
        if !all[at].warps.contains(&of) {
            all[at].warps.push(of);
        }
        if of == warp && warp_of(all[at].finding) != of {
            all[at].finding = finding;
        }
    }
    all
}

fn warp_of(finding: &Finding) -> WarpId {
    WarpId { cta: finding.cta, warp: finding.warp }
}

impl Told<'_> {
    /// The message with who it is about, as far as it does not say that itself:
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
        let who: Vec<String> =
            [Some(place).filter(|place| !place.is_empty()), more].into_iter().flatten().collect();
        if who.is_empty() { message.clone() } else { format!("{message} ({})", who.join(", ")) }
    }
}
