//! Detection of spin loops.
//!
//! A warp that returns to an earlier state, with no memory change in between, repeats forever unless another warp
//! stores. A language calls [`SpinDetector::is_due`] at backward branches. States are compared with a snapshot that is
//! replaced whenever the number of branches doubles, so any cycle is found in time proportional to its length.

/// Backward branches after which a warp that polls memory lets others run; doubled each time.
const POLL_PATIENCE: u64 = 1024;

/// The spin detector of one warp. `S` is the state that determines what the warp does next, `PATIENCE` the number of
/// backward branches before the first comparison, `INTERVAL` the number between comparisons.
#[derive(Clone, Debug)]
pub struct SpinDetector<S, const PATIENCE: u64, const INTERVAL: u64> {
    branches: u64,
    changes: u64,
    /// The number of branches at which a polling warp lets others run.
    poll_patience: u64,
    snapshot: Option<Box<S>>,
}

impl<S, const PATIENCE: u64, const INTERVAL: u64> Default for SpinDetector<S, PATIENCE, INTERVAL> {
    fn default() -> Self {
        SpinDetector { branches: 0, changes: 0, poll_patience: POLL_PATIENCE, snapshot: None }
    }
}

impl<S, const PATIENCE: u64, const INTERVAL: u64> SpinDetector<S, PATIENCE, INTERVAL> {
    /// Counts a backward branch; returns whether to compare states now. `changes` counts the stores that changed memory.
    #[inline]
    pub fn is_due(&mut self, changes: u64) -> bool {
        if self.changes != changes {
            *self = SpinDetector { changes, ..SpinDetector::default() };
        }
        self.branches += 1;
        self.branches >= PATIENCE && self.branches.is_multiple_of(INTERVAL)
    }

    /// Backward branches since the last memory change.
    #[inline]
    pub fn branches(&self) -> u64 {
        self.branches
    }

    /// Whether a warp that polls memory lets others run now.
    pub fn yields(&mut self) -> bool {
        let yields = self.branches >= self.poll_patience;
        if yields {
            self.poll_patience = 2 * self.branches;
        }
        yields
    }

    /// Whether the warp repeats. `is_same` compares its state with the snapshot; `snapshot` copies the state.
    #[inline]
    pub fn repeats(&mut self, is_same: impl FnOnce(&S) -> bool, snapshot: impl FnOnce() -> S) -> bool {
        if self.snapshot.as_deref().is_some_and(is_same) {
            return true;
        }
        if self.branches.is_power_of_two() {
            self.snapshot = Some(Box::new(snapshot()));
        }
        false
    }
}
