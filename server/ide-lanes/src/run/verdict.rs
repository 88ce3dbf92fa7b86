//! The verdict on a run: what it found, and which evidence it lacks.

use std::fmt;

use schemars::JsonSchema;
use warplens_sim_warp::{Checks, Finding, FindingKind, RunResult, Severity, Status};

use super::coverage::Coverage;
use super::prepared::Prepared;
use crate::findings::Unexpected;

/// The findings of runs that ended before their kernel did, for a reason that says nothing about it.
pub(super) const LIMITS: [FindingKind; 3] =
    [FindingKind::StepLimit, FindingKind::MemoryLimit, FindingKind::Unsupported];

/// What a run says about its kernel. A run without findings counts only if nothing is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether there is an error, a warning, or an expectation that does not hold.
    pub(crate) found: bool,
    pub(crate) missing: Vec<Missing>,
}

pub const VERDICTS: [&str; 3] = ["clean", "findings", "incomplete"];

/// Evidence that a run lacks. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Missing {
    /// The run reached the limit of steps.
    StepLimit,
    /// The run, or its checks, reached a limit of memory.
    MemoryLimit,
    /// The run reached an instruction that is not supported.
    Unsupported,
    /// The run of an inferred launch ended before its kernel did, for a reason that the launch may have caused.
    StoppedEarly,
    /// Data races, uninitialized reads and divisions by zero were not looked for.
    ChecksOff,
    /// Elements of a buffer whose contents the launch does not give were never written.
    OutputsUnwritten,
    /// The launch has expectations, and the run ended before they could be compared.
    ExpectNotReached,
    /// The text has an error, so it is not assembled.
    TextErrors,
}

impl Missing {
    /// The name in JSON and in texts.
    pub fn name(self) -> &'static str {
        match self {
            Missing::StepLimit => "step-limit",
            Missing::MemoryLimit => "memory-limit",
            Missing::Unsupported => "unsupported",
            Missing::StoppedEarly => "stopped-early",
            Missing::ChecksOff => "checks-off",
            Missing::OutputsUnwritten => "outputs-unwritten",
            Missing::ExpectNotReached => "expect-not-reached",
            Missing::TextErrors => "text-errors",
        }
    }
}

impl Missing {
    /// What is missing, for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Missing::StepLimit => "the run reached the step limit",
            Missing::MemoryLimit => "the run or its checks reached a limit of memory",
            Missing::Unsupported => "the run reached an unsupported instruction",
            Missing::StoppedEarly => "the inferred launch stopped early, perhaps because of the guess",
            Missing::ChecksOff => "data races, uninitialized reads and divisions by zero were not looked for",
            Missing::OutputsUnwritten => "elements of an output were never written",
            Missing::ExpectNotReached => "the run ended before `expect` could be compared",
            Missing::TextErrors => "the text has an error, so it is not assembled: run `warplens check`",
        }
    }
}

impl Verdict {
    /// `clean`, `findings` or `incomplete`. Findings outweigh missing evidence.
    pub fn name(&self) -> &'static str {
        match (self.found, self.missing.is_empty()) {
            (true, _) => "findings",
            (false, false) => "incomplete",
            (false, true) => "clean",
        }
    }

    pub fn has_findings(&self) -> bool {
        self.found
    }

    pub fn is_incomplete(&self) -> bool {
        !self.found && !self.missing.is_empty()
    }

    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }
}

impl Prepared {
    /// The verdict on the run of this with its coverage. It does not meet the expectations in `unexpected`.
    pub fn verdict(&self, result: &RunResult, unexpected: &[Unexpected], coverage: &Coverage) -> Verdict {
        let found = !unexpected.is_empty() || result.findings.iter().any(|finding| self.accuses(finding));
        Verdict { found, missing: self.missing(result, coverage, found) }
    }

    /// Whether a finding is about the kernel, and neither information nor about a limit.
    pub(super) fn accuses(&self, finding: &Finding) -> bool {
        let is_broken = || finding.statement.is_some_and(|statement| self.broken.contains(&statement));
        match finding.severity {
            Severity::Error | Severity::Warning => !LIMITS.contains(&finding.kind) || is_broken(),
            Severity::Information => false,
        }
    }

    fn missing(&self, result: &RunResult, coverage: &Coverage, found: bool) -> Vec<Missing> {
        let finished = result.status == Status::Finished;
        let has = |kind| result.findings.iter().any(|finding| finding.kind == kind);
        let stopped_early = !finished && !found && !LIMITS.into_iter().any(has);
        let unwritten = coverage.buffers.iter().any(|buffer| buffer.missing > 0);
        let missing = [
            (Missing::StepLimit, result.status == Status::StepLimit),
            (Missing::MemoryLimit, has(FindingKind::MemoryLimit) || has(FindingKind::ShadowLimit)),
            (Missing::Unsupported, has(FindingKind::Unsupported)),
            (Missing::StoppedEarly, stopped_early),
            (Missing::ChecksOff, self.options.checks != Checks::ALL),
            (Missing::OutputsUnwritten, finished && unwritten),
            (Missing::ExpectNotReached, !finished && !self.resolved.launch.expect.is_empty()),
            (Missing::TextErrors, self.text_errors),
        ];
        missing.into_iter().filter(|(_, is_missing)| *is_missing).map(|(missing, _)| missing).collect()
    }
}

/// `incomplete (step-limit, checks-off)`
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing: Vec<&str> = self.missing.iter().map(|missing| missing.name()).collect();
        match missing.is_empty() {
            true => f.write_str(self.name()),
            false => write!(f, "{} ({})", self.name(), missing.join(", ")),
        }
    }
}
