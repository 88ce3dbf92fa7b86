//! Two runs, and their differences.

use ropey::Rope;
use schemars::JsonSchema;
use serde::Serialize;
use warplens_ide::TextSize;
use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::compare::{ComparedRun, Comparison, Equality, LaneDifference};
use warplens_ide::lanes::json::Position;
use warplens_sim_warp::{Cancelled, Control, RunResult, StatementId};

use crate::source::Source;

pub struct Run {
    /// The file, the kernel or the model, whichever differs from the other run.
    pub label: String,
    pub path: String,
    pub text: Rope,
    pub prepared: Prepared,
    pub result: RunResult,
}

pub struct Compared {
    pub runs: [Run; 2],
    pub comparison: Comparison,
    /// The first difference of a lane, if one kernel ran under two models.
    pub lane: Option<LaneDifference>,
    pub scope: Scope,
    /// Present if fusing products and sums was tried. If it makes the results equal, `comparison` is empty.
    pub contraction: Option<Contraction>,
    /// The random launches, if any were requested.
    pub drawn: Option<Drawn>,
}

/// The results if products and sums are fused, as PTX allows. Unfused, they differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contraction {
    /// Whether they are the same if all sums are fused that ptxas is known to fuse.
    pub fused: bool,
    /// Whether they are the same with another selection of fused sums.
    pub some_fused: bool,
    /// How many selections of sums were tried, besides none and all.
    pub tried: usize,
    /// The fused sums with which the results are the same.
    pub sums: Vec<FusedSum>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FusedSum {
    /// The kernel, 0 or 1.
    pub run: usize,
    pub at: Position,
    /// The statement.
    pub text: String,
}

/// The text of a statement on one line.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How results compare, in a word.
pub fn same_or_different(is_same: bool) -> &'static str {
    if is_same { "same" } else { "different" }
}

impl Contraction {
    pub fn is_equal(&self) -> bool {
        self.fused || self.some_fused
    }
}

/// Random variations of the given launch.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Drawn {
    pub seed: u64,
    pub requested: usize,
    /// Launches that were compared.
    pub compared: usize,
    /// Launches that were not compared because the first kernel does not run with them.
    pub discarded: usize,
    /// Launches that were not compared because the other kernel does not run with them.
    pub discarded_by_other: usize,
    /// Why the last launch was discarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Drawn {
    /// Why the result says nothing about other launches, if no drawn launch was compared.
    pub fn warning(&self) -> Option<String> {
        let reason = self.reason.as_deref().filter(|_| self.compared == 0)?;
        let discarded = self.discarded + self.discarded_by_other;
        Some(format!(
            "none of the {discarded} drawn launches counted, because the kernels do not run with them; the last one: {reason}"
        ))
    }
}

/// How much was compared, over all launches.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scope {
    pub launches: usize,
    pub buffers: usize,
    pub elements: usize,
}

pub const NOT_COMPARED: [&str; 2] = ["timing", "the order of atomics on floats"];

impl Scope {
    pub fn and(self, other: Scope) -> Scope {
        Scope {
            launches: self.launches + other.launches,
            buffers: self.buffers + other.buffers,
            elements: self.elements + other.elements,
        }
    }

    pub fn add(&mut self, prepared: &Prepared) {
        let (buffers, elements) = Comparison::extent(prepared);
        self.launches += 1;
        self.buffers += buffers;
        self.elements += elements;
    }
}

impl Run {
    pub fn new(source: &Source, prepared: Prepared, result: RunResult) -> Run {
        Run {
            label: source.path.clone(),
            path: source.path.clone(),
            text: Rope::from_str(&source.text),
            prepared,
            result,
        }
    }

    pub fn entry(&self) -> &str {
        self.prepared.resolved.launch.entry.as_deref().unwrap_or_default()
    }

    pub(super) fn compared(&self) -> ComparedRun<'_> {
        ComparedRun { prepared: &self.prepared, result: &self.result }
    }

    /// The position of a statement, in UTF-16 characters as in the protocol.
    pub fn position(&self, statement: StatementId) -> Option<Position> {
        let offset = self.prepared.statements.get(statement.index())?.opcode.start();
        Some(self.position_of(offset))
    }

    pub(super) fn position_of(&self, offset: TextSize) -> Position {
        let byte = usize::from(offset).min(self.text.len_bytes());
        let line = self.text.byte_to_line(byte);
        let utf16 = |char: usize| self.text.char_to_utf16_cu(char);
        let character = utf16(self.text.byte_to_char(byte)) - utf16(self.text.line_to_char(line));
        Position { line: line as u32, character: character as u32 }
    }
}

impl Compared {
    /// Compares the results of the kernels as they are written. `lane_bytes` is set for one kernel under two models: then the steps of a lane
    /// are also compared, using at most this many bytes.
    pub(super) fn new(
        runs: [Run; 2],
        equality: Equality,
        lane_bytes: Option<usize>,
        control: Control<'_>,
    ) -> Result<Compared, Cancelled> {
        let pair = [runs[0].compared(), runs[1].compared()];
        // Comparing the steps of a lane needs a run without workers.
        let control = Control { workers: None, ..control };
        let comparison = Comparison::of(pair, equality, control)?;
        let lane = match lane_bytes.filter(|_| !comparison.is_equal()) {
            Some(bytes) => LaneDifference::of(pair, &comparison, bytes, control)?,
            None => None,
        };
        let mut scope = Scope::default();
        if comparison.finished == [true; 2] {
            scope.add(&runs[0].prepared);
        }
        Ok(Compared { runs, comparison, lane, scope, contraction: None, drawn: None })
    }
}
