//! Lanes that only exit: no instruction waits for them.

use crate::engine::divergence::group::LanePosition;
use crate::program::{Function, Guard, Op};

/// The lanes of `missing` that will only exit from the kernel. `places` holds the lanes' positions, innermost first.
pub(in crate::engine) fn exiting(places: &[LanePosition], entry: &Function, missing: u32) -> u32 {
    let (mut unplaced, mut exiting) = (missing, 0);
    for place in places {
        let lanes = place.mask & unplaced;
        unplaced &= !lanes;
        if lanes != 0 && place.frame == 0 && only_exits(entry, place.pc) {
            exiting |= lanes;
        }
    }
    exiting
}

/// Whether every path from `pc` exits without an instruction that other threads can observe.
fn only_exits(entry: &Function, pc: u32) -> bool {
    let (mut open, mut visited) = (vec![pc], Vec::new());
    while let Some(pc) = open.pop() {
        let Some(instruction) = entry.code.get(pc as usize).filter(|_| !visited.contains(&pc)) else {
            continue;
        };
        visited.push(pc);
        let always = instruction.guard == Guard::ALWAYS;
        let falls_through = match instruction.op {
            Op::Return(_) | Op::Exit => !always,
            Op::Branch(_) => {
                open.push(instruction.s.a);
                !always
            }
            op if op.only_computes() => true,
            _ => return false,
        };
        if falls_through {
            open.push(pc + 1);
        }
    }
    true
}
