//! Two runs, and their differences.

use ropey::Rope;
use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::compare::{ComparedRun, Comparison, Equality, LaneDifference};
use warplens_ide::lanes::report::Position;
use warplens_sim::{Cancelled, Control, RunResult, StatementId};

use crate::cli::launch::Source;
use crate::cli::outcome::Outcome;
use crate::position::{self, Encoding};

/// One of the two runs.
pub(super) struct Run {
    /// What distinguishes it from the other one: its file, kernel or model.
    pub(super) label: String,
    pub(super) path: String,
    pub(super) text: Rope,
    pub(super) prepared: Prepared,
    pub(super) result: RunResult,
}

/// The two runs and their differences.
pub(super) struct Compared {
    pub(super) runs: [Run; 2],
    pub(super) comparison: Comparison,
    /// Under two models, the first difference of a lane.
    pub(super) lane: Option<LaneDifference>,
    /// What was compared.
    pub(super) scope: Scope,
    /// The launches that were drawn, if they were.
    pub(super) drawn: Option<Drawn>,
}

/// The launches that were drawn.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    pub(super) seed: u64,
    pub(super) requested: usize,
    /// The launches that were drawn and not compared, because the first kernel does not run with them.
    pub(super) discarded: usize,
    /// The same because of the other kernel.
    pub(super) discarded_by_other: usize,
    /// Why the last launch was discarded.
    pub(super) reason: Option<String>,
}

/// What was compared: all launches together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) launches: usize,
    pub(super) buffers: usize,
    pub(super) elements: usize,
}

/// What is not compared.
pub(super) const NOT_COMPARED: [&str; 2] = ["timing", "the order of atomics on floats"];

impl Scope {
    /// Adds a launch.
    pub(super) fn add(&mut self, prepared: &Prepared) {
        let (buffers, elements) = Comparison::extent(prepared);
        self.launches += 1;
        self.buffers += buffers;
        self.elements += elements;
    }
}

impl Run {
    /// A run; the label is the path.
    pub(super) fn new(source: &Source, prepared: Prepared, result: RunResult) -> Run {
        Run {
            label: source.path.clone(),
            path: source.path.clone(),
            text: Rope::from_str(&source.text),
            prepared,
            result,
        }
    }

    /// The kernel.
    pub(super) fn entry(&self) -> &str {
        self.prepared.resolved.launch.entry.as_deref().unwrap_or_default()
    }

    fn compared(&self) -> ComparedRun<'_> {
        ComparedRun { prepared: &self.prepared, result: &self.result }
    }

    /// The position of a statement.
    pub(super) fn position(&self, statement: StatementId) -> Option<Position> {
        let offset = self.prepared.statements.get(statement.index())?.opcode.start();
        let at = position::position(&self.text, offset, Encoding::Utf16);
        Some(Position { line: at.line, character: at.character })
    }
}

impl Compared {
    /// Compares the results, and for one kernel the steps of a lane, which take at most `lane_bytes`.
    pub(super) fn new(
        runs: [Run; 2],
        equality: Equality,
        lane_bytes: Option<usize>,
    ) -> Result<Compared, Cancelled> {
        let pair = [runs[0].compared(), runs[1].compared()];
        let control = Control::none();
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

    pub(super) fn outcome(&self) -> Outcome {
        if self.comparison.is_equal() { Outcome::Success } else { Outcome::Errors }
    }
}
