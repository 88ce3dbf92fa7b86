//! The counts and findings of a run so far.

use rustc_hash::FxHashSet;

use super::launch::Launch;
use super::sanitizer::{Report, Sanitizer};
use crate::record::Recorder;
use crate::trace::{Finding, StatementId};

/// What makes a finding a new one, beside its code and its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FindingKey {
    /// What was found out about one warp.
    By([u32; 3], u32),
    /// What is true of the program whichever warp shows it: the other statement.
    With(Option<StatementId>),
}

/// What the run has counted and found so far.
pub(crate) struct RunState {
    /// Warp instructions.
    pub(crate) steps: u64,
    /// Where the next pause for the caller is due.
    pub(crate) pause_at: u64,
    /// Where the run is over at the latest.
    pub(crate) limit: u64,
    /// Whether all has been seen that the run was to request at.
    pub(crate) trace_complete: bool,
    pub(crate) findings: Vec<Finding>,
    /// Loads of what was never written, which are but the shadow of a race.
    pub(crate) raced: FxHashSet<StatementId>,
    /// Who looks at memory.
    pub(crate) sanitizer: Option<Box<Sanitizer>>,
    seen: FxHashSet<(&'static str, Option<StatementId>, FindingKey)>,
    max: usize,
}

impl RunState {
    pub(crate) fn new(launch: &Launch<'_>) -> RunState {
        let options = &launch.options;
        RunState {
            steps: 0,
            pause_at: 0,
            limit: options.limits.max_steps,
            trace_complete: false,
            findings: Vec::new(),
            raced: FxHashSet::default(),
            sanitizer: Sanitizer::new(launch.program, launch.grid, options),
            seen: FxHashSet::default(),
            max: options.limits.max_findings,
        }
    }

    /// All has been seen: the run is over at the next pause, which is now due.
    pub(crate) fn complete_trace(&mut self) {
        self.trace_complete = true;
        self.pause_at = 0;
    }

    /// What was found: without the loads that were only too early in a race that stands there too.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        let RunState { mut findings, raced, .. } = self;
        let is_consequence = |finding: &Finding| {
            finding.code == "uninitialized-read"
                && finding.statement.is_some_and(|statement| raced.contains(&statement))
        };
        findings.retain(|finding| !is_consequence(finding));
        findings
    }

    /// Takes over the results of the sanitizer at an instruction.
    #[inline]
    pub(crate) fn collect(
        &mut self,
        sanitizer: &mut Sanitizer,
        statement: StatementId,
        recorder: &mut Recorder,
    ) {
        let Report { cost, findings, raced } = sanitizer.take_report();
        if let Some(cost) = cost {
            recorder.cost(statement, &cost);
        }
        findings.drain(..).for_each(|finding| self.report(finding));
        self.raced.extend(raced.drain(..));
    }

    /// Keeps a finding: once for a statement of a warp, or for a pair of statements if it is the sanitizer's.
    pub(crate) fn report(&mut self, finding: Finding) {
        let seen = match Sanitizer::CODES.contains(&finding.code) {
            true => FindingKey::With(finding.related.first().map(|related| related.statement)),
            false => FindingKey::By(finding.cta, finding.warp),
        };
        let key = (finding.code, finding.statement, seen);
        if self.findings.len() < self.max && self.seen.insert(key) {
            self.findings.push(finding);
        }
    }
}
