//! Runs under other schedules: what they show that the default one does not.
//!
//! Each schedule is a run of its own. Its findings are reported once, with the first schedule that shows them. If a run without
//! such findings leaves another result, the launch decides what that means: an expectation that does not hold is an error; a
//! buffer without one may legally differ if the launch has other expectations, and is suspicious if it has none.

use std::sync::Arc;

use warplens_sim_launch::{PlacedBuffer, same, show};
use warplens_sim_warp::order_log::OrderDifference;
use warplens_sim_warp::{
    Cancelled, Class, Control, Finding, FindingKind, Limits, OrderEffect, Related, RunOptions, RunResult,
    ScalarType, Schedule, Severity, StatementId, Status,
};

use super::explored::Explored;
use super::prepared::Prepared;
use super::verdict::LIMITS;
use crate::findings::Unexpected;

/// Which schedules run besides the default one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exploration {
    pub seed: u64,
    pub first: u32,
    pub count: u32,
    /// The limit of warp instructions of all schedules together; one runs in any case.
    pub max_steps: u64,
}

impl Exploration {
    /// The first `count` schedules of a seed.
    pub fn new(seed: u64, count: u32) -> Exploration {
        Exploration { seed, first: 0, count, max_steps: u64::MAX }
    }

    pub fn replay(schedule: Schedule) -> Exploration {
        Exploration { seed: schedule.seed, first: schedule.index, count: 1, max_steps: u64::MAX }
    }
}

/// How many times the steps of the default run a schedule may take, besides [`MIN_STEPS`].
const SLOWDOWN: u64 = 30;
const MIN_STEPS: u64 = 50_000;

impl Prepared {
    /// This run under a schedule. If the model was not chosen, schedules with odd numbers use the one that lets each lane make
    /// progress, as GPUs do since sm_70.
    pub fn under(&self, schedule: Schedule) -> Prepared {
        let mut under = self.clone();
        under.options.schedule = Some(schedule);
        if let Some(progressing) = self.progressing.as_ref().filter(|_| schedule.index % 2 == 1) {
            (under.program, under.model) = (Arc::clone(&progressing.program), progressing.model);
        }
        under
    }

    /// Runs under other schedules. Adds the findings of those to `result`, the run under the default one, in which the
    /// expectations of `failures` do not hold.
    pub fn explore(
        &self,
        result: &mut RunResult,
        failures: &[Unexpected],
        exploration: &Exploration,
        control: Control<'_>,
    ) -> Result<Explored, Cancelled> {
        let effect = self.program.order_effect();
        let mut explored = Explored {
            schedules: 0,
            requested: exploration.count,
            other_model: None,
            order_independent: effect == Some(OrderEffect::None),
        };
        // What other schedules show of a kernel with findings mostly follows from these.
        let is_clean = !result.findings.iter().any(|finding| self.accuses(finding));
        if effect.is_none_or(|effect| effect == OrderEffect::None)
            || result.status != Status::Finished
            || !is_clean
        {
            return Ok(explored);
        }
        let control = Control { workers: None, steps: None, ..control };
        let usual = Usual { prepared: self, reads_clock: effect == Some(OrderEffect::Time), control };
        let failed = failures.iter().map(|failure| failure.element.buffer.clone()).collect();
        let mut differing = DifferingResults { reported: failed, notes: Vec::new() };
        // A schedule that takes much longer most likely waits in a way that is not recognized.
        let max_steps = result.totals.warp_instructions.saturating_mul(SLOWDOWN).saturating_add(MIN_STEPS);
        let limits =
            Limits { max_steps: max_steps.min(self.options.limits.max_steps), ..self.options.limits };
        let mut steps = 0u64;
        let last = exploration.first.saturating_add(exploration.count);
        for index in exploration.first..last {
            let under = self.under(Schedule { seed: exploration.seed, index });
            let options = RunOptions { ends_at_fault: true, coverage: false, limits, ..under.options };
            let mut run = under.again(options, control)?;
            steps = steps.saturating_add(run.totals.warp_instructions);
            let stopped = LIMITS.iter().any(|kind| run.findings.iter().any(|finding| finding.kind == *kind));
            if !stopped {
                explored.schedules += 1;
                if under.model != self.model {
                    explored.other_model = Some(under.model.name());
                }
                let accusations = std::mem::take(&mut run.findings).into_iter();
                let accusations: Vec<_> = accusations.filter(|finding| self.accuses(finding)).collect();
                let is_clean = accusations.is_empty();
                add_new(result, accusations, under.options.schedule);
                if is_clean && run.status == Status::Finished {
                    usual.compare(result, &under, &run, &mut differing)?;
                }
            }
            if steps >= exploration.max_steps {
                break;
            }
        }
        result.findings.extend(differing.into_notes());
        Ok(explored)
    }
}

/// Adds the findings of a schedule that are not known.
fn add_new(result: &mut RunResult, found: Vec<Finding>, schedule: Option<Schedule>) {
    for finding in found {
        if !result.findings.iter().any(|known| is_same(known, &finding)) {
            result.findings.push(Finding { schedule, ..finding });
        }
    }
}

/// The run under the default schedule, with which others are compared.
struct Usual<'a> {
    prepared: &'a Prepared,
    reads_clock: bool,
    control: Control<'a>,
}

/// The buffers whose contents differ between schedules; the empty name stands for the printed text.
struct DifferingResults {
    /// Those with an error or a warning.
    reported: Vec<String>,
    /// Information about others, each with its buffer. A later schedule may show something worse.
    notes: Vec<(String, Finding)>,
}

impl DifferingResults {
    fn is_reported(&self, name: &str) -> bool {
        self.reported.iter().any(|reported| reported == name)
    }

    fn add(&mut self, result: &mut RunResult, name: &str, finding: Finding) {
        if finding.severity != Severity::Information {
            result.findings.push(finding);
            self.reported.push(name.to_owned());
        } else if self.notes.iter().all(|(noted, _)| noted != name) {
            self.notes.push((name.to_owned(), finding));
        }
    }

    fn into_notes(self) -> impl Iterator<Item = Finding> {
        let DifferingResults { reported, notes } = self;
        notes.into_iter().filter(move |(name, _)| !reported.contains(name)).map(|(_, finding)| finding)
    }
}

/// An element that differs, with both values.
struct DifferingElement {
    index: u64,
    usual: u64,
    other: u64,
    /// Whether all elements that differ do so only by rounding.
    is_rounding: bool,
}

impl DifferingElement {
    /// The first element that differs between two runs by more than rounding, or else the first one.
    fn first(
        buffer: &PlacedBuffer,
        usual: &RunResult,
        other: &RunResult,
        tolerance: f64,
    ) -> Option<DifferingElement> {
        let (one, two) = (buffer.bytes(usual), buffer.bytes(other));
        if one == two {
            return None;
        }
        let (element, size) = (buffer.element, buffer.element.bytes());
        let pairs = one.chunks_exact(size).zip(two.chunks_exact(size)).enumerate();
        let mut differing = pairs.filter(|(_, (one, two))| one != two).map(|(index, (one, two))| {
            let (usual, other) = (element.read(one), element.read(two));
            let is_rounding = is_close(element, usual, other, tolerance);
            DifferingElement { index: index as u64, usual, other, is_rounding }
        });
        let first = differing.next()?;
        if !first.is_rounding {
            return Some(first);
        }
        Some(differing.find(|element| !element.is_rounding).unwrap_or(first))
    }

    fn described(&self, buffer: &PlacedBuffer, schedule: Schedule) -> String {
        let value = |bits| show(buffer.element, bits);
        let DifferingElement { index, usual, other, .. } = *self;
        format!(
            "`{}`[{index}] is {}, but {} under schedule {schedule}",
            buffer.name,
            value(usual),
            value(other)
        )
    }
}

impl Usual<'_> {
    /// Adds findings about results of another schedule that differ.
    fn compare(
        &self,
        result: &mut RunResult,
        under: &Prepared,
        other: &RunResult,
        differing: &mut DifferingResults,
    ) -> Result<(), Cancelled> {
        let Some(schedule) = under.options.schedule else { return Ok(()) };
        let mut explanation = None;
        for failure in Unexpected::of(&self.prepared.resolved, other) {
            let name = failure.element.buffer;
            if differing.is_reported(&name) {
                continue;
            }
            let difference = self.explained(&mut explanation, under)?;
            let writer = self.writer(under, &name, failure.element.index)?;
            let advice = advice(difference);
            let message = format!("{}\nunder schedule {schedule} only; {advice}", failure.message);
            let message = FindingKind::ExpectFailed.with_term(&message);
            let finding = finding(FindingKind::ExpectFailed, message, writer, difference, schedule);
            differing.add(result, &name, finding);
        }
        for buffer in &self.prepared.resolved.buffers {
            if !differing.is_reported(&buffer.name)
                && let Some(element) = DifferingElement::first(buffer, result, other, self.tolerance(buffer))
            {
                let why = self.legal_difference(element.is_rounding);
                // Information is not worth the runs that explain it.
                let (difference, writer) = match why {
                    Some(_) => (None, None),
                    None => {
                        let difference = self.explained(&mut explanation, under)?;
                        (difference, self.writer(under, &buffer.name, element.index)?)
                    }
                };
                let what = element.described(buffer, schedule);
                let finding = self.order_dependent(&what, why, writer, difference, schedule);
                differing.add(result, &buffer.name, finding);
            }
        }
        if !differing.is_reported("") && sorted_lines(&result.output.text) != sorted_lines(&other.output.text)
        {
            let difference = self.explained(&mut explanation, under)?;
            let what = format!("the kernel prints other lines under schedule {schedule}");
            let finding =
                self.order_dependent(&what, self.legal_difference(false), None, difference, schedule);
            differing.add(result, "", finding);
        }
        Ok(())
    }

    fn tolerance(&self, buffer: &PlacedBuffer) -> f64 {
        let mut expected = self.prepared.resolved.launch.expect.iter();
        expected.find(|expected| expected.name == *buffer.name).map_or(0.0, |expected| expected.tolerance)
    }

    /// Why a difference that no expectation excludes may be right, if it may.
    fn legal_difference(&self, is_rounding: bool) -> Option<&'static str> {
        if is_rounding {
            Some("the order of float operations decides how they round")
        } else if self.reads_clock {
            Some("the kernel reads the clock")
        } else if self.prepared.resolved.launch.expect.is_empty() {
            None
        } else {
            Some("the launch expects nothing here; add it to `expect` if it matters")
        }
    }

    fn order_dependent(
        &self,
        what: &str,
        legal: Option<&str>,
        writer: Option<StatementId>,
        difference: Option<OrderDifference>,
        schedule: Schedule,
    ) -> Finding {
        let kind = FindingKind::OrderDependent;
        let message = kind.with_term(&format!("{what}\n{}", legal.unwrap_or(advice(difference))));
        let severity = if legal.is_some() { Severity::Information } else { kind.severity() };
        Finding { severity, ..finding(kind, message, writer, difference, schedule) }
    }

    /// The first statement at which the orders matter, found once for each schedule.
    fn explained(
        &self,
        known: &mut Option<Option<OrderDifference>>,
        under: &Prepared,
    ) -> Result<Option<OrderDifference>, Cancelled> {
        match known {
            Some(known) => Ok(*known),
            None => Ok(*known.insert(self.first_difference(under)?)),
        }
    }

    /// Takes a run under each of both schedules. If loads see older values, it takes another run in which they see the newest ones: if
    /// that changes the result, the order of threads is not the cause.
    fn first_difference(&self, under: &Prepared) -> Result<Option<OrderDifference>, Cancelled> {
        let logged = |prepared: &Prepared, newest_values: bool| {
            let options = RunOptions { log_order: true, newest_values, ..RunOptions::default() };
            prepared.again(options, self.control)
        };
        let (mut usual, other) = (logged(self.prepared, false)?, logged(under, false)?);
        if under.options.schedule.is_some_and(Schedule::sees_older_values) {
            let newest = logged(under, true)?;
            if under.resolved.buffers.iter().any(|buffer| buffer.bytes(&newest) != buffer.bytes(&other)) {
                usual = newest;
            }
        }
        Ok(other.order_log.zip(usual.order_log).and_then(|(other, usual)| other.first_difference(&usual)))
    }

    fn writer(&self, under: &Prepared, buffer: &str, index: u64) -> Result<Option<StatementId>, Cancelled> {
        let Some(buffer) = under.resolved.buffer(buffer) else { return Ok(None) };
        let watch = Some(buffer.address + index * buffer.element.bytes() as u64);
        let options = under.options;
        let options =
            RunOptions { watch, eager: options.eager, schedule: options.schedule, ..RunOptions::default() };
        Ok(under.again(options, self.control)?.last_store.map(|store| store.statement))
    }
}

fn advice(difference: Option<OrderDifference>) -> &'static str {
    match difference.and_then(|difference| difference.read.unseen) {
        Some(_) => {
            "order the store before the load: after it, a fence of its thread, such as `membar.gl` (`__threadfence()`), and a barrier if \
             another thread tells of it; the same between reading that and the load"
        }
        None => {
            "make the result independent of who comes first: update with one atomic, wait for a barrier, or derive the position from \
             the thread's number"
        }
    }
}

/// A finding at the first statement at which the orders matter, or else at the store of the element.
fn finding(
    kind: FindingKind,
    message: String,
    writer: Option<StatementId>,
    difference: Option<OrderDifference>,
    schedule: Schedule,
) -> Finding {
    let mut finding = Finding { schedule: Some(schedule), ..Finding::about_launch(kind, message) };
    let read = difference.map(|difference| difference.read);
    // An expectation is reported where its element was stored, like one that never holds.
    let at_writer = kind == FindingKind::ExpectFailed && writer.is_some() || read.is_none();
    let store = writer.map(|writer| Related::new(writer.0, "stores the element"));
    let first = difference.map(|OrderDifference { read, other }| {
        let usual = other.map_or("nothing".to_owned(), |other| other.to_string());
        let message = match read.unseen {
            Some(_) => {
                format!("lane {} may read the older value {} here instead of {usual}", read.lane, read.value)
            }
            None => format!(
                "the orders differ from here on: lane {} reads {}, and {usual} by default",
                read.lane, read.value
            ),
        };
        Related::new(read.statement.0, message)
    });
    let unseen = read
        .and_then(|read| read.unseen)
        .map(|store| Related::new(store.0, "nothing orders this store before the load"));
    if at_writer {
        finding.statement = writer;
        finding.related = first.into_iter().chain(unseen).collect();
    } else {
        finding.statement = read.map(|read| read.statement);
        finding.related = first.into_iter().chain(unseen).chain(store).collect();
    }
    if let Some(read) = read.filter(|_| !at_writer) {
        (finding.cta, finding.warp, finding.lanes) = (read.warp.cta, read.warp.warp, 1 << read.lane);
    }
    finding
}

/// Whether two findings are about the same problem: of one kind, at the same statements.
fn is_same(known: &Finding, new: &Finding) -> bool {
    let at = |finding: &Finding| {
        let related = finding.related.first().map(|related| related.statement);
        let mut statements = [finding.statement, related];
        statements.sort_unstable();
        statements
    };
    known.kind == new.kind && (known.statement == new.statement || at(known) == at(new))
}

/// Whether two floats differ as the order of a sum makes them differ.
fn is_close(element: ScalarType, one: u64, other: u64, tolerance: f64) -> bool {
    if element.class() != Class::Float {
        return false;
    }
    let relative = match element {
        ScalarType::F64 => 1e-10,
        ScalarType::F32 => 1e-4,
        _ => 2e-2,
    };
    let (a, b) = (element.float_of_bits(one), element.float_of_bits(other));
    let allowed = relative * a.abs().max(b.abs());
    same(element, one, other, tolerance.max(allowed))
}

/// The order of lines is open: threads print when they run.
fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}
