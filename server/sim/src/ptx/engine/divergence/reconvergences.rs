//! Who meets whom: lanes on their way to an instruction where others will come too, and those who take_back_edge on from one together.

use crate::ptx::program::Slot;

/// ReconvergenceLog told of an instruction: what loops do ever again is not worth more.
const MAX_PER_INSTRUCTION: u8 = 32;

/// Lanes that came apart and go on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reconvergence {
    /// The call that they are in.
    pub(crate) frame: Slot,
    /// The instruction.
    pub(crate) pc: u32,
    /// The lanes that came together, in the order of their coming.
    pub(crate) parts: Vec<u32>,
}

/// What is noted of reconvergences, as long as somebody will ask.
#[derive(Clone, Debug, Default)]
pub(super) struct ReconvergenceLog {
    ignored: bool,
    /// Those who have come to where they wait for others.
    arrived: Vec<(Slot, u32, u32)>,
    /// The meetings that nobody has asked for yet.
    met: Vec<Reconvergence>,
    /// By instruction, of whatever function: how many have been told.
    told: Vec<u8>,
}

/// Whatever was noted, it changes nothing of what comes: a warp that goes round is where it was.
impl PartialEq for ReconvergenceLog {
    fn eq(&self, _: &ReconvergenceLog) -> bool {
        true
    }
}

impl Eq for ReconvergenceLog {}

impl ReconvergenceLog {
    /// Nobody will ask.
    pub(super) fn ignore(&mut self) {
        self.ignored = true;
    }

    /// Another warp begins.
    pub(super) fn forget(&mut self) {
        *self = ReconvergenceLog { ignored: self.ignored, ..ReconvergenceLog::default() };
    }

    pub(super) fn take(&mut self) -> Vec<Reconvergence> {
        std::mem::take(&mut self.met)
    }

    /// Lanes have come to where they wait for others.
    #[inline(always)]
    pub(super) fn arrive(&mut self, frame: Slot, pc: u32, mask: u32) {
        if !self.ignored {
            self.arrived.push((frame, pc, mask));
        }
    }

    /// Forgets lanes that are gone.
    pub(super) fn retain(&mut self, live: u32) {
        self.arrived.retain(|(_, _, mask)| mask & live != 0);
    }

    /// The lanes of `mask` go on at `pc`: a meeting if they did not come at once.
    #[inline(always)]
    pub(super) fn go_on(&mut self, frame: Slot, pc: u32, mask: u32) {
        if self.arrived.iter().any(|&(at, where_to, _)| (at, where_to) == (frame, pc)) {
            self.meet(frame, pc, mask);
        }
    }

    #[inline(never)]
    fn meet(&mut self, frame: Slot, pc: u32, mask: u32) {
        let here = |arrival: &(Slot, u32, u32)| (arrival.0, arrival.1) == (frame, pc);
        let came = self.arrived.iter().filter(|arrival| here(arrival)).map(|(_, _, lanes)| lanes & mask);
        let rest = mask & !came.clone().fold(0, |all, lanes| all | lanes);
        let parts = [rest].into_iter().chain(came).filter(|lanes| *lanes != 0);
        if parts.clone().nth(1).is_some() && tell(&mut self.told, pc) {
            let parts = parts.collect();
            self.met.push(Reconvergence { frame, pc, parts });
        }
        self.arrived.retain(|arrival| !here(arrival));
    }

    /// These have met.
    pub(super) fn add(&mut self, frame: Slot, pc: u32, parts: Vec<u32>) {
        if !self.ignored && tell(&mut self.told, pc) {
            self.met.push(Reconvergence { frame, pc, parts });
        }
    }
}

/// Whether a meeting at an instruction is still to be told.
fn tell(told: &mut Vec<u8>, pc: u32) -> bool {
    let index = pc as usize;
    if told.len() <= index {
        told.resize(index + 1, 0);
    }
    let tells = told[index] < MAX_PER_INSTRUCTION;
    told[index] += u8::from(tells);
    tells
}
