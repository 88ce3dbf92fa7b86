//! The registers of one call of a function, laid out lane by lane, and loops over lanes.
//!
//! A register of up to 32 bits is a `[u32; 32]` (narrower values are zero-extended), a 64-bit register is a `[u64;
//! 32]`, a predicate is a mask. Constants and unchanging special registers are registers too, filled when the call
//! begins. So every operand is a slot, and no loop has to distinguish kinds of operands. If all lanes are active, a
//! loop is plain and vectorizes; otherwise it blends.

#![expect(
    clippy::needless_range_loop,
    reason = "a plain loop over lanes becomes vectors wherever it is inlined"
)]

use pulp::Simd;
use warplens_sim_warp::lane_masks::{expand_mask, mask_of};

use crate::slot::{Slot, Slots};
pub use warplens_sim_warp::lane_iter::lanes;
pub use warplens_sim_warp::lane_row::LaneRow;

pub const WIDTH: usize = 32;
pub const FULL: u32 = u32::MAX;

pub type PerLane<T> = [T; WIDTH];

pub type Row<T> = LaneRow<T, WIDTH>;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Registers {
    /// Registers of up to 32 bits.
    pub words: Vec<Row<u32>>,
    /// 64-bit registers and the halves of 128-bit registers.
    pub doubles: Vec<Row<u64>>,
    pub predicates: Vec<u32>,
}

impl Registers {
    /// Host memory in bytes.
    pub fn bytes(&self) -> u64 {
        let files = [
            size_of_val(self.words.as_slice()),
            size_of_val(self.doubles.as_slice()),
            size_of_val(self.predicates.as_slice()),
        ];
        files.into_iter().sum::<usize>() as u64
    }
}

/// An element of a register file.
pub trait Word: Copy + Default + 'static {
    fn file(registers: &Registers) -> &[Row<Self>];
    fn file_mut(registers: &mut Registers) -> &mut [Row<Self>];
    fn widen(self) -> u64;
    fn narrow(bits: u64) -> Self;
    /// `self` if `keep` is all ones, `other` if it is 0. Branch-free, so that whole vectors blend.
    fn or_else(self, keep: i32, other: Self) -> Self;
}

macro_rules! word {
    ($word:ty, $signed:ty, $file:ident) => {
        impl Word for $word {
            fn file(registers: &Registers) -> &[Row<$word>] {
                &registers.$file
            }

            fn file_mut(registers: &mut Registers) -> &mut [Row<$word>] {
                &mut registers.$file
            }

            fn widen(self) -> u64 {
                self.into()
            }

            fn narrow(bits: u64) -> $word {
                bits as $word
            }

            #[inline(always)]
            fn or_else(self, keep: i32, other: $word) -> $word {
                let keep = <$signed>::from(keep) as $word;
                self & keep | other & !keep
            }
        }
    };
}

word!(u32, i32, words);
word!(u64, i64, doubles);

impl Registers {
    #[inline(always)]
    pub fn get<T: Word>(&self, slot: Slot) -> &PerLane<T> {
        &T::file(self)[slot as usize]
    }

    #[inline(always)]
    pub fn set<T: Word>(&mut self, slot: Slot, mask: u32, values: &PerLane<T>) {
        merge(&mut T::file_mut(self)[slot as usize], mask, values);
    }

    /// Writes one value to the lanes of `mask`.
    pub fn fill<T: Word>(&mut self, slot: Slot, mask: u32, value: T) {
        self.set(slot, mask, &[value; WIDTH]);
    }

    /// `d = f(a)` in the lanes of `mask`.
    #[inline(always)]
    pub fn map1<D: Word, A: Word>(&mut self, s: &Slots, mask: u32, f: impl Fn(A) -> D) {
        let a = self.get(s.a);
        let values = each(|lane| f(a[lane]));
        self.set(s.d, mask, &values);
    }

    /// `d = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub fn map2<D: Word, A: Word, B: Word>(&mut self, s: &Slots, mask: u32, f: impl Fn(A, B) -> D) {
        let (a, b) = (self.get(s.a), self.get(s.b));
        let values = each(|lane| f(a[lane], b[lane]));
        self.set(s.d, mask, &values);
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub fn map3<D: Word, A: Word, B: Word, C: Word>(
        &mut self,
        s: &Slots,
        mask: u32,
        f: impl Fn(A, B, C) -> D,
    ) {
        let (a, b, c) = (self.get(s.a), self.get(s.b), self.get(s.c));
        let values = each(|lane| f(a[lane], b[lane], c[lane]));
        self.set(s.d, mask, &values);
    }

    /// The lanes in which `f(a, b)` holds. Includes inactive lanes, which the caller masks.
    #[inline(always)]
    pub fn test2<S: Simd, A: Word, B: Word>(&self, simd: S, s: &Slots, f: impl Fn(A, B) -> bool) -> u32 {
        let (a, b) = (self.get(s.a), self.get(s.b));
        lanes_where(simd, |lane| f(a[lane], b[lane]))
    }

    /// Writes the lanes of `mask` of a predicate.
    #[inline(always)]
    pub fn set_predicate(&mut self, slot: Slot, mask: u32, value: u32) {
        let predicate = &mut self.predicates[slot as usize];
        *predicate = *predicate & !mask | value & mask;
    }
}

/// The values of `f` by lane. All are computed before any is written, so the destination may also be a source.
#[inline(always)]
pub fn each<T: Word>(f: impl Fn(usize) -> T) -> PerLane<T> {
    let mut values = [T::default(); WIDTH];
    for lane in 0..WIDTH {
        values[lane] = f(lane);
    }
    values
}

/// `d[lane] = f(lane)` in the lanes of `mask`. `f` is also called for the other lanes, so it must have no side effects.
#[inline(always)]
pub fn blend<T: Word>(d: &mut PerLane<T>, mask: u32, f: impl Fn(usize) -> T) {
    merge(d, mask, &each(f));
}

#[inline(always)]
fn merge<T: Word>(d: &mut PerLane<T>, mask: u32, values: &PerLane<T>) {
    if mask == FULL {
        *d = *values;
        return;
    }
    let keep = expand_mask(mask);
    for lane in 0..WIDTH {
        d[lane] = values[lane].or_else(keep[lane], d[lane]);
    }
}

/// The lanes of `mask` in which `f` holds.
#[inline]
pub fn filter_lanes(mask: u32, f: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|&lane| f(lane)).fold(0, |all, lane| all | 1 << lane)
}

#[inline(always)]
pub fn lanes_where<S: Simd>(simd: S, f: impl Fn(usize) -> bool) -> u32 {
    mask_of(simd, &each(|lane| u32::from(f(lane)).wrapping_neg()))
}

#[cfg(test)]
mod tests {
    use pulp::Scalar;

    use super::*;

    fn two() -> Registers {
        let words = vec![Row::all(0), std::array::from_fn(|lane| lane as u32).into()];
        Registers { words, doubles: vec![Row::all(7)], predicates: vec![0] }
    }

    #[test]
    fn only_the_lanes_of_the_mask_change() {
        let mut registers = two();
        registers.map1::<u32, u32>(&Slots { d: 0, a: 1, ..Slots::default() }, 0x8000_0005, |a| a + 100);
        let changed: Vec<_> = lanes(FULL).filter(|&lane| registers.words[0][lane] != 0).collect();
        assert_eq!(changed, [0, 2, 31]);
        assert_eq!(registers.words[0][31], 131);
    }

    #[test]
    fn a_register_may_be_source_and_destination() {
        let mut registers = two();
        registers.map2::<u32, u32, u32>(&Slots { d: 1, a: 1, b: 1, ..Slots::default() }, FULL, |a, b| a * b);
        assert_eq!(registers.words[1][31], 31 * 31);
    }

    #[test]
    fn files_mix() {
        let mut registers = two();
        registers.map1::<u64, u32>(&Slots { d: 0, a: 1, ..Slots::default() }, 0xf0, u64::from);
        assert_eq!((registers.doubles[0][3], registers.doubles[0][4]), (7, 4));
    }

    #[test]
    fn tests_give_masks() {
        let registers = two();
        let slots = Slots { a: 1, b: 0, ..Slots::default() };
        assert_eq!(registers.test2(Scalar::new(), &slots, |a: u32, b: u32| a > b), !1);
    }
}
