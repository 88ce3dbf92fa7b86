//! Half precision: `f16` and `bf16`, single or in pairs, rounded once through
//! [`soft_float`](warplens_sim_warp::soft_float).

use warplens_sim_warp::soft_float::{BF16, F16, Rounding, op};

use super::convert::{Clamp, clamp_float};
use super::float::{FloatOp, extremum_32};
use crate::registers::{Registers, lanes};
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Half {
    pub op: HalfOp,
    /// Whether the operands are `bf16` instead of `f16`.
    pub brain: bool,
    /// Whether each operand is a pair in 32 bits.
    pub packed: bool,
    /// `.ftz`: subnormal operands and results become zeros.
    pub flush: bool,
    pub rounding: Rounding,
    /// How the result is clamped: `.sat`, `.relu` or not at all.
    pub clamp: Clamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfOp {
    Common(FloatOp),
    Exp2,
    Tanh,
}

/// Runs a half-precision operation in the lanes of `mask`.
pub fn execute(half: Half, s: &Slots, r: &mut Registers, mask: u32) {
    let (a, b, c) = (*r.get::<u32>(s.a), *r.get::<u32>(s.b), *r.get::<u32>(s.c));
    for lane in lanes(mask) {
        let at = |shift: u32| {
            let part = |word: u32| u64::from(word >> shift & 0xffff);
            compute(half, part(a[lane]), part(b[lane]), part(c[lane])) << shift
        };
        r.words[s.d as usize][lane] = if half.packed { at(0) | at(16) } else { at(0) };
    }
}

fn compute(half: Half, a: u64, b: u64, c: u64) -> u32 {
    let format = if half.brain { BF16 } else { F16 };
    let flush = |bits: u64| if half.flush { format.flush(bits) } else { bits };
    let (a, b, c) = (flush(a), flush(b), flush(c));
    let mode = half.rounding;
    let single = |bits: u64| match bits & (format.sign_bit() - 1) > format.infinity(false) {
        // A NaN keeps its sign, because `.xorsign` reads it.
        true => f32::NAN.copysign(if bits & format.sign_bit() == 0 { 1.0 } else { -1.0 }),
        false => format.to_f32(bits),
    };
    let bits = match half.op {
        HalfOp::Common(FloatOp::Add) => op::add(format, mode, a, b),
        HalfOp::Common(FloatOp::Sub) => op::sub(format, mode, a, b),
        HalfOp::Common(FloatOp::Mul) => op::mul(format, mode, a, b),
        HalfOp::Common(FloatOp::Fma) => op::fma(format, mode, a, b, c),
        HalfOp::Common(FloatOp::Abs) => a & !format.sign_bit(),
        HalfOp::Common(FloatOp::Neg) => a ^ format.sign_bit(),
        HalfOp::Common(other) => format.of_f32(extremum_32(other, single(a), single(b))),
        HalfOp::Exp2 => format.of_f32(f64::from(single(a)).exp2() as f32),
        HalfOp::Tanh => format.of_f32(f64::from(single(a)).tanh() as f32),
    };
    clamp_float(format, half.clamp, flush(bits)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::testing::word3;

    fn run(op: FloatOp, brain: bool, packed: bool, clamp: Clamp, a: u32, b: u32, c: u32) -> u32 {
        let half =
            Half { op: HalfOp::Common(op), brain, packed, flush: false, rounding: Rounding::Nearest, clamp };
        word3(a, b, c, |s, r, mask| execute(half, s, r, mask))
    }

    #[test]
    fn pairs_do_not_mix() {
        let (one, two) = (0x3c00, 0x4000);
        let a = two << 16 | one;
        assert_eq!(run(FloatOp::Fma, false, true, Clamp::None, a, a, a), 0x4600_4000);
        assert_eq!(run(FloatOp::Add, false, false, Clamp::None, one, one, 0), two);
    }

    #[test]
    fn results_are_finished() {
        let minus_one = 0xbc00;
        assert_eq!(run(FloatOp::Add, false, false, Clamp::Relu, minus_one, 0, 0), 0);
        assert_eq!(run(FloatOp::Add, false, false, Clamp::Relu, 0x7e00, 0, 0), 0x7fff);
        assert_eq!(run(FloatOp::Add, false, false, Clamp::Saturate, 0x4000, 0, 0), 0x3c00);
        let op = HalfOp::Common(FloatOp::Add);
        let plain = Half {
            op,
            brain: false,
            packed: false,
            flush: true,
            rounding: Rounding::Nearest,
            clamp: Clamp::None,
        };
        let flushed = Half { flush: true, ..plain };
        assert_eq!(word3(1, 1, 0, |s, r, mask| execute(flushed, s, r, mask)), 0);
    }

    #[test]
    fn brain_floats() {
        assert_eq!(run(FloatOp::Mul, true, false, Clamp::None, 0x4000, 0x4040, 0), 0x40c0);
        assert_eq!(run(FloatOp::Max, true, false, Clamp::None, 0x7fc0, 0x4040, 0), 0x4040);
        assert_eq!(run(FloatOp::MaxNan, true, false, Clamp::None, 0x7fc0, 0x4040, 0), 0x7fff);
    }
}
