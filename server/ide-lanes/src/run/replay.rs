//! A recorded launch: any position of it, in either direction.
//!
//! A recording that does not fit in memory is a window of the launch. A position outside of it takes another run.

use std::ops::ControlFlow;
use std::sync::Arc;

use warplens_sim_warp::recording::{Edit, Event, Layout, Place, Recording, State, Tap, Window, WriteSite};
use warplens_sim_warp::{Cancelled, Checks, Control, RunOptions, RunResult, StatementId, WarpId};

use super::prepared::Prepared;

/// The default limit of a recording in bytes.
pub const MAX_RECORDING: usize = 256 << 20;

impl Prepared {
    /// The warp with a number in the launch.
    #[must_use]
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
        control: Control<'_>,
    ) -> Result<Recording, Cancelled> {
        let tap = Tap::new(Arc::clone(layout), self.grid(), window, Arc::clone(edits));
        let cancelled = || tap.is_complete() || (control.cancelled)();
        let options = RunOptions {
            records: true,
            ends_at_fault: true,
            checks: Checks::default(),
            ..RunOptions::default()
        };
        let run = Control { cancelled: &cancelled, workers: None, steps: None, tap: Some(&tap), ..control };
        match self.again(options, run) {
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
        let tap = Tap::new(Arc::clone(layout), self.grid(), nothing, Arc::clone(edits));
        let checks = Checks { uninitialized: false, ..self.options.checks };
        let options = RunOptions { checks, ..RunOptions::default() };
        self.again(options, Control { workers: None, steps: None, tap: Some(&tap), ..control })
    }
}

/// A launch that has run, and its recording.
pub struct Replay {
    pub prepared: Prepared,
    pub result: Arc<RunResult>,
    recording: Recording,
    layout: Arc<Layout>,
    steps: u64,
    max_bytes: usize,
    /// What a user has changed, in order of the steps.
    edits: Arc<[Edit]>,
    /// The last question about a write, with its answer.
    last_asked: Option<(Place, u64, Option<WriteSite>)>,
}

impl Replay {
    /// Records a launch that has run with this result, in at most about `max_bytes`.
    ///
    /// # Errors
    /// When the caller cancels the run.
    pub fn new(
        prepared: Prepared,
        result: Arc<RunResult>,
        max_bytes: usize,
        control: Control<'_>,
    ) -> Result<Replay, Cancelled> {
        let layout = Arc::new(prepared.layout());
        let steps = result.totals.warp_instructions;
        let window = Window { from: 0, until: steps, max_bytes };
        let edits = Arc::default();
        let recording = prepared.record_with(&layout, window, &edits, control)?;
        Ok(Replay { prepared, result, recording, layout, steps, max_bytes, edits, last_asked: None })
    }

    /// The number of steps of the launch.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    #[must_use]
    pub fn shared_layout(&self) -> Arc<Layout> {
        Arc::clone(&self.layout)
    }

    /// The number of a warp in the launch.
    #[must_use]
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
        let steps = result.totals.warp_instructions;
        let window = Window { from: 0, until: steps, max_bytes: self.max_bytes };
        self.recording = self.prepared.record_with(&self.layout, window, &edits, control)?;
        (self.result, self.steps, self.edits, self.last_asked) = (result, steps, edits, None);
        Ok(())
    }

    /// Moves the window of the recording so that it has the steps from `from` on, as far as they fit.
    fn record_from(&mut self, from: u64, control: Control<'_>) -> Result<(), Cancelled> {
        let window = Window { from, until: self.steps, max_bytes: self.max_bytes };
        self.recording = self.prepared.record_with(&self.layout, window, &self.edits, control)?;
        Ok(())
    }

    /// Makes the state before a step available, and the steps before it as far as they fit.
    fn cover(&mut self, step: u64, control: Control<'_>) -> Result<(), Cancelled> {
        if self.recording.covers(step) {
            return Ok(());
        }
        let steps = self.recording.steps();
        let mut back = (steps.end - steps.start) / 2;
        loop {
            self.record_from(step.saturating_sub(back), control)?;
            if self.recording.covers(step) || back == 0 {
                return Ok(());
            }
            back /= 2;
        }
    }

    /// The state before a step.
    ///
    /// # Errors
    /// When the caller cancels the run that a distant step takes.
    pub fn state(&mut self, step: u64, control: Control<'_>) -> Result<State, Cancelled> {
        self.cover(step, control)?;
        Ok(self.recording.state(step))
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
        self.cover(step, control)?;
        if !self.recording.steps().contains(&step) {
            self.record_from(step, control)?;
        }
        Ok(self.recording.event(step).map(|event| visit(&event)))
    }

    /// Calls `visit` with each event from a step on, and the state before it, until it breaks.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn forward<B>(
        &mut self,
        from: u64,
        control: Control<'_>,
        needs_state: bool,
        mut visit: impl FnMut(&Event<'_>, &State) -> ControlFlow<B>,
    ) -> Result<Option<B>, Cancelled> {
        let none = State::default();
        self.search_forward(from, control, |recording, from| match needs_state {
            true => recording.forward_with_state(from, &mut visit),
            false => recording.forward(from, |event| visit(event, &none)),
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
        self.search_forward(from, control, |recording, from| recording.forward_of(warp, from, &mut visit))
    }

    /// Searches one recorded window after the other.
    fn search_forward<T>(
        &mut self,
        mut from: u64,
        control: Control<'_>,
        mut search: impl FnMut(&Recording, u64) -> Option<T>,
    ) -> Result<Option<T>, Cancelled> {
        loop {
            self.cover(from, control)?;
            if from < self.steps && !self.recording.steps().contains(&from) {
                self.record_from(from, control)?;
            }
            let found = search(&self.recording, from);
            let end = self.recording.steps().end;
            if found.is_some() || end >= self.steps || end <= from {
                return Ok(found);
            }
            from = end;
        }
    }

    /// The last step before one for which `visit` gives something, with the state before it if that is needed.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn backward<B>(
        &mut self,
        before: u64,
        control: Control<'_>,
        needs_state: bool,
        mut visit: impl FnMut(&Event<'_>, &State) -> Option<B>,
    ) -> Result<Option<B>, Cancelled> {
        let none = State::default();
        self.search_back(before, control, |recording, before| match needs_state {
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
        self.search_back(before, control, |recording, before| {
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
        let site =
            self.search_back(before, control, |recording, before| recording.last_write(place, before))?;
        self.last_asked = Some((place, before, site));
        Ok(site)
    }

    /// Searches one recorded window after the other, each before the last one.
    fn search_back<T>(
        &mut self,
        mut before: u64,
        control: Control<'_>,
        mut search: impl FnMut(&Recording, u64) -> Option<T>,
    ) -> Result<Option<T>, Cancelled> {
        loop {
            self.cover(before, control)?;
            let found = search(&self.recording, before);
            let start = self.recording.steps().start;
            if found.is_some() || start == 0 || start >= before {
                return Ok(found);
            }
            before = start;
        }
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
        Ok(found.or(last))
    }
}

fn flow<B>(found: Option<B>) -> ControlFlow<B> {
    match found {
        Some(found) => ControlFlow::Break(found),
        None => ControlFlow::Continue(()),
    }
}
