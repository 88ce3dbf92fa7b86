//! How long a group may go round before others no longer wait for it.

/// Trips round a loop that reads memory, while nobody stores and no lane leaves: it may wait for somebody.
const POLLING: u32 = 64;
/// Trips round whatever loop while no lane leaves: who waits for it must get on some time.
const WHATEVER: u32 = 4096;

/// What a group has done since its lanes came together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Patience {
    /// The state of memory when the counts began.
    changes: u64,
    /// By backward branch: how often it was taken since.
    polls: Vec<(u32, u32)>,
    trips: u32,
}

impl Patience {
    /// The group takes the backward branch `from` into a loop that reads memory, or not.
    pub(super) fn trip(&mut self, from: u32, changes: u64, reads: impl FnOnce() -> bool) {
        if self.changes != changes {
            self.changes = changes;
            self.polls.clear();
        }
        self.trips = (self.trips + 1).min(WHATEVER);
        let known = self.polls.iter().position(|(branch, _)| *branch == from);
        let at = known.unwrap_or(self.polls.len());
        if known.is_none() {
            self.polls.push((from, 0));
        }
        let count = &mut self.polls[at].1;
        *count = (*count + 1).min(POLLING);
        if *count == POLLING && !reads() {
            *count = 0;
        }
    }

    /// Whether it is at an end.
    pub(super) fn is_over(&self) -> bool {
        self.trips >= WHATEVER || self.polls.iter().any(|(_, count)| *count >= POLLING)
    }
}
