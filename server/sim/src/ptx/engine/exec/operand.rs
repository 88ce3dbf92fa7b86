//! Register operands of any width, lane by lane.

use crate::ptx::program::Place;
use crate::ptx::registers::Registers;

/// Bits of a register in one lane.
pub(crate) fn get(place: Place, r: &Registers, lane: usize) -> u128 {
    match place {
        Place::Word(slot) => r.get::<u32>(slot)[lane].into(),
        Place::Double(slot) => r.get::<u64>(slot)[lane].into(),
        Place::Quad(slot) => {
            let half = |slot| u128::from(r.get::<u64>(slot)[lane]);
            half(slot) | half(slot + 1) << 64
        }
        Place::Predicate(slot) => (r.predicates[slot as usize] >> lane & 1).into(),
    }
}

/// Writes bits of a register in one lane.
pub(crate) fn put(place: Place, r: &mut Registers, lane: usize, value: u128) {
    match place {
        Place::Word(slot) => r.words[slot as usize][lane] = value as u32,
        Place::Double(slot) => r.doubles[slot as usize][lane] = value as u64,
        Place::Quad(slot) => {
            r.doubles[slot as usize][lane] = value as u64;
            r.doubles[slot as usize + 1][lane] = (value >> 64) as u64;
        }
        Place::Predicate(slot) => r.set_predicate(slot, 1 << lane, (value as u32 & 1) << lane),
    }
}
