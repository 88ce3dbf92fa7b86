//! A summary of all steps of a warp in bounded memory: totals, marks, the overview, and the paths between blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use warplens_sim_warp::{Finding, Mask, lane_iter};

use super::blocks::Blocks;
use super::repeats::{Repeat, Repeats};
use super::walk::{Piece, Visitor};

const OVERVIEW: usize = 512;

const MAX_MARKS: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) enum MarkKind {
    Diverge,
    Reconverge,
    Barrier,
    Finding,
}

/// Something that happened at a step.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) step: u64,
    pub(crate) kind: MarkKind,
    /// The groups of lanes.
    pub(crate) lanes: Vec<Mask>,
    pub(crate) code: Option<&'static str>,
}

/// The visits of a block by a warp.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct BlockCount {
    pub(crate) visits: u64,
    pub(crate) steps: u64,
    /// Lanes over all visits.
    pub(crate) threads: u64,
    /// Lanes over all steps.
    #[serde(rename = "active")]
    pub(crate) lane_steps: u64,
    /// Visits that diverged.
    pub(crate) diverged: u64,
}

/// The lanes that took an edge.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct EdgeCount {
    /// Sum over visits.
    pub(crate) threads: u64,
    /// Diverging visits from which lanes took it.
    pub(crate) diverged: u64,
}

/// A finding of the warp whose step is not known yet.
#[derive(Debug)]
struct PendingFinding {
    statement: u32,
    lanes: Mask,
    code: &'static str,
    /// The visit of the statement, if it is known.
    visit: Option<u64>,
    /// The visits of the statement so far.
    seen: u64,
    /// The step of the last visit by some of its lanes.
    last: Option<u64>,
    is_found: bool,
}

#[derive(Debug)]
pub(crate) struct StepSummary {
    blocks_of_program: Arc<Blocks>,
    pub(crate) steps: u64,
    /// Active lanes over all steps.
    pub(crate) active_lanes: u64,
    /// By lane, the steps in which it was active.
    pub(crate) lane_steps: Vec<u64>,
    pub(crate) blocks: Vec<BlockCount>,
    pub(crate) edges: BTreeMap<(u32, u32), EdgeCount>,
    /// In the order of steps.
    pub(crate) marks: Vec<Mark>,
    pub(crate) marks_truncated: bool,
    /// Sums of active lanes over `overview_steps` steps each.
    pub(crate) overview: Vec<u64>,
    pub(crate) overview_steps: u64,
    /// Equal iterations, in the order of steps; known at the end.
    pub(crate) repeats: Vec<Repeat>,
    found_repeats: Repeats,
    pending: Vec<PendingFinding>,
}

impl StepSummary {
    pub(crate) fn new<'f>(blocks: Arc<Blocks>, findings: impl Iterator<Item = &'f Finding>) -> StepSummary {
        let pending = findings.filter_map(|finding| {
            let statement = finding.statement?.0;
            Some(PendingFinding {
                statement,
                lanes: finding.lanes,
                code: finding.kind.name(),
                visit: finding.visit,
                seen: 0,
                last: None,
                is_found: false,
            })
        });
        StepSummary {
            pending: pending.collect(),
            blocks: vec![BlockCount::default(); blocks.blocks.len()],
            blocks_of_program: blocks,
            steps: 0,
            active_lanes: 0,
            lane_steps: vec![0; Mask::BITS as usize],
            edges: BTreeMap::new(),
            marks: Vec::new(),
            marks_truncated: false,
            overview: Vec::new(),
            overview_steps: 1,
            repeats: Vec::new(),
            found_repeats: Repeats::default(),
        }
    }

    pub(crate) fn finish(mut self, steps: u64) -> StepSummary {
        self.steps = steps;
        for pending in std::mem::take(&mut self.pending) {
            if let Some(step) = pending.last.filter(|_| !pending.is_found) {
                self.mark(step, MarkKind::Finding, vec![pending.lanes], Some(pending.code));
            }
        }
        self.repeats = std::mem::take(&mut self.found_repeats).finish();
        self.marks.sort_by_key(|mark| (mark.step, mark.kind));
        self
    }

    fn mark(&mut self, step: u64, kind: MarkKind, lanes: Vec<Mask>, code: Option<&'static str>) {
        if self.marks.len() < MAX_MARKS {
            self.marks.push(Mark { step, kind, lanes, code });
        } else {
            self.marks_truncated = true;
        }
    }

    fn add_to_overview(&mut self, piece: &Piece) {
        let lanes = u64::from(piece.active.count_ones());
        let mut step = piece.step;
        while step < piece.end_step() {
            let mut at = (step / self.overview_steps) as usize;
            if at >= OVERVIEW {
                let pairs = self.overview.chunks(2).map(|pair| pair.iter().sum()).collect();
                self.overview = pairs;
                self.overview_steps *= 2;
                at /= 2;
            }
            if self.overview.len() <= at {
                self.overview.resize(at + 1, 0);
            }
            let end = piece.end_step().min((at as u64 + 1) * self.overview_steps);
            self.overview[at] += (end - step) * lanes;
            step = end;
        }
    }

    fn mark_findings(&mut self, piece: &Piece) {
        for index in 0..self.pending.len() {
            let pending = &mut self.pending[index];
            let here = (piece.first..piece.end).contains(&pending.statement);
            pending.seen += u64::from(here);
            if pending.is_found || !here || pending.lanes & piece.active == 0 {
                continue;
            }
            let step = piece.step + u64::from(pending.statement - piece.first);
            pending.last = Some(step);
            let is_here = match pending.visit {
                Some(visit) => pending.seen == visit,
                None => pending.lanes & !piece.active == 0,
            };
            if is_here {
                pending.is_found = true;
                let (lanes, code) = (pending.lanes, pending.code);
                self.mark(step, MarkKind::Finding, vec![lanes], Some(code));
            }
        }
    }
}

impl Visitor for StepSummary {
    fn piece(&mut self, piece: &Piece) {
        let lanes = u64::from(piece.active.count_ones());
        let steps = piece.steps();
        self.active_lanes += steps * lanes;
        for lane in lane_iter::lanes(piece.active) {
            self.lane_steps[lane] += steps;
        }
        let block = &mut self.blocks[piece.block as usize];
        block.steps += steps;
        block.lane_steps += steps * lanes;
        if piece.starts {
            block.visits += 1;
            block.threads += lanes;
        }
        for statement in piece.first..piece.end {
            if self.blocks_of_program.is_barrier(statement) {
                let step = piece.step + u64::from(statement - piece.first);
                self.mark(step, MarkKind::Barrier, vec![piece.executed], None);
            }
        }
        self.add_to_overview(piece);
        self.found_repeats.piece(piece);
        if !self.pending.is_empty() {
            self.mark_findings(piece);
        }
    }

    fn edge(&mut self, from: u32, to: u32, lanes: Mask) {
        self.edges.entry((from, to)).or_default().threads += u64::from(lanes.count_ones());
    }

    fn diverged(&mut self, step: u64, block: u32, groups: &[(u32, Mask)]) {
        let lanes = || groups.iter().map(|(_, lanes)| *lanes).collect();
        // Further groups extend the mark of the first two.
        if groups.len() == 2 {
            self.blocks[block as usize].diverged += 1;
            self.mark(step, MarkKind::Diverge, lanes(), None);
        } else if let Some(mark) =
            self.marks.iter_mut().rfind(|mark| (mark.step, mark.kind) == (step, MarkKind::Diverge))
        {
            mark.lanes = lanes();
        }
        let new = if groups.len() == 2 { groups } else { &groups[groups.len() - 1..] };
        for (to, _) in new {
            self.edges.entry((block, *to)).or_default().diverged += 1;
        }
    }

    fn reconverged(&mut self, step: u64, groups: &[Mask]) {
        self.mark(step, MarkKind::Reconverge, groups.to_vec(), None);
    }
}
