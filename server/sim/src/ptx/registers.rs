//! The registers of one call of a function, laid out lane by lane, and the loops over lanes.
//!
//! A register of up to 32 bits is a `[u32; 32]` (narrower values zero-extended), one of 64 bits a `[u64; 32]`, a predicate a
//! mask. Constants and special registers that do not change are registers too, filled when the call begins, so an operand is
//! always a slot and no loop asks what kind it is. With all lanes on, a loop is plain and vectorises; otherwise it blends.

#![expect(
    clippy::needless_range_loop,
    reason = "a plain loop over lanes becomes vectors wherever it is inlined"
)]

use super::program::Slot;

/// Lanes of a warp.
pub const WIDTH: usize = 32;
/// All lanes.
pub const FULL: u32 = u32::MAX;

/// Loops go over registers in pieces that fit into the host's own registers, so a source may also be the destination without
/// being copied first.
const PART: usize = 8;
const PARTS: usize = WIDTH / PART;

/// One value a lane.
pub type Lanes<T> = [T; WIDTH];

/// Bit `i` at index `i`: a table vectorises where a variable shift does not.
const BITS: Lanes<u32> = {
    let mut bits = [0; WIDTH];
    let mut lane = 0;
    while lane < WIDTH {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// The lanes of a mask, lowest first.
#[inline(always)]
pub fn lanes(mask: u32) -> LanesOf {
    LanesOf(mask)
}

/// See [`lanes`].
#[derive(Clone, Debug)]
pub struct LanesOf(u32);

impl Iterator for LanesOf {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane as usize)
    }
}

/// The register files of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Registers {
    /// Registers of up to 32 bits.
    pub words: Vec<Lanes<u32>>,
    /// 64-bit registers, and the halves of 128-bit ones.
    pub doubles: Vec<Lanes<u64>>,
    /// Predicates.
    pub predicates: Vec<u32>,
}

/// What a register file holds.
pub trait Word: Copy + Default + 'static {
    /// The file.
    fn file(registers: &Registers) -> &[Lanes<Self>];
    /// The file, to write to.
    fn file_mut(registers: &mut Registers) -> &mut [Lanes<Self>];
    /// Widened.
    fn widen(self) -> u64;
    /// The low bits.
    fn narrow(bits: u64) -> Self;
    /// `self` where `keep` is all ones, `other` where it is 0. Without a branch, so that whole vectors blend.
    fn or_else(self, keep: u32, other: Self) -> Self;
}

impl Word for u32 {
    fn file(registers: &Registers) -> &[Lanes<u32>] {
        &registers.words
    }

    fn file_mut(registers: &mut Registers) -> &mut [Lanes<u32>] {
        &mut registers.words
    }

    fn widen(self) -> u64 {
        self.into()
    }

    fn narrow(bits: u64) -> u32 {
        bits as u32
    }

    #[inline(always)]
    fn or_else(self, keep: u32, other: u32) -> u32 {
        self & keep | other & !keep
    }
}

impl Word for u64 {
    fn file(registers: &Registers) -> &[Lanes<u64>] {
        &registers.doubles
    }

    fn file_mut(registers: &mut Registers) -> &mut [Lanes<u64>] {
        &mut registers.doubles
    }

    fn widen(self) -> u64 {
        self
    }

    fn narrow(bits: u64) -> u64 {
        bits
    }

    #[inline(always)]
    fn or_else(self, keep: u32, other: u64) -> u64 {
        let keep = i64::from(keep as i32) as u64;
        self & keep | other & !keep
    }
}

/// Where an instruction's operands are; which file each slot is in follows from the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Slots {
    /// The destination.
    pub d: Slot,
    /// The first source.
    pub a: Slot,
    /// The second source.
    pub b: Slot,
    /// The third source.
    pub c: Slot,
    /// A fourth source or a second destination.
    pub e: Slot,
}

impl Registers {
    /// The values of a register.
    #[inline(always)]
    pub fn get<T: Word>(&self, slot: Slot) -> &Lanes<T> {
        &T::file(self)[slot as usize]
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn set<T: Word>(&mut self, slot: Slot, mask: u32, values: &Lanes<T>) {
        blend(&mut T::file_mut(self)[slot as usize], mask, |lane| values[lane]);
    }

    /// Writes one value to the lanes of `mask`.
    pub fn fill<T: Word>(&mut self, slot: Slot, mask: u32, value: T) {
        blend(&mut T::file_mut(self)[slot as usize], mask, |_| value);
    }

    /// `d = f(a)` in the lanes of `mask`.
    #[inline(always)]
    pub fn map1<D: Word, A: Word>(&mut self, s: &Slots, mask: u32, f: impl Fn(A) -> D) {
        for part in 0..PARTS {
            let a: [A; PART] = piece(self.get(s.a), part);
            self.set_piece(s.d, part, mask, |lane| f(a[lane]));
        }
    }

    /// `d = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub fn map2<D: Word, A: Word, B: Word>(&mut self, s: &Slots, mask: u32, f: impl Fn(A, B) -> D) {
        for part in 0..PARTS {
            let a: [A; PART] = piece(self.get(s.a), part);
            let b: [B; PART] = piece(self.get(s.b), part);
            self.set_piece(s.d, part, mask, |lane| f(a[lane], b[lane]));
        }
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub fn map3<D: Word, A: Word, B: Word, C: Word>(
        &mut self,
        s: &Slots,
        mask: u32,
        f: impl Fn(A, B, C) -> D,
    ) {
        for part in 0..PARTS {
            let a: [A; PART] = piece(self.get(s.a), part);
            let b: [B; PART] = piece(self.get(s.b), part);
            let c: [C; PART] = piece(self.get(s.c), part);
            self.set_piece(s.d, part, mask, |lane| f(a[lane], b[lane], c[lane]));
        }
    }

    /// Writes the lanes of `mask` within one piece of a register.
    #[inline(always)]
    fn set_piece<D: Word>(&mut self, slot: Slot, part: usize, mask: u32, f: impl Fn(usize) -> D) {
        let d = &mut D::file_mut(self)[slot as usize].as_chunks_mut::<PART>().0[part];
        if mask == FULL {
            for lane in 0..PART {
                d[lane] = f(lane);
            }
        } else {
            let keep: [u32; PART] = kept(mask >> (PART * part));
            let mut values = [D::default(); PART];
            for lane in 0..PART {
                values[lane] = f(lane);
            }
            for lane in 0..PART {
                d[lane] = values[lane].or_else(keep[lane], d[lane]);
            }
        }
    }

    /// The lanes in which `f(a, b)` holds; lanes off the warp's mask too, for the caller to cut.
    #[inline(always)]
    pub fn test2<A: Word, B: Word>(&self, s: &Slots, f: impl Fn(A, B) -> bool) -> u32 {
        // Bits are gathered side by side and joined once, which keeps the comparison in vectors.
        let mut bits = [0; PART];
        for part in 0..PARTS {
            let a: [A; PART] = piece(self.get(s.a), part);
            let b: [B; PART] = piece(self.get(s.b), part);
            for lane in 0..PART {
                bits[lane] |= if f(a[lane], b[lane]) { BITS[part * PART + lane] } else { 0 };
            }
        }
        let mut mask = 0;
        for lane in 0..PART {
            mask |= bits[lane];
        }
        mask
    }

    /// Writes the lanes of `mask` of a predicate.
    #[inline(always)]
    pub fn set_predicate(&mut self, slot: Slot, mask: u32, value: u32) {
        let predicate = &mut self.predicates[slot as usize];
        *predicate = *predicate & !mask | value & mask;
    }
}

#[inline(always)]
fn piece<T: Copy>(lanes: &Lanes<T>, part: usize) -> [T; PART] {
    lanes.as_chunks::<PART>().0[part]
}

/// `d[lane] = f(lane)` in the lanes of `mask`. `f` is asked for the other lanes too, so it must have no effect.
#[inline(always)]
pub fn blend<T: Word>(d: &mut Lanes<T>, mask: u32, f: impl Fn(usize) -> T) {
    if mask == FULL {
        for lane in 0..WIDTH {
            d[lane] = f(lane);
        }
    } else {
        let keep: Lanes<u32> = kept(mask);
        for lane in 0..WIDTH {
            d[lane] = f(lane).or_else(keep[lane], d[lane]);
        }
    }
}

/// All ones in the lanes of a mask.
#[inline(always)]
fn kept<const N: usize>(mask: u32) -> [u32; N] {
    let mut kept = [0; N];
    for lane in 0..N {
        kept[lane] = if mask & BITS[lane] != 0 { u32::MAX } else { 0 };
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Registers {
        let words = vec![[0; WIDTH], std::array::from_fn(|lane| lane as u32)];
        Registers { words, doubles: vec![[7; WIDTH]], predicates: vec![0] }
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
        assert_eq!(registers.test2::<u32, u32>(&Slots { a: 1, b: 0, ..Slots::default() }, |a, b| a > b), !1);
    }

    #[test]
    fn lanes_of_a_mask() {
        assert_eq!(lanes(0x8000_0009).collect::<Vec<_>>(), [0, 3, 31]);
        assert_eq!(lanes(0).count(), 0);
    }
}
