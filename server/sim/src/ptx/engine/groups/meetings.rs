//! Who meets whom: lanes on their way to an instruction where others will come too, and those who went on from one together.

use crate::ptx::program::Slot;

/// Meetings told of an instruction: what loops do ever again is not worth more.
const MOST: u8 = 32;

/// Lanes that came apart and go on together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The call that they are in.
    pub(crate) frame: Slot,
    /// The instruction.
    pub(crate) pc: u32,
    /// The lanes that came together, in the order of their coming.
    pub(crate) parts: Vec<u32>,
}

/// The meetings that nobody has asked for yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meetings {
    met: Vec<Meeting>,
    /// By instruction, of whatever function: how many have been told.
    told: Vec<u8>,
}

impl Meetings {
    pub(super) fn add(&mut self, frame: Slot, pc: u32, parts: impl FnOnce() -> Vec<u32>) {
        let index = pc as usize;
        if self.told.len() <= index {
            self.told.resize(index + 1, 0);
        }
        if self.told[index] < MOST {
            self.told[index] += 1;
            self.met.push(Meeting { frame, pc, parts: parts() });
        }
    }

    pub(super) fn take(&mut self) -> Vec<Meeting> {
        std::mem::take(&mut self.met)
    }
}

/// Those who have come to where they wait for others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrivals {
    arrived: Vec<(Slot, u32, u32)>,
}

impl Arrivals {
    pub(super) fn add(&mut self, frame: Slot, pc: u32, mask: u32) {
        self.arrived.push((frame, pc, mask));
    }

    /// Forgets lanes that are gone.
    pub(super) fn retain(&mut self, live: u32) {
        self.arrived.retain(|(_, _, mask)| mask & live != 0);
    }

    /// The lanes of `mask` go on at `pc`: a meeting if they did not come at once.
    pub(super) fn go_on(&mut self, frame: Slot, pc: u32, mask: u32, meetings: &mut Meetings) {
        let here = |arrival: &(Slot, u32, u32)| (arrival.0, arrival.1) == (frame, pc);
        if !self.arrived.iter().any(here) {
            return;
        }
        let came = || self.arrived.iter().filter(|arrival| here(arrival)).map(|(_, _, lanes)| lanes & mask);
        let rest = mask & !came().fold(0, |all, lanes| all | lanes);
        let parts = || [rest].into_iter().chain(came()).filter(|lanes| *lanes != 0);
        if parts().nth(1).is_some() {
            meetings.add(frame, pc, || parts().collect());
        }
        self.arrived.retain(|arrival| !here(arrival));
    }
}
