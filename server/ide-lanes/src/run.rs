//! A run as plain data: prepared by the database, executed on any thread.

use std::sync::Arc;

use text_size::TextSize;
use warplens_sim::launch::{Guess, Resolved};
use warplens_sim::{
    Cancelled, Checks, Control, Executable, Finding, Limits, RunOptions, RunResult, StatementId, Status,
    TraceRequest, Values, WarpId,
};

use crate::model::Model;
use crate::offer::Source;
use crate::report::PTX_WIDTH;
use crate::shown::{Ran, Shown};
use crate::simulator::Progressing;
use crate::statement::Statement;

/// The findings that end a run at a statement with an error.
const STOPS_AT_ERRORS: [&str; 2] = ["unsupported", "control-flow"];

/// A prepared run. Cheap to clone; any thread can execute it.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub program: Arc<dyn Executable>,
    pub resolved: Arc<Resolved>,
    pub source: Source,
    pub model: Model,
    pub options: RunOptions,
    pub statements: Arc<[Statement]>,
    /// The statements with errors in the text that stop a run.
    pub broken: Arc<[StatementId]>,
    /// What the launch is inferred from, if it is.
    pub guess: Option<Arc<Guess>>,
    /// What runs instead if this deadlocks, where no model is named.
    pub progressing: Option<Progressing>,
}

impl Prepared {
    /// Whether `other` would give the same result: the same program, launch, model and limits, and the same freedom to choose them. The positions of statements do
    /// not matter, so an edit of a comment or of the layout does not change a run.
    pub fn same_run(&self, other: &Prepared) -> bool {
        self.model == other.model
            && self.options == other.options
            && self.program.dyn_eq(&*other.program)
            && self.resolved.config == other.resolved.config
            // What may be run instead, and whether findings depend on a guess.
            && self.progressing.is_some() == other.progressing.is_some()
            && self.guess.is_some() == other.guess.is_some()
    }

    /// Whether a run ended at an error in the text, most likely because that line is being edited.
    pub fn stopped_at_error(&self, result: &RunResult) -> bool {
        let is_broken = |finding: &Finding| {
            STOPS_AT_ERRORS.contains(&finding.code)
                && finding.statement.is_some_and(|statement| self.broken.contains(&statement))
        };
        result.status != Status::Finished && result.findings.iter().any(is_broken)
    }

    /// Whether `other` runs the same kernel in the same way, whatever its text.
    pub fn same_launch(&self, other: &Prepared) -> bool {
        let (one, other_launch) = (&self.resolved.launch, &other.resolved.launch);
        self.model == other.model
            && (&one.name, &one.entry, one.grid, one.block)
                == (&other_launch.name, &other_launch.entry, other_launch.grid, other_launch.block)
    }

    /// Runs, on this thread.
    pub fn run(&self, control: Control<'_>) -> Result<RunResult, Cancelled> {
        self.program.run(self.resolved.config.clone(), &self.options, control)
    }

    /// Runs again on this thread to trace the registers of a warp. `None` if the run does not reach the warp.
    pub fn look(&self, look: TraceRequest, control: Control<'_>) -> Result<Option<Values>, Cancelled> {
        let limits = Limits { max_warps: 0, ..self.options.limits };
        let eager = self.options.eager;
        let checks = if look.notes { self.options.checks } else { Checks::default() };
        let options = RunOptions { limits, eager, checks, trace: Some(look), ..RunOptions::default() };
        let result = self.program.trace(self.resolved.config.clone(), &options, control)?;
        let notes = look.notes.then_some(result.notes);
        Ok(result.values.map(|values| Values { notes, ..values }))
    }

    /// The statement at an offset of the text.
    pub fn statement_at(&self, offset: TextSize) -> Option<StatementId> {
        let holds = |statement: &Statement| statement.range.contains_inclusive(offset);
        Some(StatementId(self.statements.iter().position(holds)? as u32))
    }

    /// Shows a result in the document as it was when this run was prepared. The result is of this run, or of an equal one.
    pub fn show(&self, result: Arc<RunResult>, warp: Option<WarpId>) -> Shown {
        let ran = Ran {
            resolved: Arc::clone(&self.resolved),
            source: self.source,
            model: self.model,
            broken: Arc::clone(&self.broken),
            program: Some(Arc::clone(&self.program)),
            has_notes: self.options.checks.races,
        };
        Shown::new(ran, &self.statements, result, warp)
    }

    /// Lanes of a full warp.
    pub fn width(&self) -> u32 {
        self.resolved.launch.wave_width.unwrap_or(PTX_WIDTH)
    }

    /// Blocks of the launch.
    pub fn grid(&self) -> [u32; 3] {
        self.resolved.config.grid
    }

    /// Warps of a block.
    pub fn warps(&self) -> u64 {
        self.resolved.config.warps()
    }
}
