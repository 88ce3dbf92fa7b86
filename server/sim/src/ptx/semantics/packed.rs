//! Integer arithmetic on the halves of a word, without carries between them.

use super::integer::IntOp;
use crate::ptx::registers::{Registers, Slots};

/// Runs an operation on `u16x2` or `s16x2` operands in the lanes of `mask`.
pub fn execute(op: IntOp, signed: bool, s: &Slots, r: &mut Registers, mask: u32) {
    r.map2(s, mask, |a: u32, b: u32| {
        let low = compute(op, signed, a as u16, b as u16);
        let high = compute(op, signed, (a >> 16) as u16, (b >> 16) as u16);
        u32::from(low) | u32::from(high) << 16
    });
}

fn compute(op: IntOp, signed: bool, a: u16, b: u16) -> u16 {
    let (x, y) = (a as i16, b as i16);
    match (op, signed) {
        (IntOp::Add, _) => a.wrapping_add(b),
        (IntOp::Min, false) => a.min(b),
        (IntOp::Max, false) => a.max(b),
        (IntOp::Min, true) => x.min(y) as u16,
        (IntOp::Max, true) => x.max(y) as u16,
        (IntOp::MinRelu, _) => x.min(y).max(0) as u16,
        (IntOp::MaxRelu, _) => x.max(y).max(0) as u16,
        // Decoding lets nothing else through.
        _ => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::semantics::testing::word3;

    #[test]
    fn halves_do_not_mix() {
        let run = |op, signed, a, b| word3(a, b, 0, |s, r, mask| execute(op, signed, s, r, mask));
        assert_eq!(run(IntOp::Add, false, 0x0001_ffff, 0x0001_0001), 0x0002_0000);
        assert_eq!(run(IntOp::Min, true, 0xffff_0005, 0x0001_fffe), 0xffff_fffe);
        assert_eq!(run(IntOp::Min, false, 0xffff_0005, 0x0001_fffe), 0x0001_0005);
        assert_eq!(run(IntOp::MaxRelu, true, 0xffff_0005, 0xfffe_0001), 0x0000_0005);
    }
}
