//! The state of a wave that spin detection compares at the top of each iteration of a loop.

use crate::trace::Mask;
use crate::warp::spin;

use super::frames::Frames;
use super::lanes::Rows;
use super::program::PREDICATES;

/// The program counter, the active lanes, and the predicates.
pub(crate) type Position = (u32, Mask, [Mask; PREDICATES]);

/// The spin detector of a wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpinDetector<const W: usize> {
    detector: spin::SpinDetector<(Position, Frames, Rows<W>), 256, 1>,
    /// The row that differed last: a comparison starts with it and nearly always ends there.
    hint: usize,
}

impl<const W: usize> SpinDetector<W> {
    /// Whether the wave repeats an earlier state. `changes` counts the stores that changed memory.
    #[inline]
    pub(crate) fn is_spinning(
        &mut self,
        changes: u64,
        position: Position,
        frames: &Frames,
        rows: &Rows<W>,
    ) -> bool {
        if !self.detector.is_due(changes) {
            return false;
        }
        let hint = &mut self.hint;
        let is_same = |(other, other_frames, other_rows): &(Position, Frames, Rows<W>)| {
            if *other != position || other_rows.all().get(*hint) != rows.all().get(*hint) {
                return false;
            }
            match other_rows.all().iter().zip(rows.all()).position(|(other, now)| other != now) {
                Some(row) => {
                    *hint = row;
                    false
                }
                None => other_frames == frames,
            }
        };
        self.detector.repeats(is_same, || (position, frames.clone(), rows.clone()))
    }
}
