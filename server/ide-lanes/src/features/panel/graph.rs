//! The control-flow graph of a program with the paths of a warp.

use serde::Serialize;

use super::blocks::Lines;
use super::error::PanelError;
use super::run::PanelQuery;
use super::summary::{BlockCount, EdgeCount};

const MAX_BLOCKS: usize = 2_000;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Graph {
    cta: [u32; 3],
    warp: u32,
    steps: u64,
    blocks: Vec<GraphBlock>,
    edges: Vec<GraphEdge>,
    /// The block of a branch at which lanes diverged, and the block at which they reconverge.
    reconverges: Vec<(u32, u32)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    truncated: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct GraphBlock {
    lines: Option<Lines>,
    #[serde(flatten)]
    count: BlockCount,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct GraphEdge {
    from: u32,
    to: u32,
    #[serde(flatten)]
    count: EdgeCount,
}

impl PanelQuery<'_> {
    /// The graph of the program with the visits of the warp.
    pub fn graph(&self) -> Result<Graph, PanelError> {
        let history = self.history()?;
        let summary = &history.summary;
        let blocks = self.panel.blocks();
        let mut edges = summary.edges.clone();
        for edge in &blocks.edges {
            edges.entry(*edge).or_default();
        }
        let is_listed = |block: u32| (block as usize) < MAX_BLOCKS;
        let listed = edges.into_iter().filter(|((from, to), _)| is_listed(*from) && is_listed(*to));
        let counted = (0..).zip(&blocks.blocks).zip(&summary.blocks).take(MAX_BLOCKS);
        let reconverges = counted.clone().filter_map(|((number, block), count)| {
            let point = block.reconvergence.filter(|point| is_listed(*point))?;
            (count.diverged > 0).then_some((number, point))
        });
        Ok(Graph {
            cta: self.warp.cta,
            warp: self.warp.warp,
            steps: summary.steps,
            reconverges: reconverges.collect(),
            blocks: counted
                .map(|((_, block), count)| GraphBlock { lines: blocks.lines(block, self.at), count: *count })
                .collect(),
            edges: listed.map(|((from, to), count)| GraphEdge { from, to, count }).collect(),
            truncated: blocks.blocks.len() > MAX_BLOCKS,
        })
    }
}
