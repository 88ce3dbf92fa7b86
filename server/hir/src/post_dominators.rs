//! Where lanes that parted meet again: immediate post-dominators, by the rule for leaving lanes and by the textbook's.

mod primary;
#[cfg(test)]
mod tests;

use crate::cfg::{BlockEnd, BlockId, Cfg};
use crate::graph::{DominatorTree, Graph};

/// The immediate post-dominator of each block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostDominators {
    immediate: Box<[Option<BlockId>]>,
}

impl PostDominators {
    /// Lanes that leave hold nobody up: of the ends that lanes leave by, one is the primary end, and the others constrain
    /// nothing.
    ///
    /// The primary end is the `Leaves` block under which the most parting blocks meet again, those that `is_uniform` does
    /// not know to keep their lanes together counted first; if several are equal, the last in text. Meeting again means
    /// that at least two of the successors can reach the primary end, since then they can reach the immediate
    /// post-dominator too.
    ///
    /// Blocks from which the primary end cannot be reached are a graph of their own, in which the rule holds again; there
    /// a `Stops` block serves as the end if no `Leaves` block is left, and in a loop without end its last block does.
    pub fn leaving_lanes(cfg: &Cfg, is_uniform: impl Fn(BlockId) -> bool) -> PostDominators {
        let mut immediate = vec![None; cfg.blocks().len()];
        let mut left = cfg.reachable();
        let reversed = cfg.graph().reversed();
        let mut trees = DominatorTree::new(&reversed);
        let mut ends = primary::Ends::new(cfg, &left, is_uniform);
        while let Some(end) = ends.primary(&left) {
            for (block, dominator) in trees.from_root(end.0, |block| left[block as usize]) {
                immediate[block as usize] = dominator.map(BlockId);
                left[block as usize] = false;
            }
        }
        PostDominators { immediate: immediate.into() }
    }

    /// The plain rule: every lane that leaves, guarded or not, goes to one common end, which is no block. Where lanes can
    /// only meet there, there is no immediate post-dominator.
    pub fn textbook(cfg: &Cfg) -> PostDominators {
        let exit = cfg.blocks().len() as u32;
        let mut edges = Vec::new();
        for id in cfg.ids() {
            edges.extend(cfg.successors(id).map(|to| (to.0, id.0)));
            if cfg.block(id).end == BlockEnd::LeavesGuarded || cfg.successors(id).len() == 0 {
                edges.push((exit, id.0));
            }
        }
        let reversed = Graph::new(exit as usize + 1, &edges);
        let reachable = cfg.reachable();
        let mut immediate = vec![None; cfg.blocks().len()];
        let within = |block: u32| reachable[block as usize];
        for (block, dominator) in DominatorTree::new(&reversed).from_root(exit, within) {
            if block != exit {
                immediate[block as usize] = dominator.filter(|&block| block != exit).map(BlockId);
            }
        }
        PostDominators { immediate: immediate.into() }
    }

    /// Where lanes that part at the end of this block meet again; `None` if nowhere before they leave, and for blocks that
    /// control cannot come to.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate[block.index()]
    }
}
