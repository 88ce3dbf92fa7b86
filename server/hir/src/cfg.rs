//! Basic blocks and the edges between them, for any language whose lanes branch.

use std::ops::Range;

use crate::graph::Graph;

/// A basic block; numbered in text order, the first one is where the function starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Where the block stands in [`Cfg::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Instructions that run one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    /// The instructions, by number in text order. Empty only for the block of a function without instructions, and for
    /// the end that control falls off.
    pub instructions: Range<u32>,
    /// How it ends.
    pub end: BlockEnd,
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockEnd {
    /// All lanes go on to the one successor.
    Goes,
    /// Lanes may part: a guarded branch, or a branch through a table.
    Parts,
    /// Lanes whose guard is true leave here; the others go on to the one successor.
    LeavesGuarded,
    /// All lanes leave by a return or an exit, or because the text ends.
    Leaves,
    /// All lanes leave by a trap or a call that does not return.
    Stops,
    /// The branch leads nowhere: its target is not known.
    Lost,
}

/// The blocks of a function and the edges between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cfg {
    blocks: Box<[BasicBlock]>,
    graph: Graph,
}

impl Cfg {
    /// The entry block is the first. Edges are kept in this order, each once.
    pub fn new(blocks: Vec<BasicBlock>, edges: impl IntoIterator<Item = (BlockId, BlockId)>) -> Cfg {
        let mut seen = rustc_hash::FxHashSet::default();
        let edges = edges.into_iter().map(|(from, to)| (from.0, to.0));
        let edges: Vec<_> = edges.filter(|&edge| seen.insert(edge)).collect();
        Cfg { graph: Graph::new(blocks.len(), &edges), blocks: blocks.into() }
    }

    /// The blocks in text order.
    pub fn blocks(&self) -> &[BasicBlock] {
        &self.blocks
    }

    /// The ids of the blocks in text order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = BlockId> + DoubleEndedIterator + Clone + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// One block.
    pub fn block(&self, id: BlockId) -> &BasicBlock {
        &self.blocks[id.index()]
    }

    /// The blocks and their edges as a plain graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Where control may go after a block, each once; of a guarded branch the target comes first.
    pub fn successors(&self, id: BlockId) -> impl ExactSizeIterator<Item = BlockId> + Clone {
        self.graph.successors(id.0).iter().map(|&id| BlockId(id))
    }

    /// Where control may come from.
    pub fn predecessors(&self, id: BlockId) -> impl ExactSizeIterator<Item = BlockId> + Clone {
        self.graph.predecessors(id.0).iter().map(|&id| BlockId(id))
    }

    /// The block that holds an instruction.
    pub fn block_of(&self, instruction: u32) -> BlockId {
        let after = self.blocks.partition_point(|block| block.instructions.start <= instruction);
        BlockId(after.saturating_sub(1) as u32)
    }

    /// Which blocks control can come to.
    pub fn reachable(&self) -> Vec<bool> {
        if self.blocks.is_empty() { Vec::new() } else { self.graph.reachable(0) }
    }
}
