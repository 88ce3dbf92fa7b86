//! Reconvergences of a wave: groups of lanes that wait in the divergence stack for each other.
//!
//! The stack holds masks only. This module records each waiting group separately, until the groups continue together.

use crate::reconvergences::ReconvergenceList;
use crate::trace::{Mask, Reconvergence, StatementId};

/// Bytes of reconvergences kept for a wave.
const BUDGET: usize = 16 << 10;

/// Where a group waits: the index of the frame, and whether it waits for the next iteration or for the end of the construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitPoint {
    pub(super) frame: usize,
    pub(super) top: bool,
}

/// The waiting groups of a wave, and its reconvergences so far.
#[derive(Debug)]
pub(crate) struct Reconvergences {
    waiting: Vec<(WaitPoint, Mask)>,
    found: ReconvergenceList,
}

impl Default for Reconvergences {
    fn default() -> Self {
        Reconvergences { waiting: Vec::new(), found: ReconvergenceList::with_budget(BUDGET) }
    }
}

impl Reconvergences {
    /// Records a group that waits at a point.
    pub(super) fn wait(&mut self, point: WaitPoint, lanes: Mask) {
        if lanes != 0 {
            self.waiting.push((point, lanes));
        }
    }

    /// Releases a wait point: `all` lanes continue at a statement; `arrived` of them have just arrived. `at` is `None` where they
    /// join other lanes before the next visit.
    pub(super) fn release(&mut self, point: WaitPoint, arrived: Mask, all: Mask, at: Option<StatementId>) {
        let arrived = arrived & all;
        let is_here = |(other, lanes): &&(WaitPoint, Mask)| *other == point && lanes & all != 0;
        // Usually no group waits; avoid the allocation then.
        if let Some(statement) = at
            && (arrived != 0 && arrived != all || self.waiting.iter().any(|group| is_here(&group)))
        {
            let waited = self.waiting.iter().filter(is_here).map(|(_, lanes)| lanes & all);
            let mut parts: Vec<Mask> = waited.chain(Some(arrived).filter(|arrived| *arrived != 0)).collect();
            // Lanes that were not recorded as waiting jumped there directly from the divergent branch.
            let direct = parts.iter().fold(all, |lanes, part| lanes & !part);
            parts.extend(Some(direct).filter(|lanes| *lanes != 0));
            if parts.len() > 1 {
                self.found.add(Reconvergence { statement, parts });
            }
        }
        let is_open = |other: &WaitPoint| match point.top {
            true => *other == point,
            // The frame was popped, with everything nested in it.
            false => other.frame >= point.frame,
        };
        self.waiting.retain(|(other, _)| !is_open(other));
    }

    /// Takes the recorded reconvergences.
    pub(super) fn take(&mut self) -> Vec<Reconvergence> {
        self.found.take()
    }
}
