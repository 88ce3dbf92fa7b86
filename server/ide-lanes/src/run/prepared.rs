//! A prepared run: plain data that any thread can execute.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::TextSize;
use warplens_sim_launch::{Guess, Launch, Resolved};
use warplens_sim_warp::{
    Cancelled, Checks, Control, Executable, Finding, FindingKind, LaunchConfig, Limits, RunOptions,
    RunResult, StatementId, Status, TraceRequest, Values, WarpId,
};

use crate::launches::LaunchSource;
use crate::program::Statement;
use crate::simulator::{Model, Progressing};

/// Lanes of a warp of NVIDIA's GPUs.
const WARP_WIDTH: u32 = 32;

/// Lanes of a full warp of a launch.
pub(crate) fn warp_width(launch: &Launch) -> u32 {
    launch.wave_width.unwrap_or(WARP_WIDTH)
}

/// The findings with which a run ends at a statement that has an error.
const STOPS_AT_ERRORS: [FindingKind; 2] = [FindingKind::Unsupported, FindingKind::ControlFlow];

/// A prepared run. Cheap to clone; any thread can execute it.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub program: Arc<dyn Executable>,
    pub resolved: Arc<Resolved>,
    pub source: LaunchSource,
    /// The names of the configured launches, if one of them was selected.
    pub names: Arc<[String]>,
    pub model: Model,
    pub options: RunOptions,
    pub statements: Arc<[Statement]>,
    /// The statements at which a run stops because the text has an error there.
    pub broken: Arc<[StatementId]>,
    /// Whether the text is known to have an error anywhere, so that no assembler accepts it.
    pub text_errors: bool,
    /// Which threads the kernel lets work together, if a launch with one warp or one block hides their races.
    pub(crate) cooperation: Cooperation,
    /// The buffers of a written launch that the kernel may store to, and whose contents the launch does not give.
    pub(crate) outputs: Arc<[SmolStr]>,
    /// What an inferred launch is inferred from.
    pub guess: Option<Arc<Guess>>,
    /// Runs instead if this deadlocks; `None` if a model is named.
    pub progressing: Option<Progressing>,
}

/// Which threads of a kernel work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cooperation {
    /// Warps of a block, through shared memory and barriers.
    pub(crate) warps: bool,
    pub(crate) blocks: bool,
}

impl Cooperation {
    /// Why a launch cannot show some races of the kernel.
    pub(crate) fn unseen(self, config: &LaunchConfig) -> Option<&'static str> {
        match () {
            () if self.warps && config.warps() == 1 => Some("one warp: no race between warps can occur"),
            () if self.blocks && config.grid == [1; 3] => Some("one block: no race between blocks can occur"),
            () => None,
        }
    }
}

impl Prepared {
    /// Whether `other` would give the same result. The positions of statements do not matter, so an edit of a comment or of the
    /// layout does not start another run.
    pub fn same_run(&self, other: &Prepared) -> bool {
        self.model == other.model
            && self.options == other.options
            && self.program.dyn_eq(&*other.program)
            && self.resolved.starts_as(&other.resolved)
            && self.resolved.launch.expects_as(&other.resolved.launch)
            // These decide whether another model or launch may run instead.
            && self.progressing.is_some() == other.progressing.is_some()
            && self.guess.is_some() == other.guess.is_some()
    }

    /// Whether a run stopped at an error in the text, most likely because that line is being edited.
    pub fn stopped_at_error(&self, result: &RunResult) -> bool {
        let is_broken = |finding: &Finding| {
            STOPS_AT_ERRORS.contains(&finding.kind)
                && finding.statement.is_some_and(|statement| self.broken.contains(&statement))
        };
        result.status != Status::Finished && result.findings.iter().any(is_broken)
    }

    /// Whether `other` is the same launch under the same model, whatever the kernel's text.
    pub fn same_launch(&self, other: &Prepared) -> bool {
        let (one, other_launch) = (&self.resolved.launch, &other.resolved.launch);
        self.model == other.model
            && (&one.name, &one.entry, one.grid, one.block)
                == (&other_launch.name, &other_launch.entry, other_launch.grid, other_launch.block)
    }

    /// Runs on this thread.
    pub fn run(&self, control: Control<'_>) -> Result<RunResult, Cancelled> {
        self.program.run(self.resolved.start(control.cancelled)?, &self.options, control)
    }

    /// Runs again, without comparison with another model, for what `options` request; records no warps.
    pub(crate) fn again(&self, options: RunOptions, control: Control<'_>) -> Result<RunResult, Cancelled> {
        let limits = Limits { max_warps: 0, ..self.options.limits };
        self.repeated(RunOptions { limits, ..options }, control)
    }

    /// Runs again on this thread, and lists as many warps as the run did.
    pub(crate) fn again_with_warps(
        &self,
        options: RunOptions,
        control: Control<'_>,
    ) -> Result<RunResult, Cancelled> {
        self.repeated(RunOptions { limits: self.options.limits, ..options }, control)
    }

    /// Runs in the order of the run.
    fn repeated(&self, options: RunOptions, control: Control<'_>) -> Result<RunResult, Cancelled> {
        let RunOptions { eager, schedule, .. } = self.options;
        let options = RunOptions { eager, schedule, ..options };
        self.program.trace(self.resolved.start(control.cancelled)?, &options, control)
    }

    /// Runs again on this thread to trace the registers of a warp. `None` if the run does not reach the warp.
    pub fn trace_warp(
        &self,
        request: TraceRequest,
        control: Control<'_>,
    ) -> Result<Option<Values>, Cancelled> {
        let checks = if request.notes { self.options.checks } else { Checks::default() };
        let options = RunOptions { checks, trace: Some(request), ..RunOptions::default() };
        let result = self.again(options, control)?;
        let notes = request.notes.then_some(result.notes);
        Ok(result.values.map(|values| Values { notes, ..values }))
    }

    pub fn statement_at(&self, offset: TextSize) -> Option<StatementId> {
        let holds = |statement: &Statement| statement.range.contains_inclusive(offset);
        Some(StatementId(self.statements.iter().position(holds)? as u32))
    }

    /// Lanes of a full warp.
    pub fn width(&self) -> u32 {
        warp_width(&self.resolved.launch)
    }

    /// Blocks of the launch.
    pub fn grid(&self) -> [u32; 3] {
        self.resolved.config.grid
    }

    /// Warps of a block.
    pub fn warps(&self) -> u64 {
        self.resolved.config.warps()
    }

    /// Whether the launch has a warp. A repaired launch may have others.
    pub fn has_warp(&self, WarpId { cta, warp }: WarpId) -> bool {
        cta.iter().zip(self.grid()).all(|(at, size)| *at < size) && u64::from(warp) < self.warps()
    }
}
