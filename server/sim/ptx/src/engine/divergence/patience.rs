//! How many iterations a group may run before other lanes stop waiting for it.

/// Iterations of a loop that reads memory but neither stores nor exits: it may be waiting for other lanes.
const POLLING: u32 = 64;
/// Iterations of any loop that does not exit; this limit guarantees forward progress.
const WHATEVER: u32 = 4096;

/// The iterations of a group since it diverged from the lanes that wait for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Patience {
    /// The count of memory changes when counting started.
    changes: u64,
    /// Iterations by backward branch.
    polls: Vec<(u32, u32)>,
    iterations: u32,
}

impl Patience {
    /// The group takes the backward branch `from`; `reads` tests whether the loop reads memory.
    pub(super) fn count_iteration(&mut self, from: u32, changes: u64, reads: impl FnOnce() -> bool) {
        if self.changes != changes {
            self.changes = changes;
            self.polls.clear();
        }
        self.iterations = (self.iterations + 1).min(WHATEVER);
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

    /// Merges the counts of two groups: only what both have counted remains.
    pub(super) fn merge(&mut self, other: &Patience) {
        self.changes = self.changes.max(other.changes);
        self.iterations = self.iterations.min(other.iterations);
        self.polls.retain_mut(|(branch, count)| {
            let known = other.polls.iter().find(|(theirs, _)| theirs == branch);
            known.is_some_and(|(_, theirs)| {
                *count = (*count).min(*theirs);
                true
            })
        });
    }

    pub(super) fn is_over(&self) -> bool {
        self.iterations >= WHATEVER || self.polls.iter().any(|(_, count)| *count >= POLLING)
    }
}
