//! The findings about the running instruction.

use rustc_hash::FxHashSet;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::thread_of;
use warplens_sim_warp::races::RacingThread;
use warplens_sim_warp::trace::{Checks, Finding, Related, WarpId};

use crate::order::Order;
use crate::race_context::RaceContext;
use crate::registers::WIDTH;

#[derive(Clone, Copy, Debug, Default)]
pub struct RunningVisit {
    pub statement: u32,
    pub(super) warp: u32,
    pub(super) live: u32,
    pub(super) order: Order,
    /// Lanes that store an undefined value.
    pub undefined: u32,
    /// Lanes that store the value that is already there, if that matters.
    pub(super) unchanged: u32,
    /// Lanes whose atomic left memory unchanged, like a failed attempt to take a lock: it publishes nothing.
    pub silent: u32,
}

#[derive(Default)]
pub struct Report {
    pub checks: Checks,
    pub visit: RunningVisit,
    pub(super) cta: [u32; 3],
    pub(super) grid: [u32; 3],
    pub(super) block_size: [u32; 3],
    /// The findings that the caller has not taken yet.
    pub findings: Vec<Finding>,
    pub(crate) races: RaceContext,
    /// Statements and what they were reported with: the other statement, if any.
    pub reported: FxHashSet<(FindingKind, u32, Option<u32>)>,
}

impl Report {
    /// Whether no such finding of the running statement, with this other one, was reported.
    pub fn is_new(&mut self, kind: FindingKind, other: Option<u32>) -> bool {
        self.reported.insert((kind, self.visit.statement, other))
    }

    /// Like [`Self::is_new`]; `false` if races are not checked.
    pub(super) fn is_new_race(&mut self, kind: FindingKind, other: Option<u32>) -> bool {
        self.checks.races && self.is_new(kind, other)
    }

    pub fn add(
        &mut self,
        kind: FindingKind,
        message: impl Into<String>,
        lanes: u32,
        related: impl IntoIterator<Item = Related>,
    ) {
        let finding = self.warp().finding(kind, message.into(), self.visit.statement, lanes);
        self.findings.push(finding.with(related));
    }

    pub fn warp(&self) -> WarpId {
        WarpId { cta: self.cta, warp: self.visit.warp }
    }

    pub(super) fn cta_of(&self, block: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [block % x, block / x % y, block / x / y]
    }

    pub(super) fn thread(&self, block: u32, warp: u32, lane: u32, reads: bool) -> RacingThread {
        RacingThread {
            thread: thread_of(warp, lane, WIDTH as u32, self.block_size),
            block: self.cta_of(block),
            lane,
            warp,
            group: "warp",
            reads,
        }
    }
}
