//! The segments of a recording, and the state before a step.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::codec::Reader;
use super::event::{Event, EventWith};
use super::layout::Layout;
use super::state::State;
use super::statements::Statements;
use crate::ids::StatementId;

/// Consecutive steps, and the state before the first of them.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) first: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) state: State,
    /// The warps of the steps, in ascending order once the segment is complete.
    pub(super) warps: Vec<u32>,
    pub(super) statements: Statements,
}

impl Segment {
    /// A step of a warp follows.
    pub(super) fn add_step(&mut self, warp: u32, statement: StatementId) {
        if self.warps.last() != Some(&warp) {
            self.warps.push(warp);
        }
        self.statements.add(statement);
    }

    pub(super) fn complete(&mut self) {
        self.bytes.shrink_to_fit();
        self.warps.sort_unstable();
        self.warps.dedup();
        self.warps.shrink_to_fit();
    }

    fn has_warp(&self, warp: u32) -> bool {
        self.warps.binary_search(&warp).is_ok()
    }

    fn event(&self, indexed: &Indexed) -> Event<'_> {
        indexed.map(|range| &self.bytes[range.clone()])
    }

    /// The events in order. Late events belong to the step before them.
    pub(super) fn events(&self) -> impl Iterator<Item = Event<'_>> {
        let (mut reader, mut step) = (Reader::new(&self.bytes), self.first);
        std::iter::from_fn(move || {
            let event = reader.event(step)?;
            step += u64::from(!event.is_late);
            Some(event)
        })
    }
}

/// How many segments are indexed at once.
const INDEXED: usize = 8;

/// An event with the places of its effects in the bytes of its segment.
type Indexed = EventWith<Range<usize>>;

/// The steps of a launch, or a window of them.
#[derive(Debug)]
pub struct Recording {
    pub layout: Arc<Layout>,
    pub(super) segments: Vec<Segment>,
    end: u64,
    /// About how many bytes it takes.
    bytes: usize,
    /// The state before the end.
    pub(super) last: State,
    ends: FxHashMap<u32, u64>,
    /// How often warps have visited statements before the first step.
    visits: FxHashMap<(u32, StatementId), u64>,
    /// The events of the segments that were searched last, the latest first: searches backwards often stay in a few.
    index: RefCell<VecDeque<(usize, Arc<[Indexed]>)>>,
}

impl Recording {
    pub(super) fn new(
        layout: Arc<Layout>,
        segments: Vec<Segment>,
        (end, bytes): (u64, usize),
        (last, ends): (State, FxHashMap<u32, u64>),
        visits: FxHashMap<(u32, StatementId), u64>,
    ) -> Recording {
        Recording { layout, segments, end, bytes, last, ends, visits, index: RefCell::default() }
    }

    /// How often a warp has visited a statement up to a step, this one included.
    pub fn visits(&self, warp: u32, statement: StatementId, step: u64) -> u64 {
        let mut count = self.visits.get(&(warp, statement)).copied().unwrap_or(0);
        self.forward_of(warp, self.steps().start, |event| {
            if event.step > step {
                return ControlFlow::Break(());
            }
            count += u64::from(event.statement == statement);
            ControlFlow::Continue(())
        });
        count
    }

    /// About how many bytes the recording takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frees what only makes searches faster.
    pub fn forget_index(&self) {
        self.index.borrow_mut().clear();
    }

    /// For warps that have ended by the end of the recording: a step of the launch after their last one.
    pub fn ends(&self) -> &FxHashMap<u32, u64> {
        &self.ends
    }

    /// The recorded steps.
    pub fn steps(&self) -> Range<u64> {
        self.segments.first().map_or(self.end, |segment| segment.first)..self.end
    }

    /// Whether the state before a step is known.
    pub fn covers(&self, step: u64) -> bool {
        let Range { start, end } = self.steps();
        (start..=end).contains(&step)
    }

    pub(super) fn segment_of(&self, step: u64) -> Option<usize> {
        self.segments.partition_point(|segment| segment.first <= step).checked_sub(1)
    }

    /// The state before a step.
    pub fn state(&self, step: u64) -> State {
        let Some(segment) = self.segment_of(step).map(|at| &self.segments[at]) else {
            return State::default();
        };
        let mut state = segment.state.clone();
        let before = |event: &Event<'_>| event.step < step || event.is_late && event.step == step;
        for event in segment.events().take_while(before) {
            state.apply(&event, &self.layout);
        }
        state
    }

    /// Calls `visit` with the events from a step on, until it breaks.
    pub fn forward<B>(&self, from: u64, visit: impl FnMut(&Event<'_>) -> ControlFlow<B>) -> Option<B> {
        self.search_forward(from, |_| true, visit)
    }

    /// Calls `visit` with the steps of a warp from a step on, until it breaks.
    pub fn forward_of<B>(
        &self,
        warp: u32,
        from: u64,
        mut visit: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> Option<B> {
        self.search_forward(
            from,
            |segment| segment.has_warp(warp),
            |event| match event.is_late || event.warp != warp {
                true => ControlFlow::Continue(()),
                false => visit(event),
            },
        )
    }

    fn search_forward<B>(
        &self,
        from: u64,
        may_hold: impl Fn(&Segment) -> bool,
        mut visit: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> Option<B> {
        let first = self.segment_of(from).unwrap_or(0).min(self.segments.len());
        for segment in self.segments[first..].iter().filter(|segment| may_hold(segment)) {
            for event in segment.events().filter(|event| event.step >= from) {
                if let ControlFlow::Break(found) = visit(&event) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Like [`Self::forward`], with the state before each event. `is_continued`: the recording before this one was
    /// searched before, so the late events of its last step are still to come, and come first.
    pub fn forward_with_state<B>(
        &self,
        from: u64,
        is_continued: bool,
        mut visit: impl FnMut(&Event<'_>, &State) -> ControlFlow<B>,
    ) -> Option<B> {
        let mut state = match self.segments.first() {
            Some(first) if is_continued && first.first == from => first.state.clone(),
            _ => self.state(from),
        };
        self.forward(from, |event| {
            if event.is_late && event.step == from && !is_continued {
                // Already in the state.
                return ControlFlow::Continue(());
            }
            let flow = visit(event, &state);
            state.apply(event, &self.layout);
            flow
        })
    }

    /// Calls `visit` with the events before a step, the last one first, until it breaks.
    pub fn backward<B>(&self, before: u64, visit: impl FnMut(&Event<'_>) -> ControlFlow<B>) -> Option<B> {
        self.search_backward(before, |_, _| true, visit)
    }

    /// Calls `visit` with the steps of a warp before a step, the last one first, until it breaks.
    pub fn backward_of<B>(
        &self,
        warp: u32,
        before: u64,
        mut visit: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> Option<B> {
        self.search_backward(
            before,
            |segment, _| segment.has_warp(warp),
            |event| match event.is_late || event.warp != warp {
                true => ControlFlow::Continue(()),
                false => visit(event),
            },
        )
    }

    /// `may_hold` rejects segments, by themselves and the states after them.
    pub(super) fn search_backward<B>(
        &self,
        before: u64,
        may_hold: impl Fn(&Segment, &State) -> bool,
        mut visit: impl FnMut(&Event<'_>) -> ControlFlow<B>,
    ) -> Option<B> {
        let last = self.segment_of(before)?;
        for at in (0..=last).rev() {
            let segment = &self.segments[at];
            let after = self.segments.get(at + 1).map_or(&self.last, |next| &next.state);
            if !may_hold(segment, after) {
                continue;
            }
            let events = self.indexed(at);
            let is_before = |event: &Indexed| event.step < before || event.is_late && event.step == before;
            let end = events.partition_point(is_before);
            for event in events[..end].iter().rev() {
                if let ControlFlow::Break(found) = visit(&segment.event(event)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Like [`Self::backward`], with the state before each event. Each segment is replayed once.
    pub fn backward_with_state<B>(
        &self,
        before: u64,
        mut visit: impl FnMut(&Event<'_>, &State) -> Option<B>,
    ) -> Option<B> {
        let last = self.segment_of(before)?;
        for segment in self.segments[..=last].iter().rev() {
            let mut state = segment.state.clone();
            let mut found = None;
            for event in segment.events().take_while(|event| event.step < before) {
                if let Some(here) = visit(&event, &state) {
                    found = Some(here);
                }
                state.apply(&event, &self.layout);
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn indexed(&self, at: usize) -> Arc<[Indexed]> {
        let mut index = self.index.borrow_mut();
        if let Some(known) = index.iter().position(|(known, _)| *known == at) {
            index.swap(0, known);
            return Arc::clone(&index[0].1);
        }
        let segment = &self.segments[at];
        let start = segment.bytes.as_ptr() as usize;
        let range = |part: &[u8]| {
            let first = if part.is_empty() { 0 } else { part.as_ptr() as usize - start };
            first..first + part.len()
        };
        let indexed = |event: Event<'_>| event.map(|part| range(part));
        let events: Arc<[Indexed]> = segment.events().map(indexed).collect();
        index.truncate(INDEXED - 1);
        index.push_front((at, Arc::clone(&events)));
        events
    }

    pub fn event(&self, step: u64) -> Option<Event<'_>> {
        let at = self.segment_of(step)?;
        let events = self.indexed(at);
        let first = events.partition_point(|event| event.step < step || event.is_late && event.step == step);
        events.get(first).filter(|event| event.step == step).map(|event| self.segments[at].event(event))
    }
}
