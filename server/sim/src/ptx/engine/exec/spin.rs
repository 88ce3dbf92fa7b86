//! The state of a warp that spin detection compares at backward branches.

use super::frame::Frame;
use crate::ptx::engine::divergence::groups::Groups;
use crate::ptx::program::Slot;
use crate::ptx::registers::Registers;
use crate::warp::spin;

/// The spin detector of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpinDetector(spin::SpinDetector<State, 512, 64>);

#[derive(Clone, Debug)]
struct State {
    pc: u32,
    groups: Groups,
    registers: Vec<(Slot, Registers)>,
    carry: u32,
}

impl SpinDetector {
    /// Counts a backward branch; returns whether to compare states now.
    #[inline]
    pub(crate) fn backward(&mut self, changes: u64) -> bool {
        self.0.is_due(changes)
    }

    /// Whether the warp, about to continue at `pc`, repeats an earlier state.
    pub(crate) fn repeats(&mut self, pc: u32, groups: &Groups, frames: &[Option<Frame>], carry: u32) -> bool {
        let live = || {
            let frames = frames.iter().enumerate();
            frames.filter_map(|(slot, frame)| Some((slot as Slot, &frame.as_ref()?.registers)))
        };
        let is_same = |other: &State| {
            other.pc == pc
                && other.carry == carry
                && other.groups == *groups
                && other.registers.len() == live().count()
                && other
                    .registers
                    .iter()
                    .zip(live())
                    .all(|(other, (slot, registers))| (other.0, &other.1) == (slot, registers))
        };
        let snapshot = || {
            let registers = live().map(|(slot, registers)| (slot, registers.clone())).collect();
            State { pc, groups: groups.clone(), registers, carry }
        };
        self.0.repeats(is_same, snapshot)
    }
}
