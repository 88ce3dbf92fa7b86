//! The named barriers of a block: arrivals, waiting groups, completion.

use super::pause::{Arrival, ArrivalForm, Votes};
use crate::registers::WIDTH;

pub(super) const COUNT: usize = 16;

#[derive(Clone)]
pub(super) struct Barrier<W> {
    /// Arrived threads, as the hardware counts them.
    pub(super) arrived: u32,
    /// The arrived threads of each warp.
    pub(super) masks: Vec<u32>,
    /// Number of threads that must arrive, if the program specifies it.
    pub(super) expected: Option<u32>,
    /// The form of the first arrival, and its statement.
    form: Option<(ArrivalForm, u32)>,
    pub(super) waiting: Vec<Waiting<W>>,
    pub(super) votes: Votes,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting<W = ()> {
    pub(super) warp: usize,
    pub(super) mask: u32,
    pub(super) statement: u32,
    pub(super) wait: W,
}

impl<W> Default for Barrier<W> {
    fn default() -> Self {
        let votes = Votes::default();
        Barrier { arrived: 0, masks: Vec::new(), expected: None, form: None, waiting: Vec::new(), votes }
    }
}

impl<W: Copy> Barrier<W> {
    /// Lanes of a warp arrive, in a block with this number of warps.
    pub(super) fn arrive(&mut self, warps: usize, warp: usize, arrival: &Arrival<W>) {
        let &Arrival { mask, statement, .. } = arrival;
        self.masks.resize(warps, 0);
        self.masks[warp] |= arrival.arrived;
        self.expected = arrival.count.or(self.expected);
        self.form.get_or_insert((arrival.form, statement));
        self.arrived += arrival.threads;
        self.votes.yes += arrival.yes.count_ones();
        self.votes.voters += mask.count_ones();
        self.waiting.extend(arrival.wait.map(|wait| Waiting { warp, mask, statement, wait }));
    }

    /// The statement of earlier arrivals that expect a different count, and that count. No count stands for all threads of the
    /// block's warps.
    pub(super) fn disagrees(&self, warps: usize, count: Option<u32>) -> Option<(u32, Option<u32>)> {
        let (_, statement) = self.form?;
        let threads = |count: Option<u32>| count.unwrap_or((warps * WIDTH) as u32);
        (threads(self.expected) != threads(count)).then_some((statement, self.expected))
    }

    /// The statement of an earlier arrival of another form.
    pub(super) fn differs(&self, form: ArrivalForm) -> Option<(u32, ArrivalForm)> {
        let (first, statement) = self.form?;
        (first != form).then_some((statement, first))
    }

    /// Whether all required threads have arrived. Without a count, these are all threads of the block that have not exited.
    /// `live` are the lanes of each warp.
    pub(super) fn is_complete(&self, live: impl Iterator<Item = u32>) -> bool {
        if self.masks.is_empty() {
            return false;
        }
        match self.expected {
            Some(count) => {
                self.arrived >= count || !self.waiting.is_empty() && self.waits_for_exited(count, live)
            }
            None => live.zip(&self.masks).all(|(live, arrived)| live & !arrived == 0),
        }
    }

    /// Whether only threads that have exited are missing: these never block a barrier (PTX ISA, `exit`).
    fn waits_for_exited(&self, count: u32, live: impl Iterator<Item = u32>) -> bool {
        let mut missing = count - self.arrived;
        for (live, arrived) in live.zip(&self.masks) {
            if live & !arrived != 0 {
                return false;
            }
            missing = missing.saturating_sub(live.count_zeros());
        }
        missing == 0
    }

    pub(super) fn waiting_lanes(&self) -> Vec<u32> {
        let mut lanes = vec![0; self.masks.len()];
        for waiting in &self.waiting {
            lanes[waiting.warp] |= waiting.mask;
        }
        lanes
    }

    /// Resets the barrier; the capacity of its lists stays.
    pub(super) fn reset(&mut self) {
        self.masks.clear();
        self.waiting.clear();
        (self.arrived, self.expected, self.votes) = (0, None, Votes::default());
        self.form = None;
    }
}
