//! Basic blocks and the edges between them, for any language whose lanes branch.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::graph::Graph;

/// The index of a basic block. Blocks are numbered in text order; block 0 is the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl BlockId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Instructions that run one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    /// The instructions, by number in text order. It is empty only in a function without instructions, and
    /// for the end of the text if control falls off it.
    pub instructions: Range<u32>,
    pub end: BlockEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockEnd {
    /// All lanes continue at the only successor.
    Continues,
    /// Lanes may diverge: a guarded branch, or a branch through a table.
    Diverges,
    /// Lanes whose guard is true exit here; the others continue at the only successor.
    ExitsGuarded,
    /// Lanes whose guard is true stop at a trap or at a call that does not return; the others continue at the
    /// only successor.
    TrapsGuarded,
    /// All lanes exit: a return, an exit, or the end of the text.
    Exits,
    /// All lanes stop at a trap or at a call that does not return.
    Traps,
    /// The target of the branch is unknown.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cfg {
    blocks: Box<[BasicBlock]>,
    graph: Graph,
}

impl Cfg {
    /// The first block is the entry. Edges keep this order; duplicates are dropped.
    pub fn new(blocks: Vec<BasicBlock>, edges: impl IntoIterator<Item = (BlockId, BlockId)>) -> Cfg {
        let mut seen = FxHashSet::default();
        let edges = edges.into_iter().map(|(from, to)| (from.0, to.0)).filter(|edge| seen.insert(*edge));
        let edges: Vec<(u32, u32)> = edges.collect();
        Cfg { graph: Graph::new(blocks.len(), &edges), blocks: blocks.into() }
    }

    pub fn blocks(&self) -> &[BasicBlock] {
        &self.blocks
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = BlockId> + DoubleEndedIterator + Clone + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    pub fn block(&self, id: BlockId) -> &BasicBlock {
        &self.blocks[id.index()]
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The successors without duplicates; the target of a guarded branch comes first.
    pub fn successors(&self, id: BlockId) -> impl ExactSizeIterator<Item = BlockId> + Clone {
        self.graph.successors(id.0).iter().map(|&id| BlockId(id))
    }

    /// The predecessors without duplicates.
    pub fn predecessors(&self, id: BlockId) -> impl ExactSizeIterator<Item = BlockId> + Clone {
        self.graph.predecessors(id.0).iter().map(|&id| BlockId(id))
    }

    pub fn block_of(&self, instruction: u32) -> BlockId {
        let after = self.blocks.partition_point(|block| block.instructions.start <= instruction);
        BlockId(after.saturating_sub(1) as u32)
    }

    /// For each block, whether it is reachable from the entry.
    pub fn reachable(&self) -> Vec<bool> {
        if self.blocks.is_empty() { Vec::new() } else { self.graph.reachable(0) }
    }
}
