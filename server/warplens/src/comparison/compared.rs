//! Two runs, and their differences.

use ropey::Rope;
use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::compare::{ComparedRun, Comparison, Equality, LaneDifference};
use warplens_ide::lanes::json::Position;
use warplens_sim::{Cancelled, Control, RunResult, StatementId};

use super::source::Source;
use warplens_protocol::position::{self, Encoding};

/// One of the two runs.
pub(crate) struct Run {
    /// What distinguishes it from the other one: its file, kernel or model.
    pub(crate) label: String,
    pub(crate) path: String,
    pub(crate) text: Rope,
    pub(crate) prepared: Prepared,
    pub(crate) result: RunResult,
}

/// The two runs and their differences.
pub(crate) struct Compared {
    pub(crate) runs: [Run; 2],
    pub(crate) comparison: Comparison,
    /// Under two models, the first difference of a lane.
    pub(crate) lane: Option<LaneDifference>,
    /// What was compared.
    pub(crate) scope: Scope,
    /// The launches that were drawn, if they were.
    pub(crate) drawn: Option<Drawn>,
}

/// The launches that were drawn.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    pub(crate) seed: u64,
    pub(crate) requested: usize,
    /// The launches that were drawn and not compared, because the first kernel does not run with them.
    pub(crate) discarded: usize,
    /// The same because of the other kernel.
    pub(crate) discarded_by_other: usize,
    /// Why the last launch was discarded.
    pub(crate) reason: Option<String>,
}

/// What was compared: all launches together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scope {
    pub(crate) launches: usize,
    pub(crate) buffers: usize,
    pub(crate) elements: usize,
}

/// What is not compared.
pub(crate) const NOT_COMPARED: [&str; 2] = ["timing", "the order of atomics on floats"];

impl Scope {
    /// Both together.
    pub(crate) fn and(self, other: Scope) -> Scope {
        Scope {
            launches: self.launches + other.launches,
            buffers: self.buffers + other.buffers,
            elements: self.elements + other.elements,
        }
    }

    /// Adds a launch.
    pub(crate) fn add(&mut self, prepared: &Prepared) {
        let (buffers, elements) = Comparison::extent(prepared);
        self.launches += 1;
        self.buffers += buffers;
        self.elements += elements;
    }
}

impl Run {
    /// A run; the label is the path.
    pub(crate) fn new(source: &Source, prepared: Prepared, result: RunResult) -> Run {
        Run {
            label: source.path.clone(),
            path: source.path.clone(),
            text: Rope::from_str(&source.text),
            prepared,
            result,
        }
    }

    /// The kernel.
    pub(crate) fn entry(&self) -> &str {
        self.prepared.resolved.launch.entry.as_deref().unwrap_or_default()
    }

    fn compared(&self) -> ComparedRun<'_> {
        ComparedRun { prepared: &self.prepared, result: &self.result }
    }

    /// The position of a statement.
    pub(crate) fn position(&self, statement: StatementId) -> Option<Position> {
        let offset = self.prepared.statements.get(statement.index())?.opcode.start();
        let at = position::position(&self.text, offset, Encoding::Utf16);
        Some(Position { line: at.line, character: at.character })
    }
}

impl Compared {
    /// Compares the results, and for one kernel the steps of a lane, which take at most `lane_bytes`.
    pub(crate) fn new(
        runs: [Run; 2],
        equality: Equality,
        lane_bytes: Option<usize>,
        control: Control<'_>,
    ) -> Result<Compared, Cancelled> {
        let pair = [runs[0].compared(), runs[1].compared()];
        // The steps of a lane need a run without workers.
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
        Ok(Compared { runs, comparison, lane, scope, drawn: None })
    }
}
