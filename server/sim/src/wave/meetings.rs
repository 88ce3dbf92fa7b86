//! Who meets where: groups of lanes that wait in the divergence stack for each other.
//!
//! The stack knows lanes only. Here each group that leaves for a place is remembered by itself, until they go on together there.

use crate::reconvergences::ReconvergenceList;
use crate::trace::{Mask, Reconvergence, StatementId};

/// Bytes of meetings that are kept of a wave.
const ROOM: usize = 16 << 10;

/// Where a group waits: in which frame of the stack, counted from the outermost, and whether for the top of its loop or else for
/// its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gate {
    pub(super) frame: usize,
    pub(super) top: bool,
}

/// The groups of a wave that wait, and the meetings that there were.
#[derive(Debug)]
pub(crate) struct Meetings {
    waiting: Vec<(Gate, Mask)>,
    met: ReconvergenceList,
}

impl Default for Meetings {
    fn default() -> Self {
        Meetings { waiting: Vec::new(), met: ReconvergenceList::with_budget(ROOM) }
    }
}

impl Meetings {
    /// Lanes leave for a gate together.
    pub(super) fn wait(&mut self, gate: Gate, lanes: Mask) {
        if lanes != 0 {
            self.waiting.push((gate, lanes));
        }
    }

    /// A gate opens: `all` lanes go on at a statement, `came` of which have just come there. Without a statement they join others
    /// before they visit one.
    pub(super) fn open(&mut self, gate: Gate, came: Mask, all: Mask, at: Option<StatementId>) {
        let came = came & all;
        let is_here = |(other, lanes): &&(Gate, Mask)| *other == gate && lanes & all != 0;
        // Mostly nobody has waited: then nothing is made.
        if let Some(statement) = at
            && (came != 0 && came != all || self.waiting.iter().any(|group| is_here(&group)))
        {
            let waited = self.waiting.iter().filter(is_here).map(|(_, lanes)| lanes & all);
            let mut parts: Vec<Mask> = waited.chain(Some(came).filter(|came| *came != 0)).collect();
            // Those that nobody has seen leave went there straight from where they parted.
            let rest = parts.iter().fold(all, |rest, part| rest & !part);
            parts.extend(Some(rest).filter(|rest| *rest != 0));
            if parts.len() > 1 {
                self.met.add(Reconvergence { statement, parts });
            }
        }
        let is_open = |other: &Gate| match gate.top {
            true => *other == gate,
            // The frame is gone, and what was inside of it.
            false => other.frame >= gate.frame,
        };
        self.waiting.retain(|(other, _)| !is_open(other));
    }

    /// Takes the meetings that were kept.
    pub(super) fn take(&mut self) -> Vec<Reconvergence> {
        self.met.take()
    }
}
