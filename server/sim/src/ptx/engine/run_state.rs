//! The counters and findings of a run.

use rustc_hash::FxHashSet;

use super::launch::Launch;
use super::sanitizer::{Report, Sanitizer};
use crate::record::Recorder;
use crate::trace::{Finding, StatementId};
use crate::warp::races::remove_raced_reads;

/// What distinguishes findings with the same code and statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FindingKey {
    /// Findings about one warp: the warp.
    By([u32; 3], u32),
    /// Findings about the program: the other statement, whichever warp shows it.
    With(Option<StatementId>),
}

/// The state of a run that all its warps share.
pub(crate) struct RunState {
    /// Executed warp instructions.
    pub(crate) steps: u64,
    /// The step count at which the caller's control is due.
    pub(crate) pause_at: u64,
    /// The step limit.
    pub(crate) limit: u64,
    /// Whether the requested trace is complete.
    pub(crate) trace_complete: bool,
    pub(crate) findings: Vec<Finding>,
    /// Uninitialized loads that are only a consequence of a race.
    pub(crate) raced: FxHashSet<StatementId>,
    /// The sanitizer, if the run has one.
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

    /// Ends the run at the next pause, which is due now.
    pub(crate) fn complete_trace(&mut self) {
        self.trace_complete = true;
        self.pause_at = 0;
    }

    /// The findings, without uninitialized loads that only result from a reported race.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        let RunState { mut findings, raced, .. } = self;
        remove_raced_reads(&mut findings, &raced);
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
        if !findings.is_empty() || !raced.is_empty() {
            self.collect_findings(findings, raced);
        }
    }

    /// Most instructions have no findings: kept apart, so that they only test that.
    #[cold]
    fn collect_findings(&mut self, findings: &mut Vec<Finding>, raced: &mut Vec<StatementId>) {
        findings.drain(..).for_each(|finding| self.report(finding));
        self.raced.extend(raced.drain(..));
    }

    /// Adds a finding once per statement and warp, or once per pair of statements if it is the sanitizer's.
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
