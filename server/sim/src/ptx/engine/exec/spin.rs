//! Detection of infinite loops of a warp.
//!
//! A warp whose groups, registers and carry flags equal an earlier state, without a store in between, repeats forever unless
//! another warp stores. States are compared at backward branches with a saved one, which is replaced whenever the count
//! doubles, so any cycle is found in time proportional to its length.

use super::frame::Frame;
use crate::ptx::engine::divergence::groups::Groups;
use crate::ptx::program::Slot;
use crate::ptx::registers::Registers;

/// Backward branches without a store before states are saved.
const PATIENCE: u32 = 512;
/// States are compared once per this many backward branches: a multiple of any cycle repeats as well.
const EVERY: u32 = 64;

/// The spin detector of one warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpinDetector {
    branches: u32,
    changes: u64,
    kept: Option<Box<State>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    pc: u32,
    groups: Groups,
    registers: Vec<(Slot, Registers)>,
    carry: u32,
}

impl SpinDetector {
    /// Counts a backward branch; `true` if states should be compared now.
    #[inline]
    pub(crate) fn backward(&mut self, changes: u64) -> bool {
        if self.changes != changes {
            *self = SpinDetector { branches: 0, changes, kept: None };
        }
        self.branches = self.branches.wrapping_add(1);
        self.branches >= PATIENCE && self.branches.is_multiple_of(EVERY)
    }

    /// Whether the state of the warp, which continues at `pc`, equals the saved one.
    pub(crate) fn repeats(&mut self, pc: u32, groups: &Groups, frames: &[Option<Frame>], carry: u32) -> bool {
        let live = || {
            let frames = frames.iter().enumerate();
            frames.filter_map(|(slot, frame)| Some((slot as Slot, &frame.as_ref()?.registers)))
        };
        if let Some(kept) = &self.kept {
            let same = kept.pc == pc
                && kept.carry == carry
                && kept.groups == *groups
                && kept.registers.iter().map(|(slot, registers)| (*slot, registers)).eq(live());
            if same {
                return true;
            }
        }
        if self.branches.is_power_of_two() {
            let registers = live().map(|(slot, registers)| (slot, registers.clone())).collect();
            self.kept = Some(Box::new(State { pc, groups: groups.clone(), registers, carry }));
        }
        false
    }
}
