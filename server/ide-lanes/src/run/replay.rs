//! A recorded launch: any position of it, in either direction.
//!
//! Windows of the launch are recorded when somebody asks about a step in them, and the ones that were used last are kept. Up to
//! a window, the launch runs as fast as without a recording.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use warplens_sim_warp::recording::{
    Checkpoints, EDIT, Edit, Effects, Event, Layout, Place, Recording, State, Summary, Tap, Window, WriteSite,
};
use warplens_sim_warp::{Cancelled, Checks, Control, RunOptions, RunResult, StatementId, WarpId};

use super::prepared::Prepared;

/// The default limit of a recording in bytes.
pub const MAX_RECORDING: usize = 256 << 20;

impl Prepared {
    /// The warp with a number in the launch.
    pub fn warp_at(&self, number: u32) -> WarpId {
        let warps = (self.warps() as u32).max(1);
        let (block, warp) = (number / warps, number % warps);
        let [x, y, _] = self.grid().map(|extent| extent.max(1));
        WarpId { cta: [block % x, block / x % y, block / x / y], warp }
    }

    fn layout(&self) -> Layout {
        let size = (self.warps() as u32, self.width());
        let (count, program) = (self.statements.len() as u32, &self.program);
        Layout::new(
            count,
            size,
            program.has_word_registers(),
            |statement| program.registers(statement),
            |statement, register| program.written_words(statement, register),
            |statement| program.function(statement),
        )
    }

    /// Runs again, and records the steps of a window.
    fn record_with(
        &self,
        layout: &Arc<Layout>,
        window: Window,
        edits: &Arc<[Edit]>,
        checkpoints: &mut Checkpoints,
        control: Control<'_>,
    ) -> Result<Recording, Cancelled> {
        let tap = Tap::new(Arc::clone(layout), self.grid(), window, Arc::clone(edits), checkpoints.clone());
        let cancelled = || tap.is_complete() || (control.cancelled)();
        let options = RunOptions {
            records: true,
            ends_at_fault: true,
            checks: Checks::default(),
            ..RunOptions::default()
        };
        let run = Control { cancelled: &cancelled, workers: None, steps: None, tap: Some(&tap), ..control };
        let ended = self.again(options, run);
        *checkpoints = tap.take_checkpoints();
        match ended {
            Err(Cancelled) if !tap.is_complete() => Err(Cancelled),
            _ => Ok(tap.take()),
        }
    }

    /// Runs again with the changes of a user, and records nothing. A value that a user sets may be one that the kernel never
    /// initialized, so these reads are no findings.
    fn run_edited(
        &self,
        layout: &Arc<Layout>,
        edits: &Arc<[Edit]>,
        control: Control<'_>,
    ) -> Result<RunResult, Cancelled> {
        let nothing = Window { from: u64::MAX, until: u64::MAX, max_bytes: 0 };
        let tap = Tap::new(Arc::clone(layout), self.grid(), nothing, Arc::clone(edits), Checkpoints::none());
        let checks = Checks { uninitialized: false, ..self.options.checks };
        let options = RunOptions { checks, ..RunOptions::default() };
        self.again(options, Control { workers: None, steps: None, tap: Some(&tap), ..control })
    }
}

/// Steps of a window of the recording, unless a caller wants another size.
const WINDOW: u64 = 1 << 14;

/// Steps between two checkpoints, at least: a run takes some milliseconds for them.
const CHECKPOINT: u64 = 1 << 16;

/// How much a search records when it comes to a window that is not kept.
#[derive(Clone, Copy)]
struct Reach {
    /// How many windows, recorded as one.
    windows: u64,
    is_backwards: bool,
}

impl Reach {
    fn forwards() -> Reach {
        Reach { windows: 1, is_backwards: false }
    }

    fn backwards() -> Reach {
        Reach { windows: 1, is_backwards: true }
    }
}

/// Whether steps with a summary may have what a search looks for.
type MayHave<'a> = dyn Fn(Range<u64>, &Summary) -> bool + 'a;

/// What a search looks for.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    pub may_have: &'a MayHave<'a>,
    /// Whether the search gets the state before each event.
    pub needs_state: bool,
}

impl Search<'static> {
    /// Every event, without states.
    pub fn all() -> Search<'static> {
        Search { may_have: &|_, _| true, needs_state: false }
    }
}

/// A launch that has run, and the windows of it that were recorded.
pub struct Replay {
    pub prepared: Prepared,
    pub result: Arc<RunResult>,
    /// The one that was used last is first.
    windows: VecDeque<Recording>,
    /// Summaries of windows, by their first step, even if they are no longer kept: searches skip windows that cannot have what
    /// they look for.
    summaries: FxHashMap<u64, Summary>,
    /// A step after the last one of warps, as far as known.
    ends: FxHashMap<u32, u64>,
    layout: Arc<Layout>,
    steps: u64,
    window_steps: u64,
    max_bytes: usize,
    /// Where a run for a window goes on instead of starting. All are before the first edit.
    checkpoints: Checkpoints,
    /// What a user has changed, in order of the steps.
    edits: Arc<[Edit]>,
    /// The last question about a write, with its answer.
    last_asked: Option<(Place, u64, Option<WriteSite>)>,
}

impl Replay {
    /// A launch that has run with this result. Its recording takes at most about `max_bytes`.
    pub fn new(prepared: Prepared, result: Arc<RunResult>, max_bytes: usize) -> Replay {
        let layout = Arc::new(prepared.layout());
        let steps = result.totals.warp_instructions;
        Replay {
            prepared,
            result,
            windows: VecDeque::new(),
            summaries: FxHashMap::default(),
            ends: FxHashMap::default(),
            layout,
            steps,
            window_steps: WINDOW,
            max_bytes,
            checkpoints: Checkpoints::new(CHECKPOINT, max_bytes / 8),
            edits: Arc::default(),
            last_asked: None,
        }
    }

    /// The same launch, recorded in windows of this many steps, with as many between checkpoints.
    #[must_use]
    pub fn in_windows_of(self, steps: u64) -> Replay {
        let window_steps = steps.max(1);
        let checkpoints = Checkpoints::new(window_steps, self.max_bytes / 8);
        Replay { window_steps, checkpoints, ..self }
    }

    /// The number of steps of the launch.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn shared_layout(&self) -> Arc<Layout> {
        Arc::clone(&self.layout)
    }

    /// The number of a warp in the launch.
    pub fn number(&self, WarpId { cta, warp }: WarpId) -> u32 {
        let [x, y, _] = self.prepared.grid();
        ((cta[2] * y + cta[1]) * x + cta[0]) * self.layout.warps + warp
    }

    /// Changes the state before a step: the launch goes on from there with the change. Changes before later steps are dropped.
    ///
    /// # Errors
    /// When the caller cancels the run; the launch is what it was then.
    pub fn edit(&mut self, edit: Edit, control: Control<'_>) -> Result<(), Cancelled> {
        let earlier = self.edits.iter().filter(|known| known.before <= edit.before);
        let edits: Arc<[Edit]> = earlier.cloned().chain([edit.clone()]).collect();
        let result = Arc::new(self.prepared.run_edited(&self.layout, &edits, control)?);
        self.steps = result.totals.warp_instructions;
        (self.result, self.edits, self.last_asked) = (result, edits, None);
        self.ends.clear();
        self.windows.retain(|window| window.steps().end < edit.before);
        self.summaries.retain(|first, _| first + self.window_steps < edit.before);
        Ok(())
    }

    /// Whether a window has a step, or the end of the launch.
    fn has(&self, window: &Recording, step: u64) -> bool {
        let steps = window.steps();
        steps.contains(&step) || step == self.steps && steps.end == step
    }

    /// The window with a step, or with the end of the launch.
    fn window(&mut self, step: u64, control: Control<'_>) -> Result<&Recording, Cancelled> {
        self.reach(step, &mut Reach::forwards(), control)
    }

    /// Like [`Self::window`], for a search. If the window is not kept, it is recorded, and the next one may be longer.
    fn reach(&mut self, step: u64, reach: &mut Reach, control: Control<'_>) -> Result<&Recording, Cancelled> {
        let known = self.windows.iter().position(|window| self.has(window, step));
        if let Some(window) = known.and_then(|at| self.windows.remove(at)) {
            self.windows.push_front(window);
        } else {
            let window = self.record(step, *reach, control)?;
            let steps = window.steps();
            let each = window.bytes() as u64 * self.window_steps / (steps.end - steps.start).max(1);
            let most = (self.max_bytes / 8) as u64 / each.max(1);
            reach.windows = (2 * reach.windows).min(most).max(1);
            self.ends.extend(window.ends());
            let mut first = steps.start.next_multiple_of(self.window_steps);
            while first < steps.end && steps.end >= self.steps.min(first + self.window_steps) {
                let end = first + self.window_steps;
                self.summaries.entry(first).or_insert_with(|| window.summary(first..end));
                first = end;
            }
            self.windows.iter().for_each(Recording::forget_index);
            self.windows.push_front(window);
            self.drop_windows();
        }
        Ok(&self.windows[0])
    }

    /// Drops the windows that do not fit in memory, the one that was used last excepted. The rest of the memory is for the next
    /// one, for what the allocator adds, and for the launch itself.
    fn drop_windows(&mut self) {
        let (mut bytes, max) = (0, self.max_bytes / 2);
        let fit = self.windows.iter().take_while(|window| {
            bytes += window.bytes();
            bytes <= max
        });
        let kept = fit.count().max(1);
        self.windows.truncate(kept);
    }

    fn record(&mut self, step: u64, reach: Reach, control: Control<'_>) -> Result<Recording, Cancelled> {
        let within = step.min(self.steps.saturating_sub(1));
        let first = within - within % self.window_steps;
        let further = (reach.windows - 1) * self.window_steps;
        let (mut from, until) = match reach.is_backwards {
            true => (first.saturating_sub(further), first + self.window_steps),
            false => (first, first + self.window_steps + further),
        };
        // What completes after the last step belongs to the last window.
        let until = if until < self.steps { until } else { u64::MAX };
        let mut back = self.window_steps;
        loop {
            let window = Window { from, until, max_bytes: self.max_bytes };
            let window = self.prepared.record_with(
                &self.layout,
                window,
                &self.edits,
                &mut self.checkpoints,
                control,
            )?;
            if self.has(&window, step) || from == within {
                return Ok(window);
            }
            if window.steps().end <= within {
                // It takes too many bytes.
                from = if from < first { first } else { within };
            } else {
                // The run had no pause before.
                (from, back) = (from.saturating_sub(back), 2 * back);
            }
        }
    }

    /// The state before a step.
    ///
    /// # Errors
    /// When the caller cancels the run that a distant step takes.
    pub fn state(&mut self, step: u64, control: Control<'_>) -> Result<State, Cancelled> {
        Ok(self.window(step, control)?.state(step))
    }

    /// Calls `visit` with a step, if there is one.
    ///
    /// # Errors
    /// When the caller cancels the run that a distant step takes.
    pub fn with_event<T>(
        &mut self,
        step: u64,
        control: Control<'_>,
        visit: impl FnOnce(&Event<'_>) -> T,
    ) -> Result<Option<T>, Cancelled> {
        if step >= self.steps {
            return Ok(None);
        }
        Ok(self.window(step, control)?.event(step).map(|event| visit(&event)))
    }

    /// Calls `visit` with each event from a step on, and the state before it, until it breaks.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn forward<B>(
        &mut self,
        from: u64,
        control: Control<'_>,
        search: Search<'_>,
        mut visit: impl FnMut(&Event<'_>, &State) -> ControlFlow<B>,
    ) -> Result<Option<B>, Cancelled> {
        let none = State::default();
        let first = from;
        self.search_forward((None, search.may_have), from, control, |recording, from| {
            match search.needs_state {
                true => recording.forward_with_state(from, from != first, &mut visit),
                false => recording.forward(from, |event| visit(event, &none)),
            }
        })
    }

    /// Calls `visit` with the steps of a warp from a step on, until it breaks.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn forward_of<B>(
        &mut self,
        warp: u32,
        from: u64,
        control: Control<'_>,
        mut visit: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> Result<Option<B>, Cancelled> {
        let has_warp = |_: Range<u64>, summary: &Summary| summary.has_warp(warp);
        self.search_forward((Some(warp), &has_warp), from, control, |recording, from| {
            recording.forward_of(warp, from, &mut visit)
        })
    }

    /// Searches one window after the other, except those whose summaries rule it out, up to the end of a warp if it is one of its
    /// steps.
    fn search_forward<T>(
        &mut self,
        (warp, may_have): (Option<u32>, &MayHave<'_>),
        mut from: u64,
        control: Control<'_>,
        mut search: impl FnMut(&Recording, u64) -> Option<T>,
    ) -> Result<Option<T>, Cancelled> {
        let mut reach = Reach::forwards();
        while from < self.steps || from == 0 {
            if warp.and_then(|warp| self.ends.get(&warp)).is_some_and(|end| *end <= from) {
                break;
            }
            if self.rules_out(from, may_have) {
                from += self.window_steps;
                continue;
            }
            let window = self.reach(from, &mut reach, control)?;
            let (found, end) = (search(window, from), window.steps().end);
            if found.is_some() || end <= from {
                return Ok(found);
            }
            from = end;
        }
        Ok(None)
    }

    /// Whether the summary of a window that begins with a step is known, and rules out what is searched.
    fn rules_out(&self, first: u64, may_have: &MayHave<'_>) -> bool {
        let summary = self.summaries.get(&first);
        summary.is_some_and(|summary| !may_have(first..first + self.window_steps, summary))
    }

    /// The last step before one for which `visit` gives something, with the state before it if that is needed.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn backward<B>(
        &mut self,
        before: u64,
        control: Control<'_>,
        search: Search<'_>,
        mut visit: impl FnMut(&Event<'_>, &State) -> Option<B>,
    ) -> Result<Option<B>, Cancelled> {
        let none = State::default();
        self.search_back(search.may_have, before, control, |recording, before| match search.needs_state {
            true => recording.backward_with_state(before, &mut visit),
            false => recording.backward(before, |event| flow(visit(event, &none))),
        })
    }

    /// The last step of a warp before one for which `visit` gives something.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn backward_of<B>(
        &mut self,
        warp: u32,
        before: u64,
        control: Control<'_>,
        mut visit: impl FnMut(&Event<'_>) -> Option<B>,
    ) -> Result<Option<B>, Cancelled> {
        self.search_back(&|_, summary| summary.has_warp(warp), before, control, |recording, before| {
            recording.backward_of(warp, before, |event| flow(visit(event)))
        })
    }

    /// The last write of a place before a step.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn last_write(
        &mut self,
        place: Place,
        before: u64,
        control: Control<'_>,
    ) -> Result<Option<WriteSite>, Cancelled> {
        // A chain asks about an operand, and goes on with it.
        if let Some((_, _, site)) = self.last_asked.filter(|(at, step, _)| (*at, *step) == (place, before)) {
            return Ok(site);
        }
        let found = self
            .search_back(&|_, summary| summary.may_write(place), before, control, |recording, before| {
                recording.last_write(place, before)
            })?
            .flatten();
        let site = match found {
            Some(site) if site.is_late && site.statement != EDIT => {
                // The step of the statement that is complete now. The launch gave the register its value if no statement did.
                let is_it = |event: &Event<'_>| {
                    event.statement == site.statement && event.executed >> site.lane & 1 == 1
                };
                let issued = self
                    .backward_of(site.warp, site.step, control, |event| is_it(event).then_some(event.step))?;
                issued.map(|step| WriteSite { step, ..site })
            }
            found => found,
        };
        self.last_asked = Some((place, before, site));
        Ok(site)
    }

    /// What the late events before a step wrote and accessed that belong to a statement of a warp.
    pub(crate) fn late(
        &mut self,
        step: u64,
        of: (u32, StatementId),
        control: Control<'_>,
    ) -> Result<Vec<Effects>, Cancelled> {
        Ok(self.window(step, control)?.late(step, of))
    }

    /// Searches one window after the other, the last one first, except those whose summaries rule it out.
    fn search_back<T>(
        &mut self,
        may_have: &MayHave<'_>,
        before: u64,
        control: Control<'_>,
        mut search: impl FnMut(&Recording, u64) -> Option<T>,
    ) -> Result<Option<T>, Cancelled> {
        let (mut before, mut within, mut reach) = (before, before, Reach::backwards());
        loop {
            let first = within - within % self.window_steps;
            let start = match self.rules_out(first, may_have) {
                true => first,
                false => {
                    let window = self.reach(within, &mut reach, control)?;
                    if let Some(found) = search(window, before) {
                        return Ok(Some(found));
                    }
                    window.steps().start
                }
            };
            if start == 0 || start > within {
                return Ok(None);
            }
            (before, within) = (start, start - 1);
        }
    }

    /// How often a warp has visited a statement up to a step, this one included.
    ///
    /// # Errors
    /// When the caller cancels the run that a distant step takes.
    pub fn visits(
        &mut self,
        warp: u32,
        statement: StatementId,
        step: u64,
        control: Control<'_>,
    ) -> Result<u64, Cancelled> {
        Ok(self.window(step, control)?.visits(warp, statement, step))
    }

    /// The step of a visit of a statement by a warp, counted from 1; the last visit if it is `None`.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn step_of(
        &mut self,
        warp: u32,
        statement: StatementId,
        visit: Option<u64>,
        control: Control<'_>,
    ) -> Result<Option<u64>, Cancelled> {
        let (mut count, mut last) = (0, None);
        let found = self.forward_of(warp, 0, control, |event| {
            if event.statement != statement {
                return ControlFlow::Continue(());
            }
            count += 1;
            last = Some(event.step);
            if visit == Some(count) { ControlFlow::Break(event.step) } else { ControlFlow::Continue(()) }
        })?;
        Ok(if visit.is_some() { found } else { last })
    }
}

fn flow<B>(found: Option<B>) -> ControlFlow<B> {
    match found {
        Some(found) => ControlFlow::Break(found),
        None => ControlFlow::Continue(()),
    }
}
