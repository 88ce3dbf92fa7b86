//! Records reconvergences: groups that reached an instruction separately and continue together.

use warplens_sim_cuda::grown::grown;

use crate::program::Slot;

/// Reconvergences recorded per instruction; in loops, more would only repeat.
const MAX_PER_INSTRUCTION: u8 = 32;

/// Lanes that reached an instruction separately and continue together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reconvergence {
    pub(crate) frame: Slot,
    pub(crate) pc: u32,
    pub(crate) parts: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ReconvergenceLog {
    pub(super) ignored: bool,
    /// Groups that have reached a reconvergence point and wait there.
    arrived: Vec<(Slot, u32, u32)>,
    pub(super) recorded: Vec<Reconvergence>,
    /// Number of recorded reconvergences by instruction, all functions together.
    counts: Vec<u8>,
}

/// All logs are equal: the log does not influence execution, so the spin detector must ignore it when it compares states.
impl PartialEq for ReconvergenceLog {
    fn eq(&self, _: &ReconvergenceLog) -> bool {
        true
    }
}

impl Eq for ReconvergenceLog {}

impl ReconvergenceLog {
    pub(super) fn forget(&mut self) {
        *self = ReconvergenceLog { ignored: self.ignored, ..ReconvergenceLog::default() };
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, frame: Slot, pc: u32, mask: u32) {
        if !self.ignored {
            self.arrived.push((frame, pc, mask));
        }
    }

    pub(super) fn retain(&mut self, live: u32) {
        self.arrived.retain(|(_, _, mask)| mask & live != 0);
    }

    /// The lanes of `mask` continue at `pc`; this is a reconvergence if they arrived separately.
    #[inline(always)]
    pub(super) fn advance_to(&mut self, frame: Slot, pc: u32, mask: u32) {
        if self.arrived.iter().any(|&(at, where_to, _)| (at, where_to) == (frame, pc)) {
            self.record(frame, pc, mask);
        }
    }

    #[inline(never)]
    fn record(&mut self, frame: Slot, pc: u32, mask: u32) {
        let here = |arrival: &(Slot, u32, u32)| (arrival.0, arrival.1) == (frame, pc);
        let arrivals = self.arrived.iter().filter(|arrival| here(arrival)).map(|(_, _, lanes)| lanes & mask);
        let rest = mask & !arrivals.clone().fold(0, |all, lanes| all | lanes);
        let parts = [rest].into_iter().chain(arrivals).filter(|lanes| *lanes != 0);
        if parts.clone().nth(1).is_some() && may_record(&mut self.counts, pc) {
            let parts = parts.collect();
            self.recorded.push(Reconvergence { frame, pc, parts });
        }
        self.arrived.retain(|arrival| !here(arrival));
    }

    pub(super) fn add(&mut self, frame: Slot, pc: u32, parts: Vec<u32>) {
        if !self.ignored && may_record(&mut self.counts, pc) {
            self.recorded.push(Reconvergence { frame, pc, parts });
        }
    }
}

/// Whether to record another reconvergence at an instruction.
fn may_record(counts: &mut Vec<u8>, pc: u32) -> bool {
    let count = grown(counts, pc);
    let records = *count < MAX_PER_INSTRUCTION;
    *count += u8::from(records);
    records
}
