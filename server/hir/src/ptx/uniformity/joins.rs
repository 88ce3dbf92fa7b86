//! Where diverged lanes with different histories join: the blocks in which their paths join, and the loops that they exit in
//! different iterations. What counts is every model of divergence that runs one group of a warp until it reconverges: the joins of
//! all of them, and the loops around a branch up to its reconvergence point under each.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Variance;
use crate::cfg::{BlockId, Cfg};
use crate::graph::{Dominance, DominatorTree, strong_components};
use crate::post_dominators::PostDominators;

/// A divergent branch, and the block at which its lanes wait for each other; `None` if they do not.
pub(super) type Region = (BlockId, Option<BlockId>);

pub(super) struct Joins<'f> {
    cfg: &'f Cfg,
    /// By block: its place in a reverse post-order; `None` if it is unreachable.
    order: Vec<Option<u32>>,
    dominators: DominatorTree<'f>,
    dominance: Dominance,
    /// The reconvergence points that a model may choose: the first are by the primary-end rule, the second are plain.
    models: Vec<PostDominators>,
    /// Whether the primary-end rule depends on which branches are uniform.
    has_choice: bool,
    is_irreducible: bool,
    /// By block: how much lanes that reach it together may have diverged before, and where.
    divergence: Vec<Option<(Variance, BlockId)>>,
    regions: FxHashMap<Region, RegionId>,
    loops: Vec<Loop>,
    /// By block: the regions whose loop it is in.
    inside: Vec<Vec<RegionId>>,
    /// By block: the number of the cycle that it is in, the largest one.
    cycles: Vec<Option<u32>>,
    /// By block: the regions that it is in, in one cycle with the branch, but not in its loop.
    repeated: Vec<Vec<Region>>,
    /// The blocks about which something new is known since they were taken.
    touched: Vec<BlockId>,
    cost: Cell<usize>,
}

/// The number of a region.
pub(super) type RegionId = u32;

/// The loop around a branch that lanes exit in different iterations, as far as it is in the region of the branch.
struct Loop {
    branch: BlockId,
    variance: Variance,
    /// Sorted.
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

    /// Whether some loop has two ways in. Reconvergence in it is not followed.
    pub(super) fn is_irreducible(&self) -> bool {
        self.is_irreducible
    }

    /// How much the lanes that reach a block together may have diverged before, and at which branch.
    pub(super) fn divergence(&self, block: BlockId) -> Option<(Variance, BlockId)> {
        self.divergence[block.index()]
    }

    /// The regions whose loop a value of `from` leaves that is used in `to`, with their branches.
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

    /// Whether a block is in the loop of this region.
    pub(super) fn in_loop(&self, region: RegionId, block: BlockId) -> bool {
        self.loops[region as usize].blocks.binary_search(&block).is_ok()
    }

    /// Forgets which branches part lanes.
    pub(super) fn forget(&mut self) {
        self.divergence.fill(None);
        self.regions.clear();
        self.loops.clear();
        self.inside.iter_mut().for_each(Vec::clear);
        self.repeated.iter_mut().for_each(Vec::clear);
    }

    /// The blocks about which something new is known since the last call.
    pub(super) fn take_touched(&mut self) -> Vec<BlockId> {
        std::mem::take(&mut self.touched)
    }

    /// Adds the reconvergence points that the primary-end rule gives for these uniform branches; `true` if they are new.
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

    /// Blocks looked at since the last call.
    pub(super) fn take_cost(&mut self) -> usize {
        self.cost.take()
    }

    /// Records that the branch at the end of a block diverges.
    pub(super) fn part(&mut self, branch: BlockId, variance: Variance) {
        for block in self.joined(branch) {
            let known = &mut self.divergence[block.index()];
            if known.is_none_or(|(known, _)| variance > known) {
                *known = Some((variance, branch));
                self.touched.push(block);
            }
        }
        // Lanes that reconverge in no block before they exit do not reconverge under the other models.
        let mut points = vec![self.models[0].immediate(branch)];
        for point in self.models[1..].iter().map(|model| model.immediate(branch)) {
            if point.is_some() && !points.contains(&point) {
                points.push(point);
            }
        }
        for point in points {
            self.part_region((branch, point), variance);
        }
    }

    /// Records that lanes take different paths through a region, and exit its loop, if there is one, in different iterations.
    fn part_region(&mut self, region: Region, variance: Variance) {
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

    /// A region in which lanes may skip a block that they, or others, reach in another iteration: lanes that reconverge after it
    /// hold different instances of its values. `to` is where such a value is used, `origin` the block that computes it again.
    pub(super) fn skipped(&self, block: BlockId, origin: BlockId, to: BlockId) -> Option<Region> {
        let is_skipped = |&(branch, reconvergence): &Region| {
            let Some(point) = reconvergence else { return false };
            // A path around a dominator starts below it.
            if self.dominance.dominates(block.0, to.0) && !self.dominance.dominates(block.0, point.0) {
                return false;
            }
            let skips = |next| self.reaches(next, point, &[block]);
            self.cfg.successors(branch).any(skips) && self.reaches(point, to, &[block, origin])
        };
        self.repeated[block.index()].iter().copied().find(is_skipped)
    }

    /// Whether a path leads to a block that passes none of some others before.
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

    /// Whether two blocks are in one cycle.
    pub(super) fn in_cycle(&self, block: BlockId, other: BlockId) -> bool {
        self.cycles[block.index()].is_some() && self.cycles[block.index()] == self.cycles[other.index()]
    }

    fn spend(&self, blocks: usize) {
        self.cost.set(self.cost.get() + blocks);
    }

    /// The blocks that lanes reach from two sides of a branch on ways that share no block before: under some model they
    /// join there. Each block is labelled with the first block that all ways from the branch to it pass, its dominator below
    /// the branch; the blocks that two labels reach are joins. (Karrenberg and Hack; LLVM does the same.)
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

    /// A branch and the blocks after it up to the first that is found to be on all paths to the others: no disjoint paths join after it.
    fn before_one_block(&self, branch: BlockId) -> FxHashSet<BlockId> {
        let mut seen = FxHashSet::from_iter([branch]);
        let mut open = BinaryHeap::new();
        let mut last = branch;
        loop {
            let new = self.cfg.successors(last).filter(|next| seen.insert(*next));
            open.extend(new.map(|next| Reverse((self.order[next.index()], next))));
            match open.pop() {
                Some(Reverse((_, block))) if !open.is_empty() => last = block,
                _ => return seen,
            }
        }
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

    /// The blocks of the loop around a branch that some of its sides leave: those of its region on paths back to it.
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

/// By block: the number of its strong component, if it has a cycle.
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

/// Whether some edge leads back to a block that does not dominate its start.
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
