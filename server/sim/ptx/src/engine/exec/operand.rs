//! Register operands of any width, lane by lane.

use warplens_sim_cuda::registers::Registers;

use crate::program::RegisterSlot;

pub(crate) fn get(place: RegisterSlot, r: &Registers, lane: usize) -> u128 {
    match place {
        RegisterSlot::Word(slot) => r.get::<u32>(slot)[lane].into(),
        RegisterSlot::Double(slot) => r.get::<u64>(slot)[lane].into(),
        RegisterSlot::Quad(slot) => {
            let half = |slot| u128::from(r.get::<u64>(slot)[lane]);
            half(slot) | half(slot + 1) << 64
        }
        RegisterSlot::Predicate(slot) => (r.predicates[slot as usize] >> lane & 1).into(),
    }
}

pub(crate) fn put(place: RegisterSlot, r: &mut Registers, lane: usize, value: u128) {
    match place {
        RegisterSlot::Word(slot) => r.words[slot as usize][lane] = value as u32,
        RegisterSlot::Double(slot) => r.doubles[slot as usize][lane] = value as u64,
        RegisterSlot::Quad(slot) => {
            r.doubles[slot as usize][lane] = value as u64;
            r.doubles[slot as usize + 1][lane] = (value >> 64) as u64;
        }
        RegisterSlot::Predicate(slot) => r.set_predicate(slot, 1 << lane, (value as u32 & 1) << lane),
    }
}
