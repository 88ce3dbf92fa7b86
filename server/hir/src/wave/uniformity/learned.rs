//! What walks learn and the next ones begin with: of loops, of labels, and of functions. It only ever grows.

use super::super::cells::Cells;
use super::{Known, Variance};

/// What is known at the end of one way, and whether lanes come there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) known: Known,
    pub(crate) dead: bool,
}

impl Side {
    /// Where no lane comes.
    pub(crate) const DEAD: Side = Side { known: Known::ALL_SHARED, dead: true };
    /// Where lanes come with what nobody knows.
    pub(crate) const NOTHING: Side = Side { known: Known::NOTHING, dead: false };
    /// Where a kernel begins: a launch gives all lanes the same.
    pub(crate) const START: Side = Side { known: Known::ALL_SHARED, dead: false };

    /// Adds another way to the same place; says whether that was new.
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

/// What walks have learned.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learned {
    /// Of loops, in the order of the text.
    pub(super) loops: Vec<Trips>,
    /// Of labels, in the order of the text.
    pub(super) labels: Vec<Arrival>,
    /// Of functions; the kernel itself is the first.
    pub(super) functions: Vec<Returned>,
}

/// What walks have learned of a loop.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trips {
    /// What is known at the top of a trip after the first.
    pub(super) top: Known,
    /// Whether lanes leave it in different trips, and the `break` at which they do.
    pub(super) breaks: Option<(Variance, u32)>,
    /// Whether lanes are apart from some `continue` on to the end of a trip, and that `continue`.
    pub(super) continues: Option<(Variance, u32)>,
    /// The first instruction at which lanes may be apart because of it.
    pub(super) apart_from: u32,
}

impl Trips {
    /// Whether all lanes that are in the loop may not be together at an instruction of it.
    pub(super) fn apart(&self, at: usize) -> Option<(Variance, u32)> {
        let continued = self.continues.filter(|_| at >= self.apart_from as usize);
        continued.into_iter().chain(self.breaks).max_by_key(|(variance, _)| *variance)
    }
}

/// What callers bring to a label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(super) side: Side,
    /// Where lanes part that some call brings in part only.
    pub(super) apart: Option<u32>,
}

/// What a function leaves to its callers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Returned {
    /// What is known where it returns.
    pub(super) side: Side,
    /// What it may have written, with what it calls.
    pub(super) writes: Cells,
    /// Whether some lanes return before others, which they wait for.
    pub(super) early: bool,
}

impl Learned {
    pub(super) fn nothing(loops: usize, labels: usize, functions: usize) -> Learned {
        Learned {
            loops: vec![Trips::default(); loops],
            labels: vec![Arrival { side: Side::DEAD, apart: None }; labels],
            functions: vec![Returned { side: Side::DEAD, writes: Cells::NONE, early: false }; functions],
        }
    }
}
