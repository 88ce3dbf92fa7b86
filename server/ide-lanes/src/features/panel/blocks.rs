//! The basic blocks of a program, its loops, and where branches reconverge.

use std::collections::BTreeSet;

use serde::Serialize;
use warplens_hir::graph::{Dominance, Graph};
use warplens_sim_warp::{ControlFlow, StatementId};

use crate::json::Positions;
use crate::program::Statement;

/// The lines of statements; zero-based, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Lines(u32, u32);

/// The basic blocks in program order.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) blocks: Vec<Block>,
    /// By statement.
    block_of: Vec<u32>,
    /// The edges of the program, whether they were taken or not.
    pub(crate) edges: Vec<(u32, u32)>,
    /// By statement, whether it waits for other warps.
    barriers: Vec<bool>,
}

/// A basic block: statements `first..end`.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) first: u32,
    pub(crate) end: u32,
    /// The header of the innermost loop around it.
    pub(crate) innermost_loop: Option<u32>,
    /// The block at which the lanes that diverge at its end reconverge.
    pub(crate) reconvergence: Option<u32>,
}

impl Blocks {
    pub(crate) fn new(statements: &[Statement], flow: &ControlFlow) -> Blocks {
        let count = statements.len() as u32;
        let mut firsts: BTreeSet<u32> = [0].into();
        firsts.extend(flow.starts.iter().map(|start| start.0));
        for end in &flow.ends {
            firsts.insert(end.statement.0 + 1);
            firsts.extend(end.targets.iter().map(|target| target.0));
        }
        let firsts: Vec<u32> = firsts.into_iter().filter(|first| *first < count).collect();
        let ends = firsts.iter().skip(1).copied().chain([count]);
        let mut block_of = Vec::with_capacity(statements.len());
        let blocks: Vec<Block> = firsts
            .iter()
            .zip(ends)
            .map(|(&first, end)| Block { first, end, innermost_loop: None, reconvergence: None })
            .collect();
        for (number, block) in (0..).zip(&blocks) {
            block_of.extend((block.first..block.end).map(|_| number));
        }
        let mut barriers = vec![false; statements.len()];
        for barrier in &flow.barriers {
            if let Some(is_barrier) = barriers.get_mut(barrier.index()) {
                *is_barrier = true;
            }
        }
        let mut all = Blocks { blocks, block_of, edges: Vec::new(), barriers };
        all.edges = all.static_edges(flow);
        all.find_loops(flow);
        for number in 0..all.blocks.len() {
            let last = statements.get((all.blocks[number].end as usize).wrapping_sub(1));
            let point = last.and_then(|last| last.flow.reconvergence());
            all.blocks[number].reconvergence = point.and_then(|point| all.block_of(point));
        }
        all
    }

    fn static_edges(&self, flow: &ControlFlow) -> Vec<(u32, u32)> {
        let starts: BTreeSet<u32> = flow.starts.iter().map(|start| start.0).collect();
        let mut edges = Vec::new();
        for (number, block) in (0..).zip(&self.blocks) {
            let last = StatementId(block.end.saturating_sub(1));
            let end = flow.ends.binary_search_by_key(&last, |end| end.statement);
            let end = end.ok().map(|at| &flow.ends[at]);
            let targets = end.into_iter().flat_map(|end| &end.targets);
            edges.extend(targets.filter_map(|target| Some((number, self.block_of(*target)?))));
            let falls = match end {
                Some(end) => end.continues,
                None => block.end < self.block_of.len() as u32,
            };
            // Control does not fall from one function into the next.
            let is_function = end.is_none() && starts.contains(&block.end) && self.is_entry(block.end, flow);
            if falls && !is_function && number + 1 < self.blocks.len() as u32 {
                edges.push((number, number + 1));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Whether control reaches a statement only as the start of a function.
    fn is_entry(&self, statement: u32, flow: &ControlFlow) -> bool {
        statement == 0 || flow.ends.iter().any(|end| end.statement.0 + 1 == statement && !end.continues)
    }

    /// Natural loops: the blocks from which a back edge is reached without passing the header.
    fn find_loops(&mut self, flow: &ControlFlow) {
        let count = self.blocks.len() as u32;
        let starts = flow.starts.iter().filter_map(|start| self.block_of(*start));
        let roots = starts.chain([0]).map(|start| (count, start));
        let edges: Vec<(u32, u32)> = self.edges.iter().copied().chain(roots).collect();
        let graph = Graph::new(count as usize + 1, &edges);
        let dominance = Dominance::new(&graph, count);
        let mut bodies: Vec<(u32, BTreeSet<u32>)> = Vec::new();
        for &(from, to) in &self.edges {
            if !dominance.dominates(to, from) {
                continue;
            }
            let mut body: BTreeSet<u32> = [to, from].into();
            let mut waiting = vec![from];
            while let Some(block) = waiting.pop().filter(|_| from != to) {
                let before = graph.predecessors(block).iter();
                waiting.extend(before.filter(|block| **block != count && body.insert(**block)));
            }
            match bodies.iter_mut().find(|(header, _)| *header == to) {
                Some((_, other)) => other.extend(body),
                None => bodies.push((to, body)),
            }
        }
        bodies.sort_by_key(|(_, body)| std::cmp::Reverse(body.len()));
        for (header, body) in bodies {
            for block in body {
                self.blocks[block as usize].innermost_loop = Some(header);
            }
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Block> {
        self.blocks.get(number as usize)
    }

    pub(crate) fn block_of(&self, statement: StatementId) -> Option<u32> {
        self.block_of.get(statement.index()).copied()
    }

    pub(crate) fn is_barrier(&self, statement: u32) -> bool {
        self.barriers.get(statement as usize).copied().unwrap_or_default()
    }

    /// The lines of a block; `None` if its statements were removed from the text.
    pub(crate) fn lines(&self, block: &Block, at: Positions<'_>) -> Option<Lines> {
        let mut lines =
            (block.first..block.end).filter_map(|statement| Some(at(StatementId(statement))?.line));
        let first = lines.next()?;
        Some(Lines(first, lines.next_back().unwrap_or(first)))
    }
}
