//! Program order of a function's blocks, and the instructions that the lanes of a warp execute collectively.

use warplens_hir::graph::{Graph, weak_order};

use crate::program::{Function, Guard, Op};

/// A weak topological order of a function's blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// In text order.
    blocks: Vec<Block>,
    /// The instructions that the lanes of a warp execute collectively, in text order.
    collectives: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    start: u32,
    end: u32,
    /// The block's rank in the order; an unreachable block comes last.
    rank: u32,
}

impl Order {
    pub(crate) fn new(function: &Function) -> Order {
        let end = function.code.len() as u32;
        let mut starts = vec![0];
        for pc in 0..end {
            if let Some(End { targets, .. }) = End::of(function, pc) {
                starts.push(pc + 1);
                starts.extend(targets);
            }
        }
        // Control may also reach the position one past the last instruction.
        starts.retain(|&start| start <= end);
        starts.sort_unstable();
        starts.dedup();
        let block_of = |pc: u32| starts.partition_point(|&start| start <= pc) as u32 - 1;
        let ends = starts.iter().skip(1).copied().chain([u32::MAX]);
        let mut blocks: Vec<Block> =
            starts.iter().zip(ends).map(|(&start, end)| Block { start, end, rank: u32::MAX }).collect();
        let mut edges = Vec::new();
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| block.start < end) {
            let last = block.end.min(end) - 1;
            let goes_on = End { targets: Vec::new(), falls_through: true };
            let exit = End::of(function, last).unwrap_or(goes_on);
            let next = exit.falls_through.then_some(last + 1);
            edges.extend(exit.targets.into_iter().chain(next).map(|to| (index as u32, block_of(to))));
        }
        let order = weak_order(&Graph::new(blocks.len(), &edges), 0);
        for (rank, ordered) in order.iter().enumerate() {
            blocks[ordered.node as usize].rank = rank as u32;
        }
        let collectives = (0..end).filter(|&pc| is_collective(function, pc)).collect();
        Order { blocks, collectives }
    }

    fn block(&self, pc: u32) -> &Block {
        &self.blocks[self.blocks.partition_point(|block| block.start <= pc) - 1]
    }

    pub(crate) fn rank(&self, pc: u32) -> u32 {
        self.block(pc).rank
    }

    /// The first collective instruction at or after `pc`.
    pub(crate) fn collective_from(&self, pc: u32) -> Option<u32> {
        self.collectives.get(self.collectives.partition_point(|&at| at < pc)).copied()
    }

    /// One past the last instruction of the block that contains `pc`.
    pub(crate) fn end(&self, pc: u32) -> u32 {
        self.block(pc).end
    }
}

fn is_collective(function: &Function, pc: u32) -> bool {
    let instruction = &function.code[pc as usize];
    match instruction.op {
        Op::Barrier(id) => function.tables[id].aligned,
        Op::WarpSync => true,
        op if op.is_of_whole_warp() => true,
        op => op.exchange().is_some_and(|id| function.tables[id].members.is_some()),
    }
}

/// The successors of the instruction that ends a block.
struct End {
    targets: Vec<u32>,
    falls_through: bool,
}

impl End {
    fn of(function: &Function, pc: u32) -> Option<End> {
        let instruction = &function.code[pc as usize];
        let targets = function.targets_of(instruction)?;
        Some(End { targets, falls_through: instruction.guard != Guard::ALWAYS })
    }
}
