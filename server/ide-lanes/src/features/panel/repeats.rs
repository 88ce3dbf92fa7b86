//! Iterations that repeat the same visits with the same lanes, as those of a loop that polls: a time line shows one of them and
//! their number.

use std::ops::Range;

use serde::Serialize;

use super::walk::Piece;

/// The most pieces of an iteration.
const MAX_PERIOD: usize = 8;

/// The fewest iterations that are one repeat.
const LEAST: u64 = 16;

/// The most repeats of a warp.
const MAX_REPEATS: usize = 1_000;

/// Equal iterations that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Repeat {
    /// The first step of the first iteration.
    step: u64,
    /// The steps of an iteration.
    length: u64,
    count: u64,
}

impl Repeat {
    pub(crate) fn steps(&self) -> Range<u64> {
        self.step..self.step + self.length * self.count
    }

    /// The whole iterations within a page, if there are several.
    pub(crate) fn within(&self, page: &Range<u64>) -> Option<Repeat> {
        let Repeat { step, length, .. } = *self;
        let before = page.start.saturating_sub(step).div_ceil(length);
        let end = self.steps().end.min(page.end);
        let count = (end.saturating_sub(step) / length).saturating_sub(before);
        (count > 1).then_some(Repeat { step: step + before * length, length, count })
    }

    /// The steps of all iterations but the first.
    pub(crate) fn hidden(&self) -> Range<u64> {
        self.step + self.length..self.steps().end
    }
}

/// The last pieces that were equal to those one period before.
#[derive(Debug, Clone, Copy, Default)]
struct Matching {
    pieces: u64,
    step: u64,
    length: u64,
}

/// Finds the repeats of a warp, in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// The number of pieces, and the last ones in a ring.
    pieces: usize,
    recent: [Option<Piece>; MAX_PERIOD],
    /// By period, from 1.
    matching: [Matching; MAX_PERIOD],
    found: Vec<Repeat>,
}

impl Repeats {
    pub(crate) fn piece(&mut self, piece: &Piece) {
        for period in 1..=MAX_PERIOD {
            let before = self.pieces.checked_sub(period).and_then(|at| self.recent[at % MAX_PERIOD]);
            match before.filter(|before| is_same(before, piece)) {
                Some(before) => {
                    let matching = &mut self.matching[period - 1];
                    if matching.pieces == 0 {
                        (matching.step, matching.length) = (before.step, piece.step - before.step);
                    }
                    matching.pieces += 1;
                }
                None => self.close(period),
            }
        }
        self.recent[self.pieces % MAX_PERIOD] = Some(*piece);
        self.pieces += 1;
    }

    fn close(&mut self, period: usize) {
        let Matching { pieces, step, length } = std::mem::take(&mut self.matching[period - 1]);
        let count = pieces / period as u64 + 1;
        if count >= LEAST && self.found.len() < MAX_REPEATS {
            self.found.push(Repeat { step, length, count });
        }
    }

    /// The repeats in the order of steps. If several periods fit, the shortest.
    pub(crate) fn finish(mut self) -> Vec<Repeat> {
        (1..=MAX_PERIOD).for_each(|period| self.close(period));
        self.found.sort_by_key(|repeat| (repeat.step, repeat.length));
        let mut end = 0;
        self.found.retain(|repeat| {
            let is_after = repeat.step >= end;
            end = if is_after { repeat.steps().end } else { end };
            is_after
        });
        self.found
    }
}

fn is_same(one: &Piece, other: &Piece) -> bool {
    (one.first, one.end, one.active, one.executed) == (other.first, other.end, other.active, other.executed)
}

#[cfg(test)]
mod tests {
    use warplens_sim_warp::Mask;

    use super::*;

    /// The repeats of pieces of two steps: the statement and the lanes of each.
    fn repeats(pieces: impl IntoIterator<Item = (u32, Mask)>) -> Vec<(u64, u64, u64)> {
        let mut repeats = Repeats::default();
        for (step, (first, active)) in (0..).step_by(2).zip(pieces) {
            let (end, block, starts, executed) = (first + 2, first, true, active);
            repeats.piece(&Piece { step, first, end, block, starts, active, executed });
        }
        repeats.finish().iter().map(|Repeat { step, length, count }| (*step, *length, *count)).collect()
    }

    fn times(pieces: &[(u32, Mask)], count: usize) -> Vec<(u32, Mask)> {
        pieces.repeat(count)
    }

    #[test]
    fn equal_iterations_are_one_repeat() {
        let polls = [vec![(0, 15)], times(&[(2, 15)], 100), vec![(4, 15)]].concat();
        assert_eq!(repeats(polls), [(2, 2, 100)]);
        let two = [times(&[(0, 15), (2, 3)], 20), vec![(4, 15)], times(&[(6, 1)], 16)].concat();
        assert_eq!(repeats(two), [(0, 4, 20), (82, 2, 16)]);
    }

    #[test]
    fn a_page_has_the_whole_iterations_within_it() {
        let repeat = Repeat { step: 10, length: 3, count: 100 };
        let within = |page: Range<u64>| repeat.within(&page).map(|repeat| (repeat.step, repeat.count));
        assert_eq!(within(0..1_000), Some((10, 100)));
        assert_eq!(within(11..21), Some((13, 2)));
        assert_eq!(within(12..18), None);
        assert_eq!(within(400..500), None);
    }

    #[test]
    fn few_iterations_or_other_lanes_are_none() {
        assert_eq!(repeats(times(&[(0, 15)], 15)), []);
        assert_eq!(repeats((0..100).map(|lanes| (0, lanes))), []);
    }

    #[test]
    fn an_iteration_that_ends_early_is_not_counted() {
        let cut = [times(&[(0, 15), (2, 3), (4, 1)], 30), vec![(0, 15), (2, 3), (9, 1)]].concat();
        assert_eq!(repeats(cut), [(0, 6, 30)]);
    }
}
