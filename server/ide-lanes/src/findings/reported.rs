//! Findings as they are reported: one for each cause, with its threads.
//!
//! A finding that occurs in several warps, or at several statements of one source line (an unrolled loop), has one cause.

use std::fmt::Write;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use warplens_sim_launch::Resolved;
use warplens_sim_warp::{
    Finding, FindingKind, GuessedLaunch, LaneSet, Mask, RaceScope, RunResult, StatementId, WarpId,
};

use crate::count::count;
use crate::program::SourceLine;

pub(crate) type Sources<'s, 'r> = &'s dyn Fn(StatementId) -> Option<&'r SourceLine>;

/// The threads of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    pub block: [u32; 3],
    /// Lanes of a warp.
    pub width: u32,
}

/// Findings with the same cause.
#[derive(Debug)]
pub struct ReportedFinding<'r> {
    /// The finding that is shown: the most severe one, of those that of the selected warp, or else the first.
    pub finding: &'r Finding,
    pub source: Option<&'r SourceLine>,
    warps: IndexSet<WarpId, FxBuildHasher>,
    statements: IndexSet<StatementId, FxBuildHasher>,
    reporter: Reporter,
}

/// What findings with the same cause have in common.
#[derive(PartialEq, Eq, Hash)]
enum CausePosition<'r> {
    Source(&'r SourceLine),
    Statement(Option<StatementId>),
}

impl Reporter {
    /// For the threads of a launch, in warps of `width` lanes.
    pub fn new(launch: &Resolved, width: u32) -> Reporter {
        Reporter { block: launch.config.block, width }
    }

    /// The findings of a run in its order, for the selected `warp`.
    pub fn findings<'r>(
        self,
        result: &'r RunResult,
        warp: Option<WarpId>,
        sources: Sources<'_, 'r>,
    ) -> Vec<ReportedFinding<'r>> {
        let mut all: IndexMap<(FindingKind, CausePosition<'r>), ReportedFinding<'r>, FxBuildHasher> =
            IndexMap::default();
        for finding in &result.findings {
            let source = finding.statement.and_then(sources);
            let place = source.map_or(CausePosition::Statement(finding.statement), CausePosition::Source);
            let reported = all.entry((finding.kind, place)).or_insert_with(|| ReportedFinding {
                finding,
                source,
                warps: IndexSet::default(),
                statements: IndexSet::default(),
                reporter: self,
            });
            let of = warp_of(finding);
            reported.warps.insert(of);
            reported.statements.extend(finding.statement);
            let rank = |finding: &Finding| (finding.severity, Some(warp_of(finding)) != warp);
            if rank(finding) < rank(reported.finding) {
                (reported.finding, reported.source) = (finding, source);
            }
        }
        all.into_values().collect()
    }

    fn threads_of(&self, finding: &Finding) -> Option<String> {
        // The threads of another launch aren't those of this block.
        let is_here = !matches!(finding.guess, Some(GuessedLaunch::Tried(_)));
        let [x, y, z] = finding.cta;
        match finding.racing {
            _ if !is_here => None,
            None => self.threads(warp_of(finding), finding.lanes),
            // The message names the threads, and their blocks if these differ.
            Some(RaceScope::Warp | RaceScope::Block) => Some(format!("block ({x},{y},{z})")),
            Some(RaceScope::Cluster | RaceScope::Grid) => None,
        }
    }

    /// `thread (5,0,0) of block (0,0,0): lane 5 of warp 0`
    pub(super) fn threads(&self, WarpId { cta: [x, y, z], warp }: WarpId, lanes: Mask) -> Option<String> {
        if lanes == 0 {
            return None;
        }
        let block = format!("block ({x},{y},{z})");
        let (first, last) = (lanes.trailing_zeros(), Mask::BITS - 1 - lanes.leading_zeros());
        let of_warp = format!("{} of warp {warp}", LaneSet(lanes));
        let thread = |lane: u32| {
            let [x, y, z] = self.thread(warp, lane);
            format!("({x},{y},{z})")
        };
        Some(match (first == last, lanes.count_ones() == last - first + 1) {
            (true, _) => format!("thread {} of {block}: {of_warp}", thread(first)),
            (_, true) => format!("threads {} to {} of {block}: {of_warp}", thread(first), thread(last)),
            _ => format!("{block}: {of_warp}"),
        })
    }

    fn thread(&self, warp: u32, lane: u32) -> [u32; 3] {
        let number = warp * self.width + lane;
        let [x, y, _] = self.block.map(|extent| extent.max(1));
        [number % x, number / x % y, number / x / y]
    }
}

fn warp_of(finding: &Finding) -> WarpId {
    WarpId { cta: finding.cta, warp: finding.warp }
}

impl ReportedFinding<'_> {
    /// The number of other warps with the finding, and of their blocks.
    pub fn also_in(&self) -> (usize, usize) {
        let own = warp_of(self.finding);
        let others = self.warps.iter().filter(|warp| **warp != own);
        let blocks: IndexSet<[u32; 3], FxBuildHasher> = others.map(|warp| warp.cta).collect();
        (self.warps.len() - 1, blocks.len())
    }

    pub fn also_at(&self) -> impl Iterator<Item = StatementId> {
        self.statements.iter().copied().filter(|statement| Some(*statement) != self.finding.statement)
    }

    /// The message, then lines with the threads, the repetitions and the source line. The message of a race ends with the threads already.
    pub fn message(&self) -> String {
        let mut message = self.finding.message.clone();
        if self.finding.statement.is_none() {
            self.add_replay(&mut message);
            return message;
        }
        let mut threads: Vec<String> = self.reporter.threads_of(self.finding).into_iter().collect();
        if let (warps @ 1.., blocks) = self.also_in() {
            threads.push(format!("also in {} of {}", count(warps, "warp"), count(blocks, "block")));
        }
        if let more @ 1.. = self.also_at().count() {
            threads.push(format!("also at {} of this source line", count(more, "statement")));
        }
        if !threads.is_empty() {
            let ends_with_threads = self.finding.racing.is_some() && self.finding.guess.is_none();
            let separator = if ends_with_threads { "; " } else { "\n" };
            let _ = write!(message, "{separator}{}", threads.join("; "));
        }
        if let Some(source) = self.source {
            let _ = write!(message, "\nsource: {source}");
        }
        self.add_replay(&mut message);
        message
    }

    /// Adds how to see the finding again, if only another schedule shows it.
    fn add_replay(&self, message: &mut String) {
        if let Some(schedule) = self.finding.schedule {
            let _ = write!(message, "\nonly under another schedule; `--schedule {schedule}` replays it");
        }
    }
}
