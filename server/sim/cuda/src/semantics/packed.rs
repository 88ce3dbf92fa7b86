//! Integer arithmetic on the halves or bytes of a word, without carries between them.

use super::compare::Comparison;
use super::integer::IntOp;
use crate::registers::Registers;
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Division {
    /// Into four bytes instead of two halves.
    pub bytes: bool,
    pub signed: bool,
}

impl Division {
    fn bits(self) -> u32 {
        if self.bytes { 8 } else { 16 }
    }

    /// Applies `f` to each pair of elements and packs the results.
    fn map(self, a: u32, b: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
        let bits = self.bits();
        let mask = (1 << bits) - 1;
        (0..32 / bits).fold(0, |word, part| {
            let at = |word: u32| {
                let up = word << (32 - bits * (part + 1));
                if self.signed { up as i32 >> (32 - bits) } else { (up >> (32 - bits)) as i32 }
            };
            word | (f(at(a), at(b)) as u32 & mask) << (bits * part)
        })
    }

    fn clamp(self, value: i32) -> i32 {
        clamp(value, self.bits(), self.signed)
    }
}

/// Clamps to an integer type of fewer than 32 bits.
pub(super) fn clamp(value: i32, bits: u32, signed: bool) -> i32 {
    let range = if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    value.clamp(range.0, range.1)
}

/// Runs an operation on the elements of words in the lanes of `mask`.
pub fn execute(op: IntOp, parts: Division, s: &Slots, r: &mut Registers, mask: u32) {
    if op == IntOp::Neg {
        return r.map1(s, mask, |a: u32| parts.map(a, 0, |a, _| -a));
    }
    r.map2(s, mask, |a: u32, b: u32| parts.map(a, b, |a, b| compute(op, parts, a, b)));
}

fn compute(op: IntOp, parts: Division, a: i32, b: i32) -> i32 {
    match op {
        IntOp::Add => a + b,
        IntOp::AddSaturate => parts.clamp(a + b),
        IntOp::Sub => a - b,
        IntOp::SubSaturate => parts.clamp(a - b),
        IntOp::Min => a.min(b),
        IntOp::Max => a.max(b),
        IntOp::MinRelu => a.min(b).max(0),
        IntOp::MaxRelu => a.max(b).max(0),
        // Decoding permits no other operations.
        _ => a,
    }
}

/// `set`: all ones in the elements for which the comparison holds.
pub fn set(cmp: Comparison, parts: Division, s: &Slots, r: &mut Registers, mask: u32) {
    r.map2(s, mask, |a: u32, b: u32| parts.map(a, b, |a, b| -i32::from(cmp.holds(&a, &b))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::testing::word3;
    use proptest::prelude::*;

    const HALVES: Division = Division { bytes: false, signed: true };
    const BYTES: Division = Division { bytes: true, signed: false };

    fn run(op: IntOp, parts: Division, a: u32, b: u32) -> u32 {
        word3(a, b, 0, |s, r, mask| execute(op, parts, s, r, mask))
    }

    #[test]
    fn parts_do_not_mix() {
        assert_eq!(run(IntOp::Add, HALVES, 0x0001_ffff, 0x0001_0001), 0x0002_0000);
        assert_eq!(run(IntOp::Min, HALVES, 0xffff_0005, 0x0001_fffe), 0xffff_fffe);
        assert_eq!(run(IntOp::Min, Division { signed: false, ..HALVES }, 0xffff_0005, 0x1_fffe), 0x1_0005);
        assert_eq!(run(IntOp::MaxRelu, HALVES, 0xffff_0005, 0xfffe_0001), 0x0000_0005);
        assert_eq!(run(IntOp::Neg, Division { bytes: true, signed: true }, 0x0180_00ff, 0), 0xff80_0001);
    }

    #[test]
    fn comparisons_fill_their_part() {
        let holds = |cmp, parts, a, b| word3(a, b, 0, |s, r, mask| set(cmp, parts, s, r, mask));
        assert_eq!(holds(Comparison::Less, BYTES, 0x00ff_0102, 0x0100_0103), 0xff00_00ff);
        assert_eq!(holds(Comparison::Less, HALVES, 0xffff_0001, 0), 0xffff_0000);
    }

    proptest! {
        /// Each element equals the result of the host's type of that width.
        #[test]
        fn parts_are_as_the_host_has_them(a: u32, b: u32) {
            let bytes = |f: fn(u8, u8) -> u8| {
                let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
                u32::from_le_bytes(std::array::from_fn(|part| f(a[part], b[part])))
            };
            let signed = Division { signed: true, ..BYTES };
            prop_assert_eq!(run(IntOp::Add, BYTES, a, b), bytes(u8::wrapping_add));
            prop_assert_eq!(run(IntOp::AddSaturate, BYTES, a, b), bytes(u8::saturating_add));
            prop_assert_eq!(run(IntOp::SubSaturate, BYTES, a, b), bytes(u8::saturating_sub));
            prop_assert_eq!(run(IntOp::Max, BYTES, a, b), bytes(u8::max));
            prop_assert_eq!(run(IntOp::Sub, signed, a, b), bytes(u8::wrapping_sub));
            prop_assert_eq!(
                run(IntOp::AddSaturate, signed, a, b),
                bytes(|a, b| (a as i8).saturating_add(b as i8) as u8)
            );
            prop_assert_eq!(
                run(IntOp::SubSaturate, signed, a, b),
                bytes(|a, b| (a as i8).saturating_sub(b as i8) as u8)
            );
            prop_assert_eq!(
                run(IntOp::MinRelu, signed, a, b),
                bytes(|a, b| (a as i8).min(b as i8).max(0) as u8)
            );
        }
    }
}
