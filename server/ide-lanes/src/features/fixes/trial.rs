//! The runs that check whether an edit fixes a finding.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use text_size::{TextRange, TextSize};
use warplens_ide_db::{Fix, TextEdit};
use warplens_sim_warp::{Cancelled, Control, Finding, FindingKind, Limits, RunOptions, Severity, Status};

use super::version::Version;
use crate::findings::Unexpected;
use crate::run::Prepared;

/// What a run costs besides its warp instructions: a start, and the filling of this many bytes of its buffers.
const START: u64 = 1_000;
const BYTES_PER_STEP: u64 = 256;

/// The warp instructions that are left for the checks of a request. All attempts for an inferred launch together have as many.
#[derive(Debug, Clone, Copy)]
pub struct Budget(u64);

impl Default for Budget {
    fn default() -> Budget {
        Budget(1_000_000)
    }
}

/// Findings about how threads wait for each other. A barrier that leaves one of them only moves the mistake.
const ABOUT_ORDER: [FindingKind; 3] =
    [FindingKind::DataRace, FindingKind::WarpSynchronous, FindingKind::DivergentBarrier];

/// The kind of a finding, and the offset of its opcode in the original text.
type Accusation = (FindingKind, Option<TextSize>);

/// A launch under which a finding occurs.
pub struct Trial {
    prepared: Prepared,
    original: Version,
    finding: Accusation,
    before: FxHashSet<Accusation>,
}

/// The findings of a run, and those among them that are errors or warnings.
struct Findings {
    all: FxHashSet<Accusation>,
    accusations: FxHashSet<Accusation>,
    /// Whether the run finished.
    finished: bool,
}

impl Trial {
    pub(super) fn new(prepared: Prepared, finding: &Finding, original: Version) -> Option<Trial> {
        let at = original.statements().get(finding.statement?.index())?.opcode.start();
        let prepared = Prepared { guess: None, progressing: None, ..prepared };
        Some(Trial { prepared, original, finding: (finding.kind, Some(at)), before: FxHashSet::default() })
    }

    /// Runs the original text; returns whether the finding occurs within the budget.
    pub fn occurs(&mut self, budget: &mut Budget, control: Control<'_>) -> Result<bool, Cancelled> {
        let Some(found) = self.run(&self.original, Some, budget, control)? else { return Ok(false) };
        self.before = found.all;
        Ok(self.before.contains(&self.finding))
    }

    /// Whether the run of the edited text finishes without the finding, and nothing new is there.
    pub fn confirms(
        &self,
        edited: &Version,
        fix: &Fix,
        budget: &mut Budget,
        control: Control<'_>,
    ) -> Result<bool, Cancelled> {
        if edited.has_more_problems_than(&self.original) {
            return Ok(false);
        }
        let found = self.run(edited, |at| offset_before(&fix.edits, at), budget, control)?;
        let is_about_order = |kind| ABOUT_ORDER.contains(&kind);
        let is_moved = |(kind, _): &Accusation| is_about_order(*kind) && is_about_order(self.finding.0);
        Ok(found.is_some_and(|found| {
            let is_allowed = |left: &Accusation| self.before.contains(left) && !is_moved(left);
            found.finished && !found.all.contains(&self.finding) && found.accusations.iter().all(is_allowed)
        }))
    }

    /// The findings of a run, with their offsets in the original text; `None` if the run needs more than the budget.
    fn run(
        &self,
        version: &Version,
        original: impl Fn(TextSize) -> Option<TextSize>,
        Budget(left): &mut Budget,
        control: Control<'_>,
    ) -> Result<Option<Findings>, Cancelled> {
        let start = START + self.prepared.resolved.config.memory.size() / BYTES_PER_STEP;
        let Some(steps) = left.checked_sub(start) else { return Ok(None) };
        let limits = &self.prepared.options.limits;
        let limits = Limits { max_steps: steps.min(limits.max_steps), max_warps: 0, max_trace: 0, ..*limits };
        let RunOptions { checks, eager, .. } = self.prepared.options;
        let options = RunOptions { limits, checks, eager, ..RunOptions::default() };
        let prepared = Prepared { program: Arc::clone(version.program()), options, ..self.prepared.clone() };
        let result = prepared.run(control)?;
        *left = steps.saturating_sub(result.totals.warp_instructions);
        if result.status == Status::StepLimit {
            return Ok(None);
        }
        let accusation = |finding: &Finding| {
            let statement = finding.statement.and_then(|at| version.statements().get(at.index()));
            (finding.kind, statement.and_then(|statement| original(statement.opcode.start())))
        };
        let unexpected = !Unexpected::of(&prepared.resolved, &result).is_empty();
        let unexpected = unexpected.then_some((FindingKind::ExpectFailed, None));
        let is_accusation = |finding: &&Finding| finding.severity != Severity::Information;
        let accusations =
            result.findings.iter().filter(is_accusation).map(accusation).chain(unexpected).collect();
        let all = result.findings.iter().map(accusation).chain(unexpected).collect();
        let finished = result.status == Status::Finished;
        Ok(Some(Findings { all, accusations, finished }))
    }
}

/// Maps an offset in the edited text to the text before the edits. `None` if it is in text that an edit inserted.
fn offset_before(edits: &[TextEdit], after: TextSize) -> Option<TextSize> {
    let mut edits: Vec<&TextEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.range.start());
    let mut at = after;
    for TextEdit { range, insert } in edits {
        if at < range.start() {
            break;
        }
        let inserted = TextRange::at(range.start(), TextSize::of(insert.as_str()));
        if inserted.contains(at) {
            return None;
        }
        at = at - inserted.len() + range.len();
    }
    Some(at)
}
