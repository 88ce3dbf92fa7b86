//! Where lanes with different histories join: the blocks in which diverged paths join, and the loops that
//! lanes exit in different iterations. The result covers every divergence model that runs one group of a warp
//! until it reconverges: it has the joins of all models, and for each branch and model the loop around the
//! branch up to its reconvergence point.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Variance;
use crate::cfg::{BlockId, Cfg};
use crate::graph::{Dominance, DominatorTree, strong_components};
use crate::post_dominators::PostDominators;

/// A divergent branch, and the block at which its lanes wait for each other, if any.
pub(super) type Region = (BlockId, Option<BlockId>);

pub(super) struct Joins<'f> {
    cfg: &'f Cfg,
    /// The position of each block in reverse post-order; `None` if it is unreachable.
    order: Vec<Option<u32>>,
    dominators: DominatorTree<'f>,
    dominance: Dominance,
    /// The reconvergence points that a model may choose. The first entry is the primary-end rule, the second
    /// the plain rule.
    models: Vec<PostDominators>,
    /// Whether the primary-end rule depends on which branches are uniform.
    has_choice: bool,
    /// Whether some loop has two entries. Reconvergence in such a loop is not tracked.
    pub(super) is_irreducible: bool,
    /// For each block, how much lanes that reach it together may have diverged before, and at which branch.
    divergence: Vec<Option<(Variance, BlockId)>>,
    regions: FxHashMap<Region, RegionId>,
    loops: Vec<Loop>,
    /// For each block, the regions whose loop contains it.
    inside: Vec<Vec<RegionId>>,
    /// For each block, the number of the largest cycle that contains it.
    cycles: Vec<Option<u32>>,
    /// For each block, the regions that contain it and whose branch is in the same cycle, but whose loop does
    /// not contain it.
    repeated: Vec<Vec<Region>>,
    touched: Vec<BlockId>,
    cost: Cell<usize>,
}

pub(super) type RegionId = u32;

/// The loop around a branch that lanes exit in different iterations, limited to the region of the branch.
struct Loop {
    branch: BlockId,
    variance: Variance,
    /// Sorted, for binary search.
    blocks: Box<[BlockId]>,
}

impl<'f> Joins<'f> {
    pub(super) fn new(cfg: &'f Cfg) -> Joins<'f> {
        let order = reverse_post_order(cfg);
        let blocks = order.len();
        let dominance = Dominance::new(cfg.graph(), 0);
        let has_choice = Cell::new(false);
        let by_primary_end = PostDominators::by_primary_end(cfg, |_| {
            has_choice.set(true);
            false
        });
        Joins {
            cfg,
            dominators: DominatorTree::new(cfg.graph()),
            models: vec![by_primary_end, PostDominators::plain(cfg)],
            has_choice: has_choice.get(),
            is_irreducible: is_irreducible(cfg, &order, &dominance),
            dominance,
            order,
            divergence: vec![None; blocks],
            regions: FxHashMap::default(),
            loops: Vec::new(),
            inside: vec![Vec::new(); blocks],
            cycles: cycles(cfg),
            repeated: vec![Vec::new(); blocks],
            touched: Vec::new(),
            cost: Cell::new(0),
        }
    }

    /// How much lanes that reach a block together may have diverged before, and at which branch.
    pub(super) fn divergence(&self, block: BlockId) -> Option<(Variance, BlockId)> {
        self.divergence[block.index()]
    }

    /// The loops that a value leaves on the way from its definition in `from` to its use in `to`: their
    /// variances, branches and regions.
    pub(super) fn left(
        &self,
        from: BlockId,
        to: BlockId,
    ) -> impl Iterator<Item = (Variance, BlockId, RegionId)> {
        let regions = self.inside[from.index()].iter().filter(move |region| !self.in_loop(**region, to));
        regions.map(|&region| {
            let Loop { branch, variance, .. } = self.loops[region as usize];
            (variance, branch, region)
        })
    }

    pub(super) fn in_loop(&self, region: RegionId, block: BlockId) -> bool {
        self.loops[region as usize].blocks.binary_search(&block).is_ok()
    }

    pub(super) fn forget(&mut self) {
        self.divergence.fill(None);
        self.regions.clear();
        self.loops.clear();
        self.inside.iter_mut().for_each(Vec::clear);
        self.repeated.iter_mut().for_each(Vec::clear);
    }

    /// Adds the reconvergence points of the primary-end rule, given the uniform branches. Returns whether
    /// they are new.
    pub(super) fn add_model(&mut self, is_uniform: impl Fn(BlockId) -> bool) -> bool {
        if !self.has_choice {
            return false;
        }
        let model = PostDominators::by_primary_end(self.cfg, is_uniform);
        let is_new = !self.models.contains(&model);
        if is_new {
            self.models.push(model);
        }
        is_new
    }

    /// The number of blocks visited since the last call.
    pub(super) fn take_cost(&mut self) -> usize {
        self.cost.take()
    }

    /// Records that the branch at the end of a block diverges, and returns the blocks with new results.
    pub(super) fn diverge(&mut self, branch: BlockId, variance: Variance) -> Vec<BlockId> {
        for block in self.joined(branch) {
            let known = &mut self.divergence[block.index()];
            if known.is_none_or(|(known, _)| variance > known) {
                *known = Some((variance, branch));
                self.touched.push(block);
            }
        }
        // Another model without a reconvergence point adds nothing: lanes do not reconverge before they exit.
        let mut points = vec![self.models[0].immediate(branch)];
        for point in self.models[1..].iter().map(|model| model.immediate(branch)) {
            if point.is_some() && !points.contains(&point) {
                points.push(point);
            }
        }
        for point in points {
            self.add_region((branch, point), variance);
        }
        std::mem::take(&mut self.touched)
    }

    /// Records that lanes take different paths through a region, and exit its loop, if there is one, in
    /// different iterations.
    fn add_region(&mut self, region: Region, variance: Variance) {
        if let Some(known) = self.regions.get(&region) {
            let known = &mut self.loops[*known as usize];
            if variance > known.variance {
                known.variance = variance;
                self.touched.extend_from_slice(&known.blocks);
            }
            return;
        }
        let forward = self.region(region);
        let blocks = self.loop_around(region.0, &forward);
        for block in forward.iter().filter(|block| !blocks.contains(block)) {
            if self.in_cycle(region.0, *block) {
                self.repeated[block.index()].push(region);
                self.touched.push(*block);
            }
        }
        let id = self.loops.len() as RegionId;
        let mut blocks: Box<[BlockId]> = blocks.into_iter().collect();
        blocks.sort_unstable();
        blocks.iter().for_each(|block| self.inside[block.index()].push(id));
        self.touched.extend_from_slice(&blocks);
        self.regions.insert(region, id);
        self.loops.push(Loop { branch: region.0, variance, blocks });
    }

    /// A region in which some lanes skip `block` in one iteration but execute it in another, so that after it the
    /// lanes hold values of different iterations. Such a value is used in `to` and recomputed in `origin`.
    pub(super) fn skipped(&self, block: BlockId, origin: BlockId, to: BlockId) -> Option<Region> {
        let is_skipped = |&(branch, reconvergence): &Region| {
            let Some(point) = reconvergence else { return false };
            // A path around a dominator must start below it.
            if self.dominance.dominates(block.0, to.0) && !self.dominance.dominates(block.0, point.0) {
                return false;
            }
            let skips = |next| self.reaches(next, point, &[block]);
            self.cfg.successors(branch).any(skips) && self.reaches(point, to, &[block, origin])
        };
        self.repeated[block.index()].iter().copied().find(is_skipped)
    }

    /// Whether there is a path to a block that avoids all of `without` before it.
    fn reaches(&self, from: BlockId, to: BlockId, without: &[BlockId]) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            if block == to {
                return true;
            }
            if !without.contains(&block) && seen.insert(block) {
                open.extend(self.cfg.successors(block));
            }
        }
        self.spend(seen.len());
        false
    }

    pub(super) fn in_cycle(&self, block: BlockId, other: BlockId) -> bool {
        self.cycles[block.index()].is_some() && self.cycles[block.index()] == self.cycles[other.index()]
    }

    fn spend(&self, blocks: usize) {
        self.cost.set(self.cost.get() + blocks);
    }

    /// The blocks that lanes reach from two sides of a branch on disjoint paths, and where they therefore
    /// join under some model. Each block is labeled with the first block that all paths from the branch to it
    /// share, which is its dominator below the branch; a block that two labels reach is a join (Karrenberg
    /// and Hack; LLVM uses the same method).
    fn joined(&mut self, branch: BlockId) -> Vec<BlockId> {
        let before = self.before_one_block(branch);
        let tree = self.dominators.from_root(branch.0, |block| before.contains(&BlockId(block)));
        self.spend(tree.len());
        let mut labels: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        for &(block, dominator) in &tree {
            let dominator = dominator.map(BlockId).filter(|dominator| *dominator != branch);
            labels.insert(BlockId(block), dominator.map_or(BlockId(block), |dominator| labels[&dominator]));
        }
        let is_joined = |block: &BlockId| {
            let from = self.cfg.predecessors(*block).filter_map(|from| labels.get(&from));
            let mut from = from.filter(|label| *label != block);
            from.next().is_some_and(|first| from.any(|label| label != first))
        };
        tree.iter().skip(1).map(|&(block, _)| BlockId(block)).filter(is_joined).collect()
    }

    /// A branch and the blocks after it, up to the first block found to be on all paths to later ones. No
    /// disjoint paths join after that block, unless one of them leads back to a block before the branch that
    /// another has reached.
    fn before_one_block(&self, branch: BlockId) -> FxHashSet<BlockId> {
        let mut seen = FxHashSet::from_iter([branch]);
        let mut open = BinaryHeap::new();
        let mut last = branch;
        loop {
            let new = self.cfg.successors(last).filter(|next| seen.insert(*next));
            open.extend(new.map(|next| Reverse((self.order[next.index()], next))));
            match open.pop() {
                Some(Reverse((_, block))) if !open.is_empty() || self.leads_back(branch, block, &seen) => {
                    last = block
                }
                _ => return seen,
            }
        }
    }

    /// Whether paths after a block may join paths from a branch that have passed it by: at one of the `seen`
    /// blocks, which are before the branch in a loop around both. They do not if all lanes wait at the block.
    fn leads_back(&self, branch: BlockId, block: BlockId, seen: &FxHashSet<BlockId>) -> bool {
        let order = |block: BlockId| self.order[block.index()];
        self.in_cycle(branch, block)
            && self.models.iter().any(|model| model.immediate(branch) != Some(block))
            && seen.iter().any(|&before| order(before) < order(branch) && self.in_cycle(before, block))
    }

    /// The blocks that lanes reach from a branch before they reconverge.
    fn region(&self, (branch, reconvergence): Region) -> FxHashSet<BlockId> {
        let mut forward = FxHashSet::default();
        let mut open: Vec<BlockId> = self.cfg.successors(branch).collect();
        while let Some(block) = open.pop() {
            if Some(block) != reconvergence && forward.insert(block) {
                open.extend(self.cfg.successors(block));
            }
        }
        self.spend(forward.len());
        forward
    }

    /// The blocks of the loop around a branch that has exits on some of its sides: the blocks of its region
    /// on paths back to the branch.
    fn loop_around(&self, branch: BlockId, forward: &FxHashSet<BlockId>) -> FxHashSet<BlockId> {
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

/// For each block, the index of its strong component if that has a cycle.
fn cycles(cfg: &Cfg) -> Vec<Option<u32>> {
    let graph = cfg.graph();
    let blocks: Vec<u32> = (0..graph.len() as u32).collect();
    let mut cycles = vec![None; blocks.len()];
    let components = strong_components(&blocks, |block| graph.successors(block).iter().copied());
    for (number, component) in components.into_iter().enumerate() {
        let is_cycle = component.len() > 1 || graph.successors(component[0]).contains(&component[0]);
        for block in component.into_iter().filter(|_| is_cycle) {
            cycles[block as usize] = Some(number as u32);
        }
    }
    cycles
}

/// Whether some back edge leads to a block that does not dominate the start of the edge.
fn is_irreducible(cfg: &Cfg, order: &[Option<u32>], dominance: &Dominance) -> bool {
    let edges = cfg.ids().flat_map(|from| cfg.successors(from).map(move |to| (from, to)));
    let reached = |block: BlockId| order[block.index()].is_some();
    let back: Vec<_> =
        edges.filter(|(from, to)| reached(*from) && order[to.index()] <= order[from.index()]).collect();
    if back.is_empty() {
        return false;
    }
    back.into_iter().any(|(from, to)| !dominance.dominates(to.0, from.0))
}
