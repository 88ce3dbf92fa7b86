//! Which block of a launch runs next under a schedule: they start in another order, and take turns when the scheduler
//! switches. A launch with clusters applies this to clusters.

use super::Scheduler;

/// How many of the blocks that have not started the next one is chosen from.
const CANDIDATES: usize = 64;
/// Preempted blocks; beyond it, no further one starts.
const MAX_RESIDENT: usize = 64;

/// The blocks that have not started.
#[derive(Debug)]
pub struct Unstarted {
    candidates: Vec<u64>,
    rest: std::ops::Range<u64>,
    /// The block that ran last.
    last: Option<u64>,
}

/// A block that has started and does not run.
#[derive(Clone, Copy, Debug)]
pub struct Suspended {
    pub number: u64,
    pub is_preempted: bool,
    /// Whether it can run now.
    pub is_ready: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextBlock {
    /// The block with this number starts.
    Start(u64),
    /// The suspended block at this index continues.
    Resume(usize),
}

impl Unstarted {
    pub fn new(blocks: u64) -> Unstarted {
        let candidates = blocks.min(CANDIDATES as u64);
        Unstarted { candidates: (0..candidates).collect(), rest: candidates..blocks, last: None }
    }

    fn take(&mut self, choice: usize) -> u64 {
        let number = self.candidates.remove(choice);
        self.candidates.extend(self.rest.next());
        number
    }

    /// A block that can run, preferably not the one that ran last; `None` if there is none.
    pub fn next(&mut self, suspended: &[Suspended], scheduler: &mut Scheduler) -> Option<NextBlock> {
        let mut ready: Vec<usize> = (0..suspended.len()).filter(|at| suspended[*at].is_ready).collect();
        let preempted = ready.iter().filter(|at| suspended[**at].is_preempted).count();
        let may_start = !self.candidates.is_empty() && preempted < MAX_RESIDENT;
        if ready.len() + usize::from(may_start) > 1 {
            ready.retain(|at| Some(suspended[*at].number) != self.last);
        }
        let (next, number) = if may_start && (ready.is_empty() || scheduler.choose(2) == 1) {
            let number = self.take(scheduler.choose(self.candidates.len()));
            (NextBlock::Start(number), number)
        } else {
            let choice = *ready.get(scheduler.choose(ready.len()))?;
            (NextBlock::Resume(choice), suspended[choice].number)
        };
        self.last = Some(number);
        Some(next)
    }
}
