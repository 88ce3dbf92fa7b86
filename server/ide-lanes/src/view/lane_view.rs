//! The run that is shown in a document: one warp of the last run, with the current positions of its statements. It does
//! not need the database, so hints can be computed while the database is busy.

use std::borrow::Cow;
use std::sync::Arc;

use text_size::{TextRange, TextSize};
use warplens_ide_db::source_name;
use warplens_sim_launch::{Launch, PlacedBuffer, Resolved};
use warplens_sim_warp::objects::{ArrayShape, Object};
use warplens_sim_warp::{
    Executable, Finding, LineTrace, Mask, Note, Reconvergence, RunResult, Severity, StatementId, Status,
    TracedRegister, TracedVisit, Values, WarpId, WarpTrace,
};

use super::positions::{PlacedStatement, StatementPosition};
use super::text;
use super::values::Reading;
use crate::findings::{ReportedFinding, Reporter, Unexpected};
use crate::json::{
    JsonChosen, JsonFinding, JsonLine, MaskLines, Masks, PlacedTraces, Position, Positions, SourceLanes,
    StatementTrace, hex,
};
use crate::launches::LaunchSource;
use crate::program::Statement;
use crate::run::{Cooperation, Outcome, Prepared, Role, Verdict, effects, warp_width};
use crate::simulator::Model;

/// The line of an offset, from 0.
pub type LineOf<'t> = &'t dyn Fn(TextSize) -> u32;

/// The lanes of one warp in a document. Only `outdated` may be changed; the other fields belong to `values`.
#[derive(Debug, Clone)]
pub struct LaneView {
    run: ViewedRun,
    pub result: Arc<RunResult>,
    pub warp: WarpId,
    values: Option<Arc<Values>>,
    /// The selected visit, which determines the point in time of the values.
    pub moment: Option<(StatementId, u64)>,
    statements: Arc<[Statement]>,
    /// By [`StatementId`].
    placed: Vec<PlacedStatement>,
    /// The expectations of the launch that do not hold; empty if the run did not finish.
    pub failures: Arc<[Unexpected]>,
    /// Whether the text now has an error that stops a run earlier than this one.
    pub outdated: bool,
    /// Whether it is only the beginning of the run, which is in progress or was stopped.
    pub partial: bool,
}

/// A run whose result is shown.
#[derive(Debug, Clone)]
pub(crate) struct ViewedRun {
    pub(crate) resolved: Arc<Resolved>,
    pub(crate) source: LaunchSource,
    pub(crate) model: Model,
    /// The statements at which a run stops because the text has an error there.
    pub(crate) broken: Arc<[StatementId]>,
    /// `None` in tests with a handwritten result.
    pub(crate) program: Option<Arc<dyn Executable>>,
    /// Whether the run recorded notes, for which it needs checks.
    pub(crate) has_notes: bool,
    pub(crate) verdict: Verdict,
    pub(crate) cooperation: Cooperation,
}

#[derive(Debug, Clone, Copy)]
pub struct StatementView<'s> {
    pub id: StatementId,
    /// From its guard or opcode to its end.
    pub range: TextRange,
    pub statement: &'s Statement,
    pub role: Role,
    /// The number of lanes that jumped to each of several targets, if known.
    pub parts: &'s [u32],
    /// The groups that reconverged there.
    pub reconvergences: &'s [Reconvergence],
    /// The trace of the warp; `None` if it never reached the statement.
    pub trace: Option<&'s LineTrace>,
    /// The visit whose values are shown, if the warp was traced and had reached the statement.
    pub seen: Option<&'s TracedVisit>,
}

impl LaneView {
    /// Shows one warp of `result`: the requested one, or the first of the launch if that does not exist.
    pub(crate) fn new(
        run: ViewedRun,
        statements: Arc<[Statement]>,
        result: Arc<RunResult>,
        failures: Arc<[Unexpected]>,
        warp: Option<WarpId>,
    ) -> LaneView {
        let first = WarpId { cta: [0; 3], warp: 0 };
        let warp = warp.filter(|warp| result.warp(warp.cta, warp.warp).is_some()).unwrap_or(first);
        let effects = effects(&statements, result.warp(warp.cta, warp.warp));
        let placed =
            statements.iter().zip(effects).map(|(statement, effect)| PlacedStatement::new(statement, effect));
        let placed = placed.collect();
        LaneView {
            run,
            result,
            warp,
            values: None,
            moment: None,
            statements,
            placed,
            failures,
            outdated: false,
            partial: false,
        }
    }

    /// The same lanes without the memory of the run and its other warps, to keep when the run is dropped.
    pub fn alone(&self) -> LaneView {
        let resolved = Arc::new(self.run.resolved.without_memory());
        let result = Arc::new(self.result.of_warp(self.warp.cta, self.warp.warp));
        LaneView { run: ViewedRun { resolved, ..self.run.clone() }, result, ..self.clone() }
    }

    /// Whether the run was compared with the expectations of its launch.
    pub fn is_checked(&self) -> bool {
        self.result.status == Status::Finished && !self.launch().expect.is_empty()
    }

    /// Whether the run has findings or does not satisfy the expectations of its launch.
    pub fn has_findings(&self) -> bool {
        !self.result.findings.is_empty() || !self.failures.is_empty()
    }

    pub(crate) fn verdict(&self) -> &Verdict {
        &self.run.verdict
    }

    pub fn launch(&self) -> &Launch {
        &self.run.resolved.launch
    }

    /// Why the run cannot show some races of the kernel.
    pub(crate) fn unseen_races(&self) -> Option<&'static str> {
        self.run.cooperation.unseen(&self.run.resolved.config)
    }

    /// The inferred launch that a finding of the run depends on.
    pub(crate) fn guessed(&self, finding: &Finding) -> Option<&Launch> {
        self.run.resolved.guessed(finding.guess?)
    }

    pub fn entry(&self) -> &str {
        self.launch().entry.as_deref().unwrap_or_default()
    }

    pub fn source(&self) -> LaunchSource {
        self.run.source
    }

    /// Whether the model is the default of its language.
    pub(crate) fn is_usual_model(&self) -> bool {
        self.run.model.is_default()
    }

    pub fn model(&self) -> &'static str {
        self.run.model.name()
    }

    /// The finding that stopped the run, and its position.
    pub(crate) fn stopped_at(&self) -> Option<(&Finding, TextSize)> {
        let finding = self.result.findings.iter().rfind(|finding| finding.severity == Severity::Error)?;
        Some((finding, self.place(finding.statement?)?.start()))
    }

    /// What statements did apart from their lanes and registers: until the selected point in time, or in the whole run.
    pub(crate) fn notes(&self) -> &[Note] {
        let until = self.values.as_ref().and_then(|values| values.notes.as_deref());
        until.unwrap_or(&self.result.notes)
    }

    /// Whether the notes end at the selected point in time.
    pub(crate) fn has_notes_until_moment(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.notes.is_some())
    }

    /// What a run with checks would show about a statement, if this run had none.
    pub(crate) fn missing_note(&self, statement: StatementId) -> Option<&'static str> {
        if self.run.has_notes {
            return None;
        }
        self.run.program.as_ref()?.subject_of_notes(statement)
    }

    /// Drops the positions of the statements, because the text was replaced.
    pub fn clear(&mut self) {
        self.placed.iter_mut().for_each(|placed| placed.place = None);
    }

    /// The lanes that the warp has.
    pub fn launched(&self) -> Mask {
        self.trace().map_or(0, |warp| warp.launched)
    }

    /// Lanes of a full warp.
    pub fn width(&self) -> u32 {
        warp_width(self.launch())
    }

    fn trace(&self) -> Option<&WarpTrace> {
        self.result.warp(self.warp.cta, self.warp.warp)
    }

    /// This view with the traced values of the warp, up to the selected point in time.
    #[must_use]
    pub fn with_values(self, values: Option<Arc<Values>>, moment: Option<(StatementId, u64)>) -> LaneView {
        LaneView { values, moment, ..self }
    }

    /// Whether an error in the text explains why a run stops at a statement.
    pub(crate) fn has_error(&self, statement: StatementId) -> bool {
        self.run.broken.contains(&statement)
    }

    /// Whether any of its statements still exists.
    pub fn has_places(&self) -> bool {
        self.placed.iter().any(|placed| placed.place.is_some())
    }

    /// The first statement in a range that the warp reached: the offset of its opcode, and the number of visits.
    pub fn visits_on(&self, line: TextRange) -> Option<(TextSize, u64)> {
        self.trace()?.lines.iter().find_map(|trace| {
            let opcode = self.opcode(trace.statement)?;
            line.contains_inclusive(opcode).then_some((opcode, trace.count))
        })
    }

    fn position(&self, statement: StatementId) -> Option<StatementPosition> {
        self.placed.get(statement.index())?.place
    }

    /// The current range of a statement.
    pub fn place(&self, statement: StatementId) -> Option<TextRange> {
        Some(self.position(statement)?.range)
    }

    /// The current position of the opcode of a statement.
    pub fn opcode(&self, statement: StatementId) -> Option<TextSize> {
        Some(self.position(statement)?.opcode)
    }

    /// The current range of a statement that is unchanged since it ran.
    pub fn range(&self, statement: StatementId) -> Option<TextRange> {
        self.position(statement).filter(|place| !place.edited).map(|place| place.range)
    }

    /// Whether a statement is unchanged since it ran.
    pub fn is_unedited(&self, statement: StatementId) -> bool {
        self.position(statement).is_some_and(|place| !place.edited)
    }

    /// The statements that still exist, in program order.
    pub fn statements(&self) -> impl Iterator<Item = StatementView<'_>> {
        let mut lines = self.trace().map_or(&[][..], |warp| &warp.lines).iter().peekable();
        self.statements.iter().zip(&self.placed).enumerate().filter_map(
            move |(index, (statement, placed))| {
                let trace = lines.next_if(|line| line.statement.index() == index);
                let id = StatementId(index as u32);
                Some(StatementView {
                    id,
                    range: placed.place?.range,
                    statement,
                    role: placed.effect.role,
                    parts: &placed.effect.parts,
                    reconvergences: self.trace().map_or(&[], |warp| warp.reconvergences_at(id)),
                    trace,
                    seen: self.values.as_ref().and_then(|values| values.of(id)),
                })
            },
        )
    }

    /// The objects that a register may point into, if it holds the address of the statement's access.
    pub(crate) fn address_of<'s>(
        &'s self,
        statement: &StatementView<'s>,
        register: &str,
    ) -> Option<Cow<'s, [Object]>> {
        let address = statement.statement.address.as_ref().filter(|address| address.name == register)?;
        Some(match &address.objects {
            Some(objects) => Cow::Borrowed(objects),
            None => self.run.resolved.buffers.iter().map(buffer_object).collect(),
        })
    }

    pub fn findings(&self) -> Vec<ReportedFinding<'_>> {
        let source = |id: StatementId| self.statements.get(id.index())?.source.as_deref();
        self.reporter().findings(&self.result, Some(self.warp), &source)
    }

    pub(crate) fn reporter(&self) -> Reporter {
        Reporter::new(&self.run.resolved, self.width())
    }

    /// Tracks an edit: statements after it move, statements that overlap it grow or shrink, and statements inside it are removed.
    pub fn edit(&mut self, range: TextRange, inserted: TextSize) {
        for placed in &mut self.placed {
            placed.place = placed.place.and_then(|place| place.edited(range, inserted));
        }
    }

    /// The trace of a statement, for the words at the end of its line.
    pub(super) fn trace_of<'s>(&self, statement: &StatementView<'s>) -> StatementTrace<'s> {
        StatementTrace {
            launched: self.launched(),
            width: self.width(),
            trace: statement.trace,
            role: statement.role,
            parts: statement.parts,
            condition: statement.statement.condition.as_deref(),
            chosen: self.moment.map(|_| statement.seen),
        }
    }

    /// The view as JSON; in the `compact` form, statements share traces. Labels have values if `values` is set.
    pub fn masks<'s>(
        &'s self,
        version: i32,
        compact: bool,
        values: bool,
        at: &dyn Fn(TextSize) -> Position,
    ) -> Masks<'s> {
        let place = |id: StatementId| Some(at(self.opcode(id)?));
        let positions: Positions<'_> = &place;
        let width = self.width();
        Masks {
            version,
            entry: self.entry(),
            source_name: source_name(self.entry()),
            launch: self.launch(),
            model: self.model(),
            status: self.result.status.as_str(),
            verdict: (!self.partial).then(|| self.verdict().name()),
            missing: self.verdict().missing().iter().map(|missing| missing.sentence()).collect(),
            outdated: self.outdated,
            partial: self.partial,
            findings: JsonFinding::all(&self.findings(), &self.failures, &self.run.resolved, positions),
            cta: self.warp.cta,
            warp: self.warp.warp,
            launched: hex(self.launched(), width),
            visit: self.moment.and_then(|visit| JsonChosen::new(visit, positions)),
            output: &self.result.output.text,
            lines: match compact {
                true => MaskLines::Placed(self.placed_traces(values, positions)),
                false => MaskLines::Each { lines: self.lines(values, positions) },
            },
            not_run: self.lines_not_run(at),
            sources: if compact { self.source_lanes(positions) } else { Vec::new() },
        }
    }

    /// The lines of the statements that the warp reached.
    fn lines(&self, values: bool, positions: Positions<'_>) -> Vec<JsonLine> {
        let code = |id: StatementId| self.statements.get(id.index())?.code.clone();
        let statements = self.statements().filter_map(|statement| {
            let line = JsonLine::new(statement.trace?, self.width(), &code, positions)?;
            let label = text::label(&self.trace_of(&statement), &statement.label_notes(values));
            Some(line.in_editor(statement.role, statement.parts, label))
        });
        let mut lines: Vec<JsonLine> = statements.collect();
        lines.sort_by_key(JsonLine::position);
        lines
    }

    /// The lines in the compact form.
    fn placed_traces<'s>(&'s self, values: bool, at: Positions<'_>) -> PlacedTraces {
        let placed = |statement: StatementView<'s>| {
            let Position { line, character } = at(statement.id)?;
            let notes = || statement.label_notes(values);
            statement.trace.is_some().then(|| ((line, character), self.trace_of(&statement), notes()))
        };
        PlacedTraces::new(self.statements().filter_map(placed).collect(), &text::label)
    }

    /// The lanes of the source lines that the statements were compiled from.
    fn source_lanes(&self, at: Positions<'_>) -> Vec<SourceLanes> {
        let reached = self.statements().filter(|statement| statement.trace.is_some());
        let placed = reached.filter_map(|statement| {
            let source = statement.statement.source.as_deref()?;
            Some((&source.line, at(statement.id)?.line, self.trace_of(&statement)))
        });
        SourceLanes::all(placed, &|statement| text::label(statement, &[]))
    }

    /// The lines of the statements that the warp did not reach; none if the launch did not start, or if the rest of the run may reach
    /// them.
    fn lines_not_run(&self, at: &dyn Fn(TextSize) -> Position) -> Vec<u32> {
        if self.launched() == 0 || self.partial {
            return Vec::new();
        }
        let missed = self.statements().filter(|statement| statement.trace.is_none());
        let mut lines: Vec<u32> = missed.map(|statement| at(statement.range.start()).line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

impl Prepared {
    /// Shows a result of this run, or of an equal run, in the document as it was when this run was prepared.
    pub fn show(&self, result: Arc<RunResult>, warp: Option<WarpId>) -> LaneView {
        let failures = Unexpected::of(&self.resolved, &result);
        let run = ViewedRun {
            resolved: Arc::clone(&self.resolved),
            source: self.source,
            model: self.model,
            broken: Arc::clone(&self.broken),
            program: Some(Arc::clone(&self.program)),
            has_notes: self.options.checks.races,
            verdict: self.verdict(&result, &failures, &self.coverage(&result)),
            cooperation: self.cooperation,
        };
        LaneView::new(run, Arc::clone(&self.statements), result, failures.into(), warp)
    }

    /// Shows an outcome, with the values of its warp.
    pub fn show_outcome(&self, outcome: &Outcome, warp: Option<WarpId>) -> LaneView {
        let warp = Some(warp.unwrap_or(outcome.warp));
        let view = outcome.prepared(self).show(Arc::clone(&outcome.result), warp);
        let (values, moment) = (outcome.values.clone(), outcome.request.until);
        let failures = Arc::clone(&outcome.unexpected);
        LaneView { values, moment, partial: outcome.is_partial(), failures, ..view }
    }

    /// Shows the trace of another warp, without values; `None` if it is not recorded.
    pub fn show_warp(&self, outcome: &Outcome, warp: WarpId) -> Option<LaneView> {
        let show = || outcome.prepared(self).show(Arc::clone(&outcome.result), Some(warp));
        outcome.has_trace(warp).then(|| LaneView {
            partial: outcome.is_partial(),
            failures: Arc::clone(&outcome.unexpected),
            ..show()
        })
    }
}

/// A buffer of the launch as an object that addresses point into.
pub(crate) fn buffer_object(buffer: &PlacedBuffer) -> Object {
    let shape = ArrayShape::array(buffer.element.bytes() as u64);
    Object { name: buffer.name.clone(), start: buffer.address, len: buffer.len, shape }
}

impl StatementView<'_> {
    /// The values of a register in a line of text, at most `most` of them: `= lane + 100`, `= 0 1 4 9 …`. `None` if no lane has written
    /// the register.
    pub fn values_in_line(&self, register: &str, most: usize) -> Option<String> {
        let seen = self.seen?;
        let held = seen.register(register)?;
        self.reading(held, seen.active).in_line(most)
    }

    pub(crate) fn reading<'h>(&self, held: &'h TracedRegister, lanes: Mask) -> Reading<'h> {
        Reading { held, kind: self.statement.type_of(&held.name), lanes }
    }
}

#[cfg(test)]
mod tests;
