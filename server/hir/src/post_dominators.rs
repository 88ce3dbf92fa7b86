//! Reconvergence points: immediate post-dominators, by the primary-end rule and by the plain (ipdom)
//! definition.

mod primary;
#[cfg(test)]
mod tests;

use crate::cfg::{BlockEnd, BlockId, Cfg};
use crate::graph::{DominatorTree, Graph};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostDominators {
    immediate: Box<[Option<BlockId>]>,
}

impl PostDominators {
    /// Lanes that exit do not hold up the others: one of the exits is the primary end, and the others
    /// constrain nothing.
    ///
    /// The primary end is the `Exits` block for which the most diverging blocks reconverge. Blocks that
    /// `is_uniform` does not prove uniform count first, and ties go to the last block in the text. A block
    /// reconverges if at least two of its successors can reach the primary end, because then they can also
    /// reach the immediate post-dominator.
    ///
    /// Blocks that cannot reach the primary end form a separate graph, to which the rule applies again.
    /// There, a `Traps` block is the end if no `Exits` block is left, and the end of an infinite loop is its
    /// last block.
    pub fn by_primary_end(cfg: &Cfg, is_uniform: impl Fn(BlockId) -> bool) -> PostDominators {
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

    /// The plain rule: every exit, guarded or not, leads to a common virtual end. Blocks whose lanes can only
    /// reconverge there have no immediate post-dominator.
    ///
    /// A trap stops the program, so no lane waits for lanes that reach one: traps lead to the end only if no
    /// exit is reachable.
    pub fn plain(cfg: &Cfg) -> PostDominators {
        let exit = cfg.blocks().len() as u32;
        let reachable = cfg.reachable();
        let traps = |id: BlockId| matches!(cfg.block(id).end, BlockEnd::Traps | BlockEnd::TrapsGuarded);
        let exits =
            |id: BlockId| cfg.block(id).end == BlockEnd::ExitsGuarded || cfg.successors(id).len() == 0;
        let only_traps = cfg.ids().filter(|id| reachable[id.index()]).all(|id| traps(id) || !exits(id));
        let mut edges = Vec::new();
        for id in cfg.ids() {
            edges.extend(cfg.successors(id).map(|to| (to.0, id.0)));
            if if traps(id) { only_traps } else { exits(id) } {
                edges.push((exit, id.0));
            }
        }
        let reversed = Graph::new(exit as usize + 1, &edges);
        let mut immediate = vec![None; cfg.blocks().len()];
        let within = |block: u32| reachable[block as usize];
        for (block, dominator) in DominatorTree::new(&reversed).from_root(exit, within) {
            if block != exit {
                immediate[block as usize] = dominator.filter(|&block| block != exit).map(BlockId);
            }
        }
        PostDominators { immediate: immediate.into() }
    }

    /// The reconvergence point of lanes that diverge at the end of this block. `None` if they do not reconverge
    /// before they exit, and for unreachable blocks.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate[block.index()]
    }
}
