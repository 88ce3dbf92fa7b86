//! Notices a wave that goes round and round without getting anywhere: it comes back to the top of a loop with the same registers,
//! masks and frames, and memory has not changed in between.
//!
//! A snapshot is taken at visit 256 and then whenever the number of visits has doubled, so every cycle is found within about
//! twice its length; a comparison begins with the row that differed last time and nearly always ends there.

use crate::trace::Mask;

use super::frames::Frames;
use super::lanes::Rows;

/// Visits of loop tops, without a change in memory, after which looking pays.
const PATIENCE: u64 = 256;

/// What must be the same for a wave to do the same again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Snapshot<const W: usize> {
    pc: u32,
    active: Mask,
    predicates: [Mask; 4],
    frames: Frames,
    rows: Rows<W>,
}

/// Watches one wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpinWatch<const W: usize> {
    changes: u64,
    visits: u64,
    snapshot: Option<Box<Snapshot<W>>>,
    /// The row that differed last.
    hint: usize,
}

impl<const W: usize> SpinWatch<W> {
    /// Whether the wave is where it was before; to be asked at the top of every trip of a loop. `changes` counts the stores that
    /// changed memory.
    #[inline]
    pub(crate) fn is_back(
        &mut self,
        changes: u64,
        (pc, active, predicates): (u32, Mask, [Mask; 4]),
        frames: &Frames,
        rows: &Rows<W>,
    ) -> bool {
        if changes != self.changes {
            *self = SpinWatch { changes, ..SpinWatch::default() };
        }
        self.visits += 1;
        if self.visits < PATIENCE {
            return false;
        }
        if let Some(then) = &self.snapshot
            && (then.pc, then.active, then.predicates) == (pc, active, predicates)
            && then.rows.all().get(self.hint) == rows.all().get(self.hint)
        {
            let different = then.rows.all().iter().zip(rows.all()).position(|(then, now)| then != now);
            match different {
                Some(row) => self.hint = row,
                None if then.frames == *frames => return true,
                None => {}
            }
        }
        if self.visits.is_power_of_two() {
            let (frames, rows) = (frames.clone(), rows.clone());
            self.snapshot = Some(Box::new(Snapshot { pc, active, predicates, frames, rows }));
        }
        false
    }
}
