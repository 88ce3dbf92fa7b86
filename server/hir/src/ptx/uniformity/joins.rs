//! Where diverged lanes with different histories join: the blocks in which their paths join, and the
//! loops that they leave in different rounds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Variance;
use crate::cfg::{BlockId, Cfg};
use crate::graph::DominatorTree;
use crate::post_dominators::PostDominators;

pub(super) struct Joins<'f> {
    cfg: &'f Cfg,
    /// By block: its place in a reverse post-order; `None` if it is unreachable.
    order: Vec<Option<u32>>,
    post_dominators: PostDominators,
    is_irreducible: bool,
    /// By block: how much lanes that reach it together may have diverged before, and where.
    divergence: FxHashMap<BlockId, (Variance, BlockId)>,
    /// By branch: the blocks of the loop around it that lanes exit there in different iterations.
    loops: FxHashMap<BlockId, (Variance, FxHashSet<BlockId>)>,
    /// By block: the branches of `loops` whose loop it is in.
    inside: FxHashMap<BlockId, Vec<BlockId>>,
    cost: usize,
}

impl<'f> Joins<'f> {
    pub(super) fn new(cfg: &'f Cfg) -> Joins<'f> {
        let order = reverse_post_order(cfg);
        Joins {
            cfg,
            post_dominators: PostDominators::by_primary_end(cfg, |_| false),
            is_irreducible: is_irreducible(cfg, &order),
            order,
            divergence: FxHashMap::default(),
            loops: FxHashMap::default(),
            inside: FxHashMap::default(),
            cost: 0,
        }
    }

    /// Whether some loop has two ways in. Reconvergence in it is not followed.
    pub(super) fn is_irreducible(&self) -> bool {
        self.is_irreducible
    }

    /// How much the lanes that reach a block together may have diverged before, and at which branch.
    pub(super) fn divergence(&self, block: BlockId) -> Option<(Variance, BlockId)> {
        self.divergence.get(&block).copied()
    }

    /// The branches that exit loops with a value of `from` that is used in `to`.
    pub(super) fn left(&self, from: BlockId, to: BlockId) -> impl Iterator<Item = (Variance, BlockId)> {
        let branches = self.inside.get(&from).into_iter().flatten();
        branches
            .filter(move |branch| !self.in_loop(**branch, to))
            .map(|branch| (self.loops[branch].0, *branch))
    }

    /// Whether a block is in the loop that this branch exits.
    pub(super) fn in_loop(&self, branch: BlockId, block: BlockId) -> bool {
        self.loops.get(&branch).is_some_and(|(_, blocks)| blocks.contains(&block))
    }

    /// Forgets which branches part lanes.
    pub(super) fn forget(&mut self) {
        self.divergence.clear();
        self.loops.clear();
        self.inside.clear();
    }

    /// Blocks looked at since the last call.
    pub(super) fn take_cost(&mut self) -> usize {
        std::mem::take(&mut self.cost)
    }

    /// Records that the branch at the end of a block diverges.
    pub(super) fn part(&mut self, branch: BlockId, variance: Variance) {
        for block in self.reconvergence_points(branch) {
            let known = self.divergence.entry(block).or_insert((variance, branch));
            if variance > known.0 {
                *known = (variance, branch);
            }
        }
        if let Some(known) = self.loops.get_mut(&branch) {
            known.0 = variance;
            return;
        }
        let blocks = self.loop_around(branch);
        for block in &blocks {
            self.inside.entry(*block).or_default().push(branch);
        }
        if !blocks.is_empty() {
            self.loops.insert(branch, (variance, blocks));
        }
    }

    /// The blocks that ways from two sides of a branch reach first. Each block is labelled with where its lanes were last
    /// together; a block that two labels reach is such a place itself. (Karrenberg and Hack; LLVM does the same.)
    fn reconvergence_points(&mut self, branch: BlockId) -> Vec<BlockId> {
        let reconvergence = self.post_dominators.immediate(branch);
        let mut labels: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        let mut found = FxHashSet::default();
        let mut open = BinaryHeap::new();
        let mut has_pending = false;
        for side in self.cfg.successors(branch) {
            labels.insert(side, side);
            if self.order[side.index()] > self.order[branch.index()] {
                open.push(Reverse((self.order[side.index()], side)));
            } else {
                has_pending = true;
            }
        }
        while let Some(Reverse((order, block))) = open.pop() {
            if Some(block) == reconvergence || (open.is_empty() && !has_pending) {
                continue;
            }
            self.cost += 1;
            let label = if found.contains(&block) { block } else { labels[&block] };
            for next in self.cfg.successors(block) {
                match labels.get(&next) {
                    None => {
                        labels.insert(next, label);
                        if self.order[next.index()] > order {
                            open.push(Reverse((self.order[next.index()], next)));
                        } else {
                            has_pending = true;
                        }
                    }
                    Some(have) if *have != label => {
                        found.insert(next);
                    }
                    Some(_) => {}
                }
            }
        }
        found.into_iter().collect()
    }

    /// The blocks of the loop around a branch that some of its sides leave: those between it and itself, on ways that do
    /// not pass the reconvergence point.
    fn loop_around(&mut self, branch: BlockId) -> FxHashSet<BlockId> {
        let reconvergence = self.post_dominators.immediate(branch);
        let mut forward = FxHashSet::default();
        let mut open: Vec<BlockId> = self.cfg.successors(branch).collect();
        while let Some(block) = open.pop() {
            if Some(block) != reconvergence && forward.insert(block) {
                open.extend(self.cfg.successors(block));
            }
        }
        self.cost += forward.len();
        let mut blocks = FxHashSet::default();
        if !forward.contains(&branch) {
            return blocks;
        }
        let mut open = vec![branch];
        while let Some(block) = open.pop() {
            if forward.contains(&block) && blocks.insert(block) {
                open.extend(self.cfg.predecessors(block));
            }
        }
        blocks
    }
}

fn reverse_post_order(cfg: &Cfg) -> Vec<Option<u32>> {
    let mut order = vec![None; cfg.blocks().len()];
    if order.is_empty() {
        return order;
    }
    let mut seen = vec![false; order.len()];
    let mut post = Vec::with_capacity(order.len());
    seen[0] = true;
    let mut open = vec![(BlockId(0), cfg.successors(BlockId(0)))];
    while let Some((block, successors)) = open.last_mut() {
        match successors.next() {
            Some(next) if !std::mem::replace(&mut seen[next.index()], true) => {
                open.push((next, cfg.successors(next)));
            }
            Some(_) => {}
            None => {
                post.push(*block);
                open.pop();
            }
        }
    }
    for (index, block) in post.iter().rev().enumerate() {
        order[block.index()] = Some(index as u32);
    }
    order
}

/// Whether some edge leads back to a block that does not dominate its start.
fn is_irreducible(cfg: &Cfg, order: &[Option<u32>]) -> bool {
    let edges = cfg.ids().flat_map(|from| cfg.successors(from).map(move |to| (from, to)));
    let reached = |block: BlockId| order[block.index()].is_some();
    let back: Vec<_> =
        edges.filter(|(from, to)| reached(*from) && order[to.index()] <= order[from.index()]).collect();
    if back.is_empty() {
        return false;
    }
    let mut above = vec![None; cfg.blocks().len()];
    for (block, dominator) in DominatorTree::new(cfg.graph()).from_root(0, |_| true) {
        above[block as usize] = dominator;
    }
    // A dominator comes before what it dominates, so the walk up can stop early.
    let dominates = |block: BlockId, mut below: BlockId| loop {
        if block == below {
            return true;
        }
        match above[below.index()] {
            Some(next) if order[next as usize] >= order[block.index()] => below = BlockId(next),
            _ => return false,
        }
    };
    back.into_iter().any(|(from, to)| !dominates(to, from))
}
