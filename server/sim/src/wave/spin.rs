//! Detects spinning: a wave reaches the top of a loop again with the same registers, masks and frames, and memory has not changed
//! in between.
//!
//! A snapshot is taken at visit 256 and then whenever the number of visits has doubled, so every cycle is found within about
//! twice its length; a comparison starts with the row that differed last time and nearly always ends there.

use crate::trace::Mask;

use super::frames::Frames;
use super::lanes::Rows;

/// Visits of loop tops without a change of memory before comparisons start.
const PATIENCE: u64 = 256;

/// The state that determines the future of a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Snapshot<const W: usize> {
    pc: u32,
    active: Mask,
    predicates: [Mask; 4],
    frames: Frames,
    rows: Rows<W>,
}

/// The spin detector of one wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpinWatch<const W: usize> {
    changes: u64,
    visits: u64,
    snapshot: Option<Box<Snapshot<W>>>,
    /// The row that differed last.
    hint: usize,
}

impl<const W: usize> SpinWatch<W> {
    /// Whether the wave is in a previous state; called at the top of every iteration of a loop. `changes` counts the stores that
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
