//! The facts that each walk passes to the next one, about loops, labels and functions. They grow
//! monotonically.

use super::super::cells::Cells;
use super::known::Known;
use crate::Variance;

/// The facts at the end of one path, and whether it is unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) known: Known,
    pub(crate) dead: bool,
}

impl Side {
    pub(crate) const DEAD: Side = Side { known: Known::ALL_SHARED, dead: true };
    /// A reachable path with unknown registers.
    pub(crate) const NOTHING: Side = Side { known: Known::NOTHING, dead: false };
    /// The start of a kernel, where the launch passes the same values to all lanes.
    pub(crate) const START: Side = Side { known: Known::ALL_SHARED, dead: false };

    /// Merges another path and returns whether that changed anything.
    pub(crate) fn join(&mut self, other: &Side) -> bool {
        match (self.dead, other.dead) {
            (_, true) => false,
            (true, false) => {
                *self = *other;
                true
            }
            (false, false) => self.known.join(&other.known),
        }
    }
}

/// The facts of all walks so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learned {
    /// By loop, in text order.
    pub(super) loops: Vec<LoopFacts>,
    /// By label, in text order.
    pub(super) labels: Vec<Arrival>,
    /// By function; the kernel itself is the first.
    pub(super) functions: Vec<Returned>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LoopFacts {
    /// The facts at the top of every iteration but the first.
    pub(super) top: Known,
    /// How much lanes that exit the loop in different iterations diverge, and the `break` at which they exit.
    pub(super) breaks: Option<(Variance, u32)>,
    /// How much lanes diverge from some `continue` to the end of an iteration, and that `continue`.
    pub(super) continues: Option<(Variance, u32)>,
    /// The first instruction at which that `continue` may keep lanes apart.
    pub(super) apart_from: u32,
}

impl LoopFacts {
    /// Whether the lanes in the loop may be diverged at one of its instructions.
    pub(super) fn apart(&self, at: usize) -> Option<(Variance, u32)> {
        let continued = self.continues.filter(|_| at >= self.apart_from as usize);
        continued.into_iter().chain(self.breaks).max_by_key(|(variance, _)| *variance)
    }
}

/// The facts of calls to a label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(super) side: Side,
    /// The divergence because of which some call reaches the label with only some of the lanes.
    pub(super) apart: Option<u32>,
}

/// The facts about what a function returns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Returned {
    pub(super) side: Side,
    /// The registers that the function and its callees may have written.
    pub(super) writes: Cells,
    /// Whether some lanes return before others and wait for them.
    pub(super) early: bool,
}

impl Learned {
    pub(super) fn nothing(loops: usize, labels: usize, functions: usize) -> Learned {
        Learned {
            loops: vec![LoopFacts::default(); loops],
            labels: vec![Arrival { side: Side::DEAD, apart: None }; labels],
            functions: vec![Returned { side: Side::DEAD, writes: Cells::NONE, early: false }; functions],
        }
    }
}
