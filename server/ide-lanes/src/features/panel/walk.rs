//! A walk over the steps of a warp: block visits, the edges between blocks, divergences and reconvergences.
//!
//! A lane is always in one visit of a block. When lanes of a visit continue in different blocks, the visit diverged; when lanes
//! of several visits continue as one group, they reconverged. This holds for every divergence model, because it is derived from the
//! steps alone.

use std::sync::Arc;

use warplens_sim_warp::{Mask, StepSink};

use super::blocks::Blocks;
use crate::run::StepRange;

/// Consecutive steps in one block with the same lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) step: u64,
    /// The first statement, and one past the last.
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) block: u32,
    pub(crate) starts: bool,
    pub(crate) active: Mask,
    pub(crate) executed: Mask,
}

impl Piece {
    pub(crate) fn steps(&self) -> u64 {
        u64::from(self.end - self.first)
    }

    pub(crate) fn end_step(&self) -> u64 {
        self.step + self.steps()
    }
}

pub(crate) trait Visitor: Send {
    fn piece(&mut self, piece: &Piece);

    /// Lanes of one visit continue in another block.
    fn edge(&mut self, _from: u32, _to: u32, _lanes: Mask) {}

    /// The visit of `block` whose last step is `step` diverged into these groups, in the order in which they continue. Called again
    /// for each further group.
    fn diverged(&mut self, _step: u64, _block: u32, _groups: &[(u32, Mask)]) {}

    /// Groups of lanes continue together at a step.
    fn reconverged(&mut self, _step: u64, _groups: &[Mask]) {}
}

/// A visit of a block whose lanes have not all continued.
#[derive(Debug)]
struct BlockVisit {
    block: u32,
    step: u64,
    /// The lanes that have not continued.
    waiting: Mask,
    continued: Vec<(u32, Mask)>,
}

pub(crate) struct Walk<V> {
    blocks: Arc<Blocks>,
    pub(crate) step: u64,
    /// One for each group of lanes.
    visits: Vec<BlockVisit>,
    /// The block, the next statement and the lanes of the visit that is in progress.
    current: (u32, u32, Mask),
    pub(crate) visitor: V,
}

impl<V> Walk<V> {
    pub(crate) fn new(blocks: Arc<Blocks>, visitor: V) -> Walk<V> {
        Walk::starting_at(0, blocks, visitor)
    }

    /// A walk that begins within a run.
    pub(crate) fn starting_at(step: u64, blocks: Arc<Blocks>, visitor: V) -> Walk<V> {
        Walk { blocks, step, visits: Vec::new(), current: (u32::MAX, 0, 0), visitor }
    }
}

impl<V: Visitor> Walk<V> {
    pub(crate) fn range(&mut self, &StepRange { first, end, active, executed }: &StepRange) {
        self.steps(first, end, active, executed);
    }

    fn in_block(&mut self, block: u32, first: u32, end: u32, active: Mask, executed: Mask) {
        let at_start = self.blocks.get(block).is_some_and(|block| block.first == first);
        let continues = !at_start && self.current == (block, first, active);
        if !continues {
            self.enter(block, active, at_start);
        }
        self.current = (block, end, active);
        let piece = Piece { step: self.step, first, end, block, starts: at_start, active, executed };
        self.step = piece.end_step();
        let last = self.step - 1;
        let visit = self.visits.iter_mut().find(|visit| visit.waiting & active != 0);
        if let Some(visit) = visit {
            visit.step = last;
        }
        self.visitor.piece(&piece);
    }

    /// Lanes continue in a new visit. A visit that continues after a call is not an edge.
    fn enter(&mut self, block: u32, active: Mask, at_start: bool) {
        let mut groups = Vec::new();
        for visit in self.visits.iter_mut().filter(|visit| visit.waiting & active != 0) {
            let lanes = visit.waiting & active;
            visit.waiting &= !lanes;
            groups.push(lanes);
            if !at_start {
                continue;
            }
            self.visitor.edge(visit.block, block, lanes);
            match visit.continued.iter_mut().find(|(to, _)| *to == block) {
                Some((_, others)) => *others |= lanes,
                None => {
                    visit.continued.push((block, lanes));
                    if visit.continued.len() > 1 {
                        self.visitor.diverged(visit.step, visit.block, &visit.continued);
                    }
                }
            }
        }
        if groups.len() > 1 {
            self.visitor.reconverged(self.step, &groups);
        }
        self.visits.retain(|visit| visit.waiting != 0);
        self.visits.push(BlockVisit { block, step: self.step, waiting: active, continued: Vec::new() });
    }
}

impl<V: Visitor> StepSink for Walk<V> {
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let mut at = first;
        while at < end {
            let Some(number) = self.blocks.block_of(warplens_sim_warp::StatementId(at)) else { return };
            let Some(block) = self.blocks.get(number) else { return };
            let stop = block.end.min(end).max(at + 1);
            self.in_block(number, at, stop, active, executed);
            at = stop;
        }
    }
}
