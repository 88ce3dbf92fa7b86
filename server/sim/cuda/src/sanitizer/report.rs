//! The findings about the running instruction.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::thread_of;
use warplens_sim_warp::race_scope::RaceScope;
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
    /// Whether the order of accesses is followed, but its findings were not asked for.
    pub(crate) is_silent: bool,
    pub visit: RunningVisit,
    pub(super) cta: [u32; 3],
    pub(super) grid: [u32; 3],
    pub(super) block_size: [u32; 3],
    /// The findings that the caller has not taken yet.
    pub findings: Vec<Finding>,
    /// Races since the caller last took them.
    pub(crate) races: RaceContext,
    /// The widest scope of the races of a statement so far, so that `races` has only what is new.
    pub(super) scopes: FxHashMap<u32, RaceScope>,
    /// What was reported: the kind, the statement, and what distinguishes findings of that kind there, such as the other statement or
    /// the register.
    pub reported: FxHashSet<(FindingKind, u32, Option<u32>)>,
}

impl Report {
    /// Records a finding of this kind about the running statement and another one. Returns whether it is the first.
    pub fn note_new(&mut self, kind: FindingKind, other: Option<u32>) -> bool {
        self.reported.insert((kind, self.visit.statement, other))
    }

    /// Like [`Self::note_new`]; `false` if races are not checked.
    pub(super) fn note_new_race(&mut self, kind: FindingKind, other: Option<u32>) -> bool {
        self.checks.races && self.note_new(kind, other)
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

    /// Warps of a block.
    pub(super) fn warps(&self) -> u32 {
        self.block_size.iter().product::<u32>().div_ceil(WIDTH as u32)
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
