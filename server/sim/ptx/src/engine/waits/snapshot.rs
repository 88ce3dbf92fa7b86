//! The state of a warp at a backward branch, for comparison with its state at later ones.

use pulp::Scalar;
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::{Registers, lanes_where};

use super::poll_log::Difference;
use crate::engine::divergence::groups::Groups;
use crate::engine::exec::frame::Frame;
use crate::program::{Function, Program, RegisterSlot, Slot};

/// The part of a warp's state that decides what it does next, and the code and memory with which it does that.
pub(crate) struct WarpView<'w> {
    pub(crate) pc: u32,
    pub(crate) groups: &'w Groups,
    pub(crate) frames: &'w [Option<Frame>],
    pub(crate) carry: u32,
    pub(crate) local: &'w Local,
    pub(crate) function: &'w Function,
    pub(crate) program: &'w Program,
    pub(crate) spaces: &'w Spaces,
}

#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pc: u32,
    groups: Groups,
    frames: Vec<(Slot, u32, Registers)>,
    carry: u32,
    local: Local,
    /// A register that differed at the last comparison. Most loops have one that always does: their counter.
    differed: Option<(Slot, RegisterSlot)>,
}

impl Snapshot {
    pub(super) fn of(warp: &WarpView<'_>) -> Snapshot {
        let frames = warp.frames.iter().enumerate();
        let frames = frames.filter_map(|(slot, frame)| {
            let frame = frame.as_ref()?;
            Some((slot as Slot, frame.function, frame.registers.clone()))
        });
        Snapshot {
            pc: warp.pc,
            groups: warp.groups.clone(),
            frames: frames.collect(),
            carry: warp.carry,
            local: warp.local.clone(),
            differed: None,
        }
    }

    /// Bytes of host memory.
    pub(super) fn bytes(&self) -> u64 {
        let registers = self.frames.iter().map(|(.., registers)| registers.bytes());
        registers.sum::<u64>() + self.local.bytes()
    }

    pub(super) fn registers(&self, frame: Slot) -> Option<&Registers> {
        self.frames.iter().find(|(slot, ..)| *slot == frame).map(|(.., registers)| registers)
    }

    pub(super) fn remember(&mut self, difference: &Difference) {
        self.differed = difference.registers.first().map(|&(slot, place, _)| (slot, place));
    }

    pub(super) fn still_differs(&self, warp: &WarpView<'_>) -> bool {
        let Some((slot, place)) = self.differed else { return false };
        let now = warp.frames.get(slot as usize).and_then(Option::as_ref);
        match (self.registers(slot), now) {
            (Some(registers), Some(now)) => differing(place, registers, &now.registers) != 0,
            _ => false,
        }
    }

    /// Whether the groups are at the same positions, in the same calls.
    pub(super) fn is_at(&self, warp: &WarpView<'_>) -> bool {
        let now = warp.frames.iter().enumerate();
        let now = now.filter_map(|(slot, frame)| Some((slot as Slot, frame.as_ref()?.function)));
        self.pc == warp.pc
            && warp.groups.is_where(&self.groups)
            && self.frames.iter().map(|(slot, function, _)| (*slot, *function)).eq(now)
    }

    /// The difference from the warp's present state, at the same position.
    pub(super) fn compare(&self, warp: &WarpView<'_>) -> Difference {
        let mut difference = Difference {
            carry: self.carry ^ warp.carry,
            local: self.local.differing(warp.local),
            ..Difference::default()
        };
        for ((slot, function, registers), frame) in self.frames.iter().zip(warp.frames.iter().flatten()) {
            if *registers != frame.registers {
                for register in &warp.program.functions[*function as usize].frame.registers {
                    let lanes = differing(register.place, registers, &frame.registers);
                    if lanes != 0 {
                        difference.registers.push((*slot, register.place, lanes));
                    }
                }
            }
        }
        difference
    }
}

fn differing(place: RegisterSlot, a: &Registers, b: &Registers) -> u32 {
    let doubles = |slot: Slot| {
        let (a, b) = (a.get::<u64>(slot), b.get::<u64>(slot));
        lanes_where(Scalar::new(), |lane| a[lane] != b[lane])
    };
    match place {
        RegisterSlot::Word(slot) => {
            let (a, b) = (a.get::<u32>(slot), b.get::<u32>(slot));
            lanes_where(Scalar::new(), |lane| a[lane] != b[lane])
        }
        RegisterSlot::Double(slot) => doubles(slot),
        RegisterSlot::Quad(slot) => doubles(slot) | doubles(slot + 1),
        RegisterSlot::Predicate(slot) => a.predicates[slot as usize] ^ b.predicates[slot as usize],
    }
}
