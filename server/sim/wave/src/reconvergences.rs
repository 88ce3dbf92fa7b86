//! Reconvergences of a wave: groups of lanes that wait for each other in the divergence stack.
//!
//! The stack holds only masks. This module records each waiting group separately, until the groups continue
//! together.

use warplens_sim_warp::reconvergences::ReconvergenceList;
use warplens_sim_warp::trace::{Mask, Reconvergence, StatementId};

/// How many bytes of reconvergences are kept for a wave.
const BUDGET: usize = 16 << 10;

/// Where a group waits: the index of the frame, and whether it waits for the next iteration or for the end of
/// the construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitPoint {
    pub(super) frame: usize,
    pub(super) top: bool,
}

/// The waiting groups of a wave, and its reconvergences so far.
#[derive(Clone, Debug)]
pub(crate) struct Reconvergences {
    /// By frame index: whether a group waits for the next iteration, and its lanes.
    waiting: Vec<Vec<(bool, Mask)>>,
    /// The groups of the current reconvergence.
    parts: Vec<Mask>,
    found: ReconvergenceList,
}

impl Default for Reconvergences {
    fn default() -> Self {
        Reconvergences {
            waiting: Vec::new(),
            parts: Vec::new(),
            found: ReconvergenceList::with_budget(BUDGET),
        }
    }
}

impl Reconvergences {
    pub(super) fn wait(&mut self, point: WaitPoint, lanes: Mask) {
        if lanes != 0 {
            if self.waiting.len() <= point.frame {
                self.waiting.resize(point.frame + 1, Vec::new());
            }
            self.waiting[point.frame].push((point.top, lanes));
        }
    }

    /// Releases a wait point: `all` lanes continue at a statement, and `arrived` are the lanes that have just
    /// arrived. `at` is `None` if they join other lanes before the next visit.
    pub(super) fn release(&mut self, point: WaitPoint, arrived: Mask, all: Mask, at: Option<StatementId>) {
        let Reconvergences { waiting, parts, found } = self;
        if let Some(statement) = at {
            let here = waiting.get(point.frame).into_iter().flatten().filter(|(top, _)| *top == point.top);
            parts.clear();
            parts.extend(
                here.map(|(_, lanes)| *lanes)
                    .chain([arrived])
                    .map(|lanes| lanes & all)
                    .filter(|lanes| *lanes != 0),
            );
            // Lanes that were not recorded as waiting jumped there directly from the divergent branch.
            let direct = parts.iter().fold(all, |lanes, part| lanes & !part);
            parts.extend(Some(direct).filter(|lanes| *lanes != 0));
            if parts.len() > 1 {
                found.add(statement, parts.as_slice());
            }
        }
        match point.top {
            true => {
                waiting.get_mut(point.frame).into_iter().for_each(|groups| groups.retain(|(top, _)| !top))
            }
            // The frame was popped, with everything nested in it.
            false => waiting.iter_mut().skip(point.frame).for_each(Vec::clear),
        }
    }

    pub(super) fn take(&mut self) -> Vec<Reconvergence> {
        self.found.take()
    }
}
