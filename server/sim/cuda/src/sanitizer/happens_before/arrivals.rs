//! Arrivals at barriers: whether a thread knows of them, and what those that do not wait leave for those that do.

use super::{Agent, HappensBefore, Origin, Stamp, Thread};
use crate::grown::grown;
use crate::registers::lanes;

/// Lanes of a warp that arrive together at a statement. The stamp's lane has no meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) stamp: Stamp,
    pub(crate) lanes: u32,
}

impl Arrival {
    pub(crate) fn first_lane(self) -> Stamp {
        self.stamp.of_lane(self.lanes.trailing_zeros())
    }
}

impl HappensBefore {
    /// The lanes whose arrival does not happen before what the thread does now. After reading a flag, a thread needs no fence if
    /// `strong`.
    pub(crate) fn unordered(&self, arrival: Arrival, thread: Thread, strong: bool) -> u32 {
        let Arrival { stamp, lanes: mask } = arrival;
        if self.settled(stamp.epoch) || self.knows_warp(stamp.epoch, thread) {
            return 0;
        }
        let is_unordered = |lane: &usize| !self.ordered(stamp.of_lane(*lane as u32), thread, strong);
        lanes(mask).filter(is_unordered).fold(0, |unordered, lane| unordered | 1 << lane)
    }

    /// Whether the thread knows this epoch of all lanes of the epoch's warp. May return `false` even if so.
    fn knows_warp(&self, epoch: u32, thread: Thread) -> bool {
        let Some(Origin { block, warp }) = self.origin(epoch) else { return true };
        let mine = &self.block.warps[thread.warp as usize];
        let own_clock = mine.lanes.as_ref().map(|lanes| &lanes[thread.lane as usize].knows);
        [&self.block.common].into_iter().chain(own_clock).any(|clock| clock.covers_warp(block, warp, epoch))
    }

    /// Lanes arrive at a barrier of the block without waiting: keeps what they know now for the threads that wait. What they do
    /// later is not ordered by the barrier.
    pub(crate) fn arrive_only(&mut self, barrier: u32, warp: u32, live: u32, mask: u32) {
        let number = self.block.number;
        let (of_warp, is_whole) = (self.latest(), live & !mask == 0);
        let clock = &mut self.block.warps[warp as usize];
        clock.epoch = 0;
        let left = grown(&mut self.block.left, barrier);
        match is_whole {
            true => left.knows.learn(Agent::Warp(number, warp), of_warp),
            false => {
                lanes(mask).for_each(|lane| left.knows.learn(Agent::Lane(number, warp, lane as u8), of_warp))
            }
        }
        clock.add_to(left, mask, number);
    }
}
