//! Chooses the primary end.

use crate::cfg::{BlockEnd, BlockId, Cfg};

/// A budget in block visits. Once it is spent, the last end in the text is chosen without counting; only
/// functions with thousands of ends get there.
const BUDGET: usize = 50_000_000;

pub(super) struct Ends<'c, F> {
    cfg: &'c Cfg,
    is_uniform: F,
    /// Exits, in text order.
    leaves: Vec<BlockId>,
    /// Other ends, in text order.
    stops: Vec<BlockId>,
    budget: usize,
}

impl<'c, F: Fn(BlockId) -> bool> Ends<'c, F> {
    pub(super) fn new(cfg: &'c Cfg, reachable: &[bool], is_uniform: F) -> Self {
        let of = |wanted: &dyn Fn(BlockEnd) -> bool| -> Vec<BlockId> {
            cfg.ids().filter(|&id| reachable[id.index()] && wanted(cfg.block(id).end)).collect()
        };
        Ends {
            cfg,
            is_uniform,
            leaves: of(&|end| end == BlockEnd::Exits),
            stops: of(&|end| matches!(end, BlockEnd::Traps | BlockEnd::Unknown)),
            budget: BUDGET,
        }
    }

    pub(super) fn primary(&mut self, left: &[bool]) -> Option<BlockId> {
        self.leaves.retain(|end| left[end.index()]);
        self.stops.retain(|end| left[end.index()]);
        self.best(left).or_else(|| self.stops.last().copied()).or_else(|| self.end_of_endless_loop(left))
    }

    fn best(&mut self, left: &[bool]) -> Option<BlockId> {
        let last = *self.leaves.last()?;
        let cost = (self.leaves.len() / 64 + 1) * left.len();
        if self.leaves.len() == 1 || cost > self.budget {
            return Some(last);
        }
        self.budget -= cost;
        let scores = self.leaves.chunks(64).flat_map(|batch| self.scores(batch, left));
        let best = self.leaves.iter().zip(scores).max_by_key(|&(end, score)| (score, *end));
        best.map(|(end, _)| *end)
    }

    /// For each of at most 64 ends, the number of diverging blocks with two successors that can reach it:
    /// first the blocks that are not proven uniform, then all.
    fn scores(&self, batch: &[BlockId], left: &[bool]) -> Vec<(u32, u32)> {
        let reaches = self.reaches(batch, left);
        let mut scores = vec![(0, 0); batch.len()];
        let diverging =
            self.cfg.ids().filter(|id| left[id.index()] && self.cfg.block(*id).end == BlockEnd::Diverges);
        for block in diverging {
            let (mut once, mut twice) = (0u64, 0u64);
            for next in self.cfg.successors(block) {
                twice |= once & reaches[next.index()];
                once |= reaches[next.index()];
            }
            let parts = u32::from(twice != 0 && !(self.is_uniform)(block));
            while twice != 0 {
                let (unproven, all) = &mut scores[twice.trailing_zeros() as usize];
                *unproven += parts;
                *all += 1;
                twice &= twice - 1;
            }
        }
        scores
    }

    /// For each block, a bit for each end of the batch that it can reach.
    fn reaches(&self, batch: &[BlockId], left: &[bool]) -> Vec<u64> {
        let mut reaches = vec![0u64; left.len()];
        let mut open = batch.to_vec();
        for (index, end) in batch.iter().enumerate() {
            reaches[end.index()] |= 1 << index;
        }
        while let Some(block) = open.pop() {
            for previous in self.cfg.predecessors(block).filter(|previous| left[previous.index()]) {
                let merged = reaches[previous.index()] | reaches[block.index()];
                if merged != reaches[previous.index()] {
                    reaches[previous.index()] = merged;
                    open.push(previous);
                }
            }
        }
        reaches
    }

    /// The last block of a loop that cannot be left. There is one, because no end is left and every path runs
    /// into such a loop.
    fn end_of_endless_loop(&self, left: &[bool]) -> Option<BlockId> {
        // Searching backwards from one block after the other, the last search that finds an unvisited block
        // starts in a strong component that has no edges out (Kosaraju). What that block reaches is the loop.
        let mut seen = vec![false; left.len()];
        let mut root = None;
        for id in self.cfg.ids().filter(|id| left[id.index()]) {
            let mut open = if seen[id.index()] { Vec::new() } else { vec![id] };
            root = if open.is_empty() { root } else { Some(id) };
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut seen[block.index()], true) {
                    open.extend(self.cfg.predecessors(block).filter(|previous| left[previous.index()]));
                }
            }
        }
        let within = self.cfg.graph().reachable(root?.0);
        self.cfg.ids().rev().find(|id| within[id.index()])
    }
}
