//! A launch that was run, with its input.

use std::ops::Range;
use std::sync::Arc;

use ropey::Rope;
use text_size::TextSize;
use warplens_ide::lanes::json::{Options, Position};
use warplens_ide::lanes::{Prepared, Steps, Unexpected};
use warplens_sim_launch::PlacedBuffer;
use warplens_sim_warp::{Finding, RunResult, Severity, StatementId, Status, WarpId};

use crate::cli::outcome::Outcome;
use warplens_protocol::position::{self, Encoding};

pub(super) struct Simulated {
    pub(super) path: String,
    pub(super) text: Rope,
    pub(super) prepared: Prepared,
    pub(super) result: Arc<RunResult>,
    pub(super) dump: Vec<PlacedBuffer>,
    /// Failed checks of the launch.
    pub(super) failures: Vec<Unexpected>,
    /// The lines of other kernels and functions, which are not listed.
    pub(super) hidden: Vec<Range<usize>>,
    /// The steps of a warp, if they were requested.
    pub(super) steps: Option<Steps>,
}

impl Simulated {
    pub(super) fn outcome(&self) -> Outcome {
        let failed = matches!(self.result.status, Status::Faulted | Status::NoProgress);
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        match failed || !self.failures.is_empty() || self.result.findings.iter().any(is_error) {
            true => Outcome::Errors,
            false => Outcome::Success,
        }
    }

    /// The warp of the first error, or else the first warp.
    pub(super) fn interesting_warp(&self) -> WarpId {
        let errors = self.result.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let warps = errors.map(|finding| WarpId { cta: finding.cta, warp: finding.warp });
        let mut warps = warps.filter(|warp| self.result.warp(warp.cta, warp.warp).is_some());
        warps.next().unwrap_or(WarpId { cta: [0; 3], warp: 0 })
    }

    pub(super) fn position(&self, statement: StatementId) -> Option<Position> {
        let offset: TextSize = self.prepared.statements.get(statement.index())?.opcode.start();
        let at = position::position(&self.text, offset, Encoding::Utf16);
        Some(Position { line: at.line, character: at.character })
    }

    pub(super) fn report_options(&self, warp: Option<WarpId>) -> Options<'_> {
        Options {
            model: self.prepared.model.name(),
            dump: &self.dump,
            warp,
            statements: &self.prepared.statements,
            failures: &self.failures,
        }
    }
}

/// The failed checks of the launch. They compare the final memory, so they need a run that finished.
pub(super) fn failures(prepared: &Prepared, result: &RunResult) -> Vec<Unexpected> {
    match result.status {
        Status::Finished => Unexpected::of(&prepared.resolved, result),
        _ => not_checked(prepared, result.status).map(Unexpected::not_compared).into_iter().collect(),
    }
}

/// Why the checks of a launch were not made.
fn not_checked(prepared: &Prepared, status: Status) -> Option<&'static str> {
    match status {
        _ if prepared.resolved.launch.expect.is_empty() => None,
        Status::StepLimit => Some("not checked: the run stopped at the step limit (--max-steps)"),
        _ => Some("not checked: the run did not finish"),
    }
}
