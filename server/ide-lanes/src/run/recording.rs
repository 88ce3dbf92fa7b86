//! A compact recording of the steps of a warp, made while it runs.
//!
//! Steps are kept as ranges of statements with the same lanes. A run has few different ranges, which its loops repeat: each is
//! stored once, and the run is a sequence of their numbers, mostly one byte each.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use warplens_sim_warp::{Mask, StepSink, StepStream, WarpId, WarpSteps};

const MAX_BYTES: usize = 48 << 20;

/// The most ranges that are stored once; further ranges are stored in the sequence.
const MAX_SHARED: usize = 1 << 16;

/// The bytes of a shared range, with its entry in the table of numbers.
const SHARED_BYTES: usize = 80;

/// Precedes a range that is stored in the sequence.
const INLINE: u64 = 0;

/// The number of ranges between two known positions in the sequence.
const POSITION_INTERVAL: u64 = 1 << 12;

/// Statements `first..end` with the same lanes, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StepRange {
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) active: Mask,
    pub(crate) executed: Mask,
}

impl StepRange {
    pub(crate) fn steps(&self) -> u64 {
        u64::from(self.end - self.first)
    }

    pub(crate) fn contains(&self, statement: u32) -> bool {
        (self.first..self.end).contains(&statement)
    }
}

#[derive(Debug, Clone, Copy)]
struct SequencePosition {
    step: u64,
    byte: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Recording {
    shared: Vec<StepRange>,
    /// The numbers of the ranges in order of execution, from 1.
    sequence: Vec<u8>,
    positions: Vec<SequencePosition>,
    steps: u64,
}

impl Recording {
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn held_bytes(&self) -> usize {
        self.sequence.len() + size_of_val(&*self.shared)
    }

    /// The ranges in order, with their first steps.
    pub(crate) fn ranges(&self) -> Ranges<'_> {
        Ranges { recording: self, step: 0, byte: 0 }
    }

    /// The ranges from the one that contains a step.
    pub(crate) fn ranges_from(&self, step: u64) -> Ranges<'_> {
        let after = self.positions.partition_point(|position| position.step <= step);
        let position =
            after.checked_sub(1).map_or(SequencePosition { step: 0, byte: 0 }, |at| self.positions[at]);
        let mut ranges = Ranges { recording: self, step: position.step, byte: position.byte };
        loop {
            let here = Ranges { ..ranges };
            match ranges.next() {
                Some((first, range)) if first + range.steps() <= step => {}
                _ => return here,
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Ranges<'r> {
    recording: &'r Recording,
    step: u64,
    byte: usize,
}

impl Ranges<'_> {
    /// A number with seven bits in each byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *self.recording.sequence.get(self.byte)?;
            self.byte += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

impl Iterator for Ranges<'_> {
    type Item = (u64, StepRange);

    #[inline]
    fn next(&mut self) -> Option<(u64, StepRange)> {
        let range = match self.number()? {
            INLINE => {
                let first = self.number()? as u32;
                let end = first + self.number()? as u32;
                let active = self.number()?;
                StepRange { first, end, active, executed: active & !self.number()? }
            }
            number => *self.recording.shared.get(number as usize - 1)?,
        };
        let step = self.step;
        self.step += range.steps();
        Some((step, range))
    }
}

/// Records steps while a warp runs.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    recording: Recording,
    numbers: FxHashMap<StepRange, u64>,
    /// The last range, which may be continued.
    open: Option<StepRange>,
    ranges: u64,
    is_full: bool,
}

impl Recorder {
    /// The recording; `None` if it does not fit.
    pub(crate) fn finish(mut self) -> Option<Recording> {
        self.close();
        let mut recording = self.recording;
        recording.sequence.shrink_to_fit();
        (!self.is_full).then_some(recording)
    }

    fn close(&mut self) {
        let Some(range) = self.open.take().filter(|_| !self.is_full) else { return };
        let recording = &mut self.recording;
        if self.ranges.is_multiple_of(POSITION_INTERVAL) {
            recording
                .positions
                .push(SequencePosition { step: recording.steps, byte: recording.sequence.len() });
        }
        self.ranges += 1;
        recording.steps += range.steps();
        let known = self.numbers.get(&range).copied();
        match known {
            Some(number) => put(&mut recording.sequence, number),
            None if recording.shared.len() < MAX_SHARED => {
                recording.shared.push(range);
                let number = recording.shared.len() as u64;
                self.numbers.insert(range, number);
                put(&mut recording.sequence, number);
            }
            None => {
                let StepRange { first, end, active, executed } = range;
                let numbers = [INLINE, first.into(), (end - first).into(), active, active & !executed];
                numbers.into_iter().for_each(|number| put(&mut recording.sequence, number));
            }
        }
        if recording.sequence.len() + recording.shared.len() * SHARED_BYTES > MAX_BYTES {
            *self = Recorder { is_full: true, ..Recorder::default() };
        }
    }
}

/// Appends a number with seven bits in each byte, the lowest first.
fn put(sequence: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        sequence.push(number as u8 | 0x80);
        number >>= 7;
    }
    sequence.push(number as u8);
}

impl StepSink for Recorder {
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        match &mut self.open {
            Some(open) if (open.end, open.active, open.executed) == (first, active, executed) => {
                open.end = end;
            }
            _ => {
                self.close();
                self.open = Some(StepRange { first, end, active, executed });
            }
        }
    }
}

/// A receiver of the steps of a warp, shared with the run that sends them.
pub(crate) struct SharedSink<S> {
    sink: Arc<Mutex<S>>,
    pub(crate) steps: WarpSteps,
}

impl<S: StepSink + 'static> SharedSink<S> {
    pub(crate) fn new(warp: WarpId, sink: S) -> SharedSink<S> {
        let sink = Arc::new(Mutex::new(sink));
        let steps = WarpSteps { warp, stream: StepStream::new(Arc::clone(&sink)) };
        SharedSink { sink, steps }
    }

    /// The receiver, after the run; `None` while the run still uses it.
    pub(crate) fn take(self) -> Option<S> {
        drop(self.steps);
        let sink = Arc::try_unwrap(self.sink).ok()?;
        Some(sink.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn range((first, length, active, off): (u32, u32, u64, u64)) -> StepRange {
        StepRange { first, end: first + length, active, executed: active & !off }
    }

    fn record(ranges: &[StepRange]) -> Recording {
        let mut recorder = Recorder::default();
        for &StepRange { first, end, active, executed } in ranges {
            recorder.steps(first, end, active, executed);
        }
        recorder.finish().expect("it fits")
    }

    /// Statement and lanes of each step.
    fn steps(ranges: impl Iterator<Item = StepRange>) -> Vec<(u32, Mask, Mask)> {
        let each = |range: StepRange| {
            (range.first..range.end).map(move |statement| (statement, range.active, range.executed))
        };
        ranges.flat_map(each).collect()
    }

    proptest! {
        #[test]
        fn a_recording_has_every_step(
            ranges in vec((0u32..300, 1u32..4, any::<u64>(), any::<u64>()), 0..80),
            repeats in 1usize..200,
            from in 0u64..20_000,
        ) {
            let ranges: Vec<StepRange> = ranges.into_iter().map(range).collect();
            let ranges = ranges.repeat(repeats);
            let recording = record(&ranges);
            let all = steps(ranges.into_iter());
            prop_assert_eq!(recording.steps(), all.len() as u64);
            prop_assert_eq!(&steps(recording.ranges().map(|(_, range)| range)), &all);
            let found = recording.ranges_from(from).next();
            prop_assert_eq!(found.is_some(), from < recording.steps());
            if let Some((first, range)) = found {
                prop_assert!((first..first + range.steps()).contains(&from));
                prop_assert_eq!(range.first + (from - first) as u32, all[from as usize].0);
            }
        }
    }

    #[test]
    fn ranges_that_are_not_shared_are_recorded_too() {
        let ranges: Vec<StepRange> =
            (0..MAX_SHARED as u64 + 50).map(|mask| range((7, 2, mask << 3, mask & 1))).collect();
        let recording = record(&ranges);
        assert_eq!(recording.shared.len(), MAX_SHARED);
        assert_eq!(recording.ranges().map(|(_, range)| range).collect::<Vec<_>>(), ranges);
    }

    #[test]
    fn a_loop_takes_a_byte_for_each_range() {
        let iteration = [range((3, 4, 0xff, 0)), range((7, 1, 0x0f, 0)), range((8, 2, 0xff, 0))];
        let recording = record(&iteration.repeat(10_000));
        assert_eq!((recording.sequence.len(), recording.steps()), (30_000, 70_000));
    }
}
