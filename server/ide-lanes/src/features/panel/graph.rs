//! The control-flow graph of a program with the paths of a warp.

use serde::Serialize;
use warplens_sim_warp::{Control, WarpId};

use super::blocks::Lines;
use super::error::PanelError;
use super::run::Panel;
use super::summary::{BlockCount, EdgeCount};
use crate::json::Positions;

/// The most blocks that are listed.
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
    visits: u64,
    steps: u64,
    /// Lanes over all visits.
    threads: u64,
    /// Lanes over all steps.
    active: u64,
    /// Visits that diverged.
    diverged: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct GraphEdge {
    from: u32,
    to: u32,
    threads: u64,
    diverged: u64,
}

impl Panel {
    /// The graph of the program with the visits of a warp.
    pub fn graph(&self, warp: WarpId, at: Positions<'_>, control: Control<'_>) -> Result<Graph, PanelError> {
        let history = self.history(warp, control)?;
        let summary = &history.summary;
        let blocks = self.blocks();
        let mut edges = summary.edges.clone();
        for edge in blocks.edges() {
            edges.entry(*edge).or_default();
        }
        let is_listed = |block: u32| (block as usize) < MAX_BLOCKS;
        let listed = edges.into_iter().filter(|((from, to), _)| is_listed(*from) && is_listed(*to));
        let counted = (0..).zip(blocks.all()).zip(&summary.blocks).take(MAX_BLOCKS);
        let reconverges = counted.clone().filter_map(|((number, block), count)| {
            let point = block.reconvergence.filter(|point| is_listed(*point))?;
            (count.diverged > 0).then_some((number, point))
        });
        Ok(Graph {
            cta: warp.cta,
            warp: warp.warp,
            steps: summary.steps,
            reconverges: reconverges.collect(),
            blocks: counted
                .map(|((_, block), count)| {
                    let BlockCount { visits, steps, threads, lane_steps: active, diverged } = *count;
                    GraphBlock { lines: blocks.lines(block, at), visits, steps, threads, active, diverged }
                })
                .collect(),
            edges: listed
                .map(|((from, to), EdgeCount { threads, diverged })| GraphEdge {
                    from,
                    to,
                    threads,
                    diverged,
                })
                .collect(),
            truncated: blocks.all().len() > MAX_BLOCKS,
        })
    }
}
