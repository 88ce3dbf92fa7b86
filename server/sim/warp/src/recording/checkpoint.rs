//! Checkpoints of a launch: a run goes on from one of them instead of from the start.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::state::State;

/// A run that has come to a step without sending any.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) step: u64,
    /// About how many bytes it takes.
    bytes: usize,
    pub(super) machine: Box<dyn Any + Send + Sync>,
    /// What the warps held that had ended.
    pub(super) held: Held,
}

/// What warps held that have ended, and the step after the last one of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) state: State,
    /// The bytes of the state.
    pub(super) bytes: usize,
    pub(super) ends: FxHashMap<u32, u64>,
}

/// The checkpoints of a launch in order of their steps. When they take too many bytes, every other one is dropped.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    kept: Vec<Arc<Checkpoint>>,
    /// The steps between two of them, at least.
    interval: u64,
    max_bytes: usize,
}

impl Checkpoints {
    /// No checkpoints yet; they will be at least `interval` steps apart and take at most about `max_bytes`.
    pub fn new(interval: u64, max_bytes: usize) -> Checkpoints {
        Checkpoints { kept: Vec::new(), interval, max_bytes }
    }

    /// No checkpoints, now or later.
    pub fn none() -> Checkpoints {
        Checkpoints::new(u64::MAX, 0)
    }

    /// The last one before a step, or at it.
    pub(super) fn before(&self, step: u64) -> Option<&Arc<Checkpoint>> {
        let after = self.kept.partition_point(|checkpoint| checkpoint.step <= step);
        after.checked_sub(1).map(|at| &self.kept[at])
    }

    /// The step from which on a run should leave the next one.
    pub(super) fn next(&self) -> u64 {
        self.kept.last().map_or(0, |last| last.step).saturating_add(self.interval)
    }

    /// Whether one of about this size fits; if not, none will be left from now on.
    pub(super) fn admit(&mut self, bytes: usize) -> bool {
        if bytes > self.max_bytes {
            self.interval = u64::MAX;
        }
        bytes <= self.max_bytes
    }

    /// Adds one after all others.
    pub(super) fn add(&mut self, step: u64, bytes: usize, machine: Box<dyn Any + Send + Sync>, held: Held) {
        let bytes = bytes + held.bytes;
        self.kept.push(Arc::new(Checkpoint { step, bytes, machine, held }));
        while self.bytes() > self.max_bytes {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.interval = self.interval.saturating_mul(2);
        }
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(|checkpoint| checkpoint.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_fit_and_stay_in_order() {
        let mut checkpoints = Checkpoints::new(10, 100);
        for step in 0..1000 {
            if step >= checkpoints.next() {
                checkpoints.add(step, 20, Box::new(step), Held::default());
            }
        }
        let steps: Vec<u64> = checkpoints.kept.iter().map(|checkpoint| checkpoint.step).collect();
        assert_eq!(steps, [320, 640, 960]);
        assert!(checkpoints.before(319).is_none());
        assert_eq!(checkpoints.before(959).map(|checkpoint| checkpoint.step), Some(640));
    }

    #[test]
    fn one_that_does_not_fit_ends_it() {
        let mut checkpoints = Checkpoints::new(10, 100);
        assert!(checkpoints.admit(100));
        assert!(!checkpoints.admit(101));
        assert_eq!(checkpoints.next(), u64::MAX);
    }
}
