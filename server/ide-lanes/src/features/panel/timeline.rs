//! The time line: which lanes were active in each step of a warp.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use warplens_sim_warp::{Mask, WarpId, lane_iter};

use super::blocks::Lines;
use super::error::PanelError;
use super::history::History;
use super::repeats::Repeat;
use super::run::PanelQuery;
use super::summary::{Mark, MarkKind};
use super::walk::{Piece, Visitor};
use crate::json::hex;

/// The most columns of a page.
pub(super) const MAX_BINS: u64 = 2_000;

const MAX_BLOCKS: usize = 2_000;

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Page {
    pub from: u64,
    /// One past the last step; `None` for the end of the run.
    pub to: Option<u64>,
    /// The most columns, which the server limits.
    pub bins: Option<u64>,
    /// Whether only the first of many equal iterations is listed, where steps would be narrow.
    pub fold: bool,
}

/// The width of a step, in columns, from which on iterations are not folded.
const WIDE_STEP: u64 = 3;

/// A page of the time line.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Timeline {
    cta: [u32; 3],
    warp: u32,
    /// The lanes of a full warp.
    width: u32,
    /// The lanes that the launch started.
    launched: String,
    /// All steps of the warp.
    steps: u64,
    /// Active lanes over all steps.
    active: u64,
    from: u64,
    to: u64,
    blocks: Vec<TimelineBlock>,
    /// The visits of blocks in the page; empty if a column has several steps.
    runs: Vec<JsonRun>,
    /// Steps of a column, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    columns: Vec<JsonColumn>,
    /// Equal iterations, of which `runs` and `marks` have only the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Repeat>>"))]
    repeats: Vec<Repeat>,
    marks: Vec<JsonMark>,
    /// The average of active lanes over `overview_steps` steps each.
    overview: Vec<f64>,
    overview_steps: u64,
    /// By lane, the steps in which it was active.
    lanes: Vec<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    truncated: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct TimelineBlock {
    lines: Option<Lines>,
    /// The header of the innermost loop around it.
    #[serde(rename = "loop")]
    innermost_loop: Option<u32>,
}

/// A visit of a block.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Run"))]
struct JsonRun {
    step: u64,
    block: u32,
    /// Active and executed lanes, and the number of steps.
    masks: Vec<(String, String, u64)>,
}

/// Several steps, drawn as one column.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Column"))]
struct JsonColumn {
    /// The block with most of the steps.
    block: u32,
    /// A digit for each lane, lane 0 first: 0 if it was never active, f if it was always.
    share: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Mark", optional_fields))]
struct JsonMark {
    step: u64,
    kind: MarkKind,
    /// How many marks of a column are merged into this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<String>>"))]
    lanes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
}

impl PanelQuery<'_> {
    /// A page of the time line of the warp.
    pub fn timeline(&self, page: Page) -> Result<Timeline, PanelError> {
        let history = self.history()?;
        let summary = &history.summary;
        let to = page.to.unwrap_or(summary.steps).min(summary.steps);
        let from = page.from.min(to);
        let bins = page.bins.unwrap_or(MAX_BINS).clamp(1, MAX_BINS);
        let repeats = if page.fold { folded(&summary.repeats, from..to, bins) } else { Vec::new() };
        let column = if repeats.is_empty() { (to - from).div_ceil(bins).max(1) } else { 1 };
        let width = self.width();
        let (runs, columns) = if column == 1 {
            (self.runs(&history, from..to, repeats.clone())?, Vec::new())
        } else {
            (Vec::new(), self.columns(&history, from..to, column)?)
        };
        let marks = summary.marks.iter().filter(|mark| (from..to).contains(&mark.step));
        let marks = marks.filter(|mark| !is_hidden(&repeats, mark.step));
        let blocks = self.panel.blocks();
        let listed = blocks.blocks.iter().take(MAX_BLOCKS);
        let WarpId { cta, warp } = self.warp;
        let launched = self.panel.result.warp(cta, warp).map_or(0, |trace| trace.launched);
        Ok(Timeline {
            cta,
            warp,
            width,
            launched: hex(launched, width),
            steps: summary.steps,
            active: summary.active_lanes,
            from,
            to,
            blocks: listed
                .map(|block| TimelineBlock {
                    lines: blocks.lines(block, self.at),
                    innermost_loop: block.innermost_loop,
                })
                .collect(),
            runs,
            column: (column > 1).then_some(column),
            columns,
            marks: match column {
                1 => marks.map(|mark| mark.to_json(width)).collect(),
                _ => merged(marks, from, column),
            },
            repeats,
            overview: overview(summary.steps, &summary.overview, summary.overview_steps),
            overview_steps: summary.overview_steps,
            lanes: summary.lane_steps[..width as usize].to_vec(),
            truncated: summary.marks_truncated || blocks.blocks.len() > MAX_BLOCKS,
        })
    }

    fn runs(
        &self,
        history: &History,
        steps: Range<u64>,
        repeats: Vec<Repeat>,
    ) -> Result<Vec<JsonRun>, PanelError> {
        let width = self.width();
        let runs = Runs { steps: steps.clone(), repeats, width, end: 0, runs: Vec::new() };
        Ok(history.walk(steps, runs, self.control)?.runs)
    }

    fn columns(
        &self,
        history: &History,
        steps: Range<u64>,
        column: u64,
    ) -> Result<Vec<JsonColumn>, PanelError> {
        let columns = (steps.end - steps.start).div_ceil(column) as usize;
        let columns = vec![Column::default(); columns];
        let columns = Columns { steps: steps.clone(), column, columns };
        let columns = history.walk(steps.clone(), columns, self.control)?.columns;
        let width = self.width() as usize;
        let lengths = (0..).map(|index: u64| column.min(steps.end - steps.start - index * column));
        Ok(columns.iter().zip(lengths).map(|(column, steps)| column.to_json(steps, width)).collect())
    }
}

/// The repeats within a page, if steps are narrow without them and each has a column with them.
fn folded(repeats: &[Repeat], page: Range<u64>, bins: u64) -> Vec<Repeat> {
    let steps = page.end - page.start;
    let inside: Vec<Repeat> = repeats.iter().filter_map(|repeat| repeat.within(&page)).collect();
    let hidden: u64 = inside.iter().map(|repeat| repeat.hidden().end - repeat.hidden().start).sum();
    let is_folded = steps * WIDE_STEP > bins && steps - hidden <= bins;
    if is_folded { inside } else { Vec::new() }
}

/// Whether a step is in an iteration that is not listed.
fn is_hidden(repeats: &[Repeat], step: u64) -> bool {
    let after = repeats.partition_point(|repeat| repeat.steps().start <= step);
    after.checked_sub(1).is_some_and(|at| repeats[at].hidden().contains(&step))
}

/// Collects the block visits of a page.
struct Runs {
    steps: Range<u64>,
    repeats: Vec<Repeat>,
    width: u32,
    /// The end of the last piece.
    end: u64,
    runs: Vec<JsonRun>,
}

impl Visitor for Runs {
    fn piece(&mut self, piece: &Piece) {
        let (start, end) = (piece.step.max(self.steps.start), piece.end_step().min(self.steps.end));
        if start >= end || is_hidden(&self.repeats, piece.step) {
            return;
        }
        let masks = (hex(piece.active, self.width), hex(piece.executed, self.width), end - start);
        let continues = std::mem::replace(&mut self.end, end) == start && !piece.starts;
        let last = self.runs.last_mut().filter(|run| run.block == piece.block && continues);
        // A visit whose lanes change is another run.
        let last = last.filter(|run| run.masks.last().is_some_and(|(active, _, _)| *active == masks.0));
        match last {
            Some(run) => match run.masks.last_mut() {
                Some((active, executed, steps)) if (&*active, &*executed) == (&masks.0, &masks.1) => {
                    *steps += masks.2;
                }
                _ => run.masks.push(masks),
            },
            None => self.runs.push(JsonRun { step: start, block: piece.block, masks: vec![masks] }),
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Column {
    /// The steps in each block; a column has few blocks.
    blocks: Vec<(u32, u64)>,
    lanes: Vec<u64>,
}

/// Sums the steps of a page by column.
struct Columns {
    steps: Range<u64>,
    column: u64,
    columns: Vec<Column>,
}

impl Visitor for Columns {
    fn piece(&mut self, piece: &Piece) {
        let (mut step, end) = (piece.step.max(self.steps.start), piece.end_step().min(self.steps.end));
        while step < end {
            let index = (step - self.steps.start) / self.column;
            let stop = end.min(self.steps.start + (index + 1) * self.column);
            self.columns[index as usize].add(piece, stop - step);
            step = stop;
        }
    }
}

impl Column {
    fn add(&mut self, piece: &Piece, steps: u64) {
        match self.blocks.iter_mut().find(|(block, _)| *block == piece.block) {
            Some((_, sum)) => *sum += steps,
            None => self.blocks.push((piece.block, steps)),
        }
        self.lanes.resize(Mask::BITS as usize, 0);
        for lane in lane_iter::lanes(piece.active) {
            self.lanes[lane] += steps;
        }
    }

    fn to_json(&self, steps: u64, width: usize) -> JsonColumn {
        let block = self.blocks.iter().max_by_key(|(_, steps)| *steps).map_or(0, |(block, _)| *block);
        let digit = |lane: usize| {
            let active = self.lanes.get(lane).copied().unwrap_or_default();
            char::from_digit((active * 15).div_ceil(steps.max(1)).min(15) as u32, 16).unwrap_or('0')
        };
        JsonColumn { block, share: (0..width).map(digit).collect() }
    }
}

impl Mark {
    fn to_json(&self, width: u32) -> JsonMark {
        let lanes = self.lanes.iter().map(|lanes| hex(*lanes, width)).collect();
        JsonMark { step: self.step, kind: self.kind, count: None, lanes, code: self.code }
    }
}

fn merged<'m>(marks: impl Iterator<Item = &'m Mark>, from: u64, column: u64) -> Vec<JsonMark> {
    let mut merged: Vec<JsonMark> = Vec::new();
    for mark in marks {
        let index = (mark.step - from) / column;
        let same = |other: &&mut JsonMark| (other.step - from) / column == index && other.kind == mark.kind;
        match merged.iter_mut().rev().take(4).find(same) {
            Some(other) => other.count = other.count.map(|count| count + 1),
            None => merged.push(JsonMark {
                step: mark.step,
                kind: mark.kind,
                count: Some(1),
                lanes: Vec::new(),
                code: mark.code,
            }),
        }
    }
    merged
}

/// Averages, with three digits.
fn overview(steps: u64, sums: &[u64], each: u64) -> Vec<f64> {
    let length = |index: u64| each.min(steps - index * each).max(1);
    let average = |(index, sum): (u64, &u64)| (*sum as f64 / length(index) as f64 * 1000.0).round() / 1000.0;
    (0..).zip(sums).map(average).collect()
}
