//! Two runs, and their differences.

use ropey::Rope;
use warplens_ide::lanes::Prepared;
use warplens_ide::lanes::compare::{ComparedRun, Comparison, LaneDifference};
use warplens_ide::lanes::report::Position;
use warplens_sim::{Cancelled, Control, RunResult, StatementId};

use crate::cli::launch::{LaunchError, Source};
use crate::cli::outcome::Outcome;
use crate::cores::Cores;
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
}

impl Run {
    /// Runs; the label is the path.
    pub(super) fn new(source: &Source, prepared: Prepared) -> Result<Run, LaunchError> {
        let cores = Cores::all();
        let control = Control { workers: Some(&cores), ..Control::none() };
        let (prepared, result) = prepared.settle(control).map_err(|Cancelled| LaunchError::Cancelled)?;
        Ok(Run {
            label: source.path.clone(),
            path: source.path.clone(),
            text: Rope::from_str(&source.text),
            prepared,
            result,
        })
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
        tolerance: f64,
        lane_bytes: Option<usize>,
    ) -> Result<Compared, Cancelled> {
        let pair = [runs[0].compared(), runs[1].compared()];
        let control = Control::none();
        let comparison = Comparison::of(pair, tolerance, control)?;
        let lane = match lane_bytes.filter(|_| !comparison.is_equal()) {
            Some(bytes) => LaneDifference::of(pair, &comparison, bytes, control)?,
            None => None,
        };
        Ok(Compared { runs, comparison, lane })
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.comparison.is_equal() { Outcome::Success } else { Outcome::Errors }
    }
}
