//! The counters and findings of a run.

use rustc_hash::FxHashSet;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::findings::with_titles;
use warplens_sim_warp::order_log::OrderLog;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::schedule::Scheduler;
use warplens_sim_warp::trace::{Finding, RunOptions, Severity, StatementId};

use super::further_faults::FurtherFaults;
use super::race_context::RaceContext;
use super::sanitizer::Sanitizer;
use super::sanitizer::report::Report;

/// What distinguishes findings of one kind at one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FindingKey {
    /// Findings about a warp: the warp.
    By([u32; 3], u32),
    /// Findings about the program: the other statement, whichever warp shows the problem.
    With(Option<StatementId>),
}

#[derive(Default)]
pub struct RunState {
    pub steps: u64,
    /// Further steps that expensive statements count as.
    pub charged: u64,
    /// Work that is less than a step, and not charged yet.
    pub(crate) uncharged: u64,
    /// The step count at which the caller's control is due.
    pub pause_at: u64,
    /// The step count at which the running cluster lets others run, even if it could continue.
    pub turn_end: u64,
    /// The run ends when `steps` reaches this: the step limit less what was charged.
    pub limit: u64,
    pub trace_complete: bool,
    pub findings: Vec<Finding>,
    pub races: RaceContext,
    pub sanitizer: Option<Box<Sanitizer>>,
    /// Whether the run goes on after a fault; then only further faults are reported.
    pub further: Option<Box<FurtherFaults>>,
    /// Decides who runs next; `None` in the default order.
    pub scheduler: Option<Box<Scheduler>>,
    /// Records the reads whose values depend on the order, if requested.
    pub order_log: Option<Box<OrderLog>>,
    seen: FxHashSet<(FindingKind, Option<StatementId>, FindingKey)>,
    max: usize,
}

/// The copy has neither what looks at the run nor what decides its order.
impl Clone for RunState {
    fn clone(&self) -> RunState {
        RunState {
            findings: self.findings.clone(),
            seen: self.seen.clone(),
            races: RaceContext::default(),
            sanitizer: None,
            further: None,
            scheduler: None,
            order_log: None,
            ..*self
        }
    }
}

impl RunState {
    pub fn new(options: &RunOptions, sanitizer: Option<Box<Sanitizer>>) -> RunState {
        let limits = &options.limits;
        let order_log = options.log_order.then(Box::default);
        RunState {
            limit: limits.max_steps,
            turn_end: u64::MAX,
            sanitizer,
            order_log,
            max: limits.max_findings,
            ..RunState::default()
        }
    }

    /// The steps that the run may still take.
    pub fn steps_left(&self) -> u64 {
        self.limit.saturating_sub(self.steps)
    }

    /// Steps as the step limit counts them.
    pub fn counted_steps(&self) -> u64 {
        self.steps.saturating_add(self.charged)
    }

    /// Counts a statement as this many further steps.
    pub fn charge(&mut self, steps: u64) {
        self.charged = self.charged.saturating_add(steps);
        self.limit = self.limit.saturating_sub(steps);
        self.pause_at = self.pause_at.saturating_sub(steps);
    }

    /// Ends the run at the next pause, which is made due at once.
    pub fn complete_trace(&mut self) {
        self.trace_complete = true;
        self.pause_at = 0;
    }

    /// What happens next depends on an unknown value: ends the search for further faults at the next pause.
    pub fn end_search(&mut self) {
        self.further.iter_mut().for_each(|further| further.end());
        self.pause_at = 0;
    }

    /// The findings, completed with what the races imply.
    pub fn into_findings(self) -> Vec<Finding> {
        let RunState { mut findings, races, .. } = self;
        races.apply(&mut findings);
        with_titles(findings)
    }

    /// Collects the results of the sanitizer at an instruction. The visits from `unrecorded` on are not recorded yet.
    #[inline]
    pub fn collect(
        &mut self,
        sanitizer: &mut Sanitizer,
        statement: StatementId,
        unrecorded: u32,
        recorder: &mut Recorder,
    ) {
        if let Some(cost) = sanitizer.cost.counters.take() {
            recorder.cost(statement, &cost);
        }
        let report = &mut sanitizer.report;
        if !report.findings.is_empty() || !report.races.is_empty() {
            let running = report.warp();
            for finding in &mut report.findings {
                if (finding.cta, finding.warp) != (running.cta, running.warp) {
                    continue;
                }
                let at = finding.statement.unwrap_or(statement);
                let is_pending = (unrecorded..=statement.0).contains(&at.0);
                finding.visit =
                    Some(recorder.visits_of(at) + u64::from(is_pending)).filter(|visit| *visit > 0);
            }
            self.collect_findings(report);
        }
    }

    /// Collects the findings that the exit of a block shows. They belong to no visit.
    pub fn collect_at_exit(&mut self) {
        let Some(mut sanitizer) = self.sanitizer.take() else { return };
        self.collect_findings(&mut sanitizer.report);
        self.sanitizer = Some(sanitizer);
    }

    /// A separate function, because most instructions have no findings and only test for them.
    #[cold]
    fn collect_findings(&mut self, report: &mut Report) {
        if report.is_silent {
            report.findings.clear();
            report.races = RaceContext::default();
            return;
        }
        report.findings.drain(..).for_each(|finding| self.report(finding));
        self.races.merge(std::mem::take(&mut report.races));
    }

    /// Adds a finding once per statement and warp, or once per pair of statements if it comes from the sanitizer.
    pub fn report(&mut self, finding: Finding) {
        if let Some(further) = &mut self.further
            && !further.admits(&finding)
        {
            return;
        }
        let seen = match Sanitizer::KINDS.contains(&finding.kind) {
            true => FindingKey::With(finding.related.first().map(|related| related.statement)),
            false => FindingKey::By(finding.cta, finding.warp),
        };
        if finding.kind == FindingKind::DivisionByZero && self.is_superseded(&finding) {
            return;
        }
        let key = (finding.kind, finding.statement, seen);
        if self.findings.len() < self.max && self.seen.insert(key) {
            self.findings.push(finding);
        }
    }

    /// Whether a warning already reports this division by zero. A warning replaces an information.
    fn is_superseded(&mut self, finding: &Finding) -> bool {
        let is_same = |other: &Finding| (other.kind, other.statement) == (finding.kind, finding.statement);
        if finding.severity == Severity::Information {
            return self.findings.iter().any(is_same);
        }
        self.findings.retain(|other| !is_same(other) || other.severity != Severity::Information);
        false
    }
}
