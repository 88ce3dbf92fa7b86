//! `spcompress` and `spdecompress`: vectors of registers that keep some elements of each group, and the positions of these.

use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::semantics::matrix::Factor;
use warplens_sim_cuda::semantics::narrow::{E2M3, E3M2, E4M3, E5M2};

use crate::engine::exec::operand::{get, put};
use crate::program::{Compression, RegisterSlot};

/// Elements in a group, and the number that `spcompress` keeps.
const GROUP: u32 = 4;
const CHOSEN: u32 = 2;

pub(crate) fn compress(op: &Compression, descriptor: RegisterSlot, r: &mut Registers, mask: u32) {
    for lane in lanes(mask) {
        let descriptor = get(descriptor, r, lane) as u32;
        let data = Elements::of(&op.data, op.element_bits, r, lane);
        let count = op.data.len() as u32 * 32 / op.element_bits;
        let (mut kept, mut indices) = (vec![0; op.kept.len()], vec![0; op.indices.len()]);
        for group in 0..count / GROUP {
            let elements: [u32; GROUP as usize] =
                std::array::from_fn(|index| data.get(group * GROUP + index as u32));
            for (rank, position) in chosen(elements, op.element_bits, descriptor).into_iter().enumerate() {
                let at = group * CHOSEN + rank as u32;
                insert(&mut kept, at, op.element_bits, elements[position]);
                insert(&mut indices, at, op.index_bits, position as u32);
            }
        }
        write(&op.kept, &kept, r, lane);
        write(&op.indices, &indices, r, lane);
    }
}

/// `spdecompress`: `of_group` elements are stored for each group of `group` elements.
pub(crate) fn decompress(op: &Compression, (of_group, group): (u32, u32), r: &mut Registers, mask: u32) {
    for lane in lanes(mask) {
        let kept = Elements::of(&op.kept, op.element_bits, r, lane);
        let indices = Elements::of(&op.indices, op.index_bits, r, lane);
        let mut data = vec![0; op.data.len()];
        let groups = op.data.len() as u32 * 32 / op.element_bits / group;
        for at in 0..groups * of_group {
            let position = at / of_group * group + indices.get(at) % group;
            insert(&mut data, position, op.element_bits, kept.get(at));
        }
        write(&op.data, &data, r, lane);
    }
}

/// The positions of the two elements that a descriptor selects, in order. Among equal elements, the first one is kept.
fn chosen(elements: [u32; GROUP as usize], bits: u32, descriptor: u32) -> [usize; CHOSEN as usize] {
    let factor = match (bits, descriptor >> 2 & 7) {
        (16, 0) => Factor::F16,
        (16, _) => Factor::Bf16,
        (_, 0) => Factor::U8,
        (_, 1) => Factor::S8,
        (_, 2) => Factor::Narrow(E5M2, 8, 0),
        (_, 3) => Factor::Narrow(E4M3, 8, 0),
        (_, 4) => Factor::Narrow(E3M2, 8, 0),
        _ => Factor::Narrow(E2M3, 8, 0),
    };
    let key = |element: u32| {
        let value = factor.value(element.into());
        let value = if descriptor & 1 == 1 { value.abs() } else { value };
        // NaNs are always kept.
        if value.is_nan() {
            f64::INFINITY
        } else if descriptor & 2 == 2 {
            -value
        } else {
            value
        }
    };
    let mut order: Vec<usize> = (0..elements.len()).collect();
    order.sort_by(|&one, &two| {
        let is_nan = |at: usize| factor.value(elements[at].into()).is_nan();
        is_nan(two).cmp(&is_nan(one)).then(key(elements[two]).total_cmp(&key(elements[one])))
    });
    let (one, two) = (order[0], order[1]);
    [one.min(two), one.max(two)]
}

/// The elements in some registers of a lane.
struct Elements {
    words: Vec<u32>,
    bits: u32,
}

impl Elements {
    fn of(registers: &[RegisterSlot], bits: u32, r: &Registers, lane: usize) -> Elements {
        Elements { words: registers.iter().map(|&register| get(register, r, lane) as u32).collect(), bits }
    }

    fn get(&self, index: u32) -> u32 {
        let per = 32 / self.bits;
        let word = self.words.get((index / per) as usize).copied().unwrap_or(0);
        word >> (self.bits * (index % per)) & ((1 << self.bits) - 1)
    }
}

fn insert(words: &mut [u32], index: u32, bits: u32, value: u32) {
    let per = 32 / bits;
    if let Some(word) = words.get_mut((index / per) as usize) {
        *word |= value << (bits * (index % per));
    }
}

fn write(registers: &[RegisterSlot], words: &[u32], r: &mut Registers, lane: usize) {
    for (&register, &word) in registers.iter().zip(words) {
        put(register, r, lane, word.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_four() {
        // MAX, MAXABS, MIN and MINABS of s8.
        let of = |mode: u32| chosen([5, 0xff, 0x80, 7], 8, 1 << 2 | mode);
        assert_eq!([of(0), of(1), of(2), of(3)], [[0, 3], [2, 3], [1, 2], [0, 1]]);
        // A NaN of e4m3 is kept.
        assert_eq!(chosen([0x7f, 0x38, 0x40, 0x08], 8, 3 << 2 | 2), [0, 3]);
    }
}
