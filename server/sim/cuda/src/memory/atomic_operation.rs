//! The values that atomics store.

use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::soft_float::{BF16, F16, Format, Rounding, op};

use crate::address::{AtomicOp, Space};
use crate::semantics::float::{FloatOp, extremum_32, flush_32};

/// The value that an atomic stores, given the old value and the operands.
#[inline]
pub fn apply(op: AtomicOp, ty: ScalarType, space: Space, old: u128, b: u128, c: u128) -> u128 {
    let bits = ty.bits();
    let low = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
    let (b, c) = (b & low, c & low);
    let new = match op {
        AtomicOp::Exchange => b,
        AtomicOp::CompareSwap if old == b => c,
        AtomicOp::CompareSwap => old,
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Increment if old >= b => 0,
        AtomicOp::Increment => old + 1,
        AtomicOp::Decrement if old == 0 || old > b => b,
        AtomicOp::Decrement => old - 1,
        AtomicOp::Add | AtomicOp::Min | AtomicOp::Max => {
            arithmetic(op, ty, space, old as u64, b as u64).into()
        }
    };
    new & low
}

fn arithmetic(op: AtomicOp, ty: ScalarType, space: Space, old: u64, b: u64) -> u64 {
    let (add, smaller) = (op == AtomicOp::Add, op == AtomicOp::Min);
    let pick = |b_is_less: bool| if b_is_less == smaller { b } else { old };
    match ty {
        ScalarType::F32 => single(op, space, old as u32, b as u32).into(),
        ScalarType::F64 if add => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
        ScalarType::F64 => pick(f64::from_bits(b) < f64::from_bits(old)),
        ScalarType::F16 => half(F16, op, old, b),
        ScalarType::Bf16 => half(BF16, op, old, b),
        ScalarType::F16x2 => pair(F16, op, old, b),
        ScalarType::Bf16x2 => pair(BF16, op, old, b),
        _ if add => old.wrapping_add(b),
        ScalarType::S32 => pick((b as i32) < old as i32),
        ScalarType::S64 => pick((b as i64) < old as i64),
        _ => pick(b < old),
    }
}

/// Additions flush subnormals in global memory, but not in shared memory.
fn single(op: AtomicOp, space: Space, old: u32, b: u32) -> u32 {
    let flush = |bits| if space == Space::Shared { bits } else { flush_32(bits) };
    let (x, y) = (f32::from_bits(flush(old)), f32::from_bits(flush(b)));
    match op {
        AtomicOp::Add if (x + y).is_nan() => 0x7fff_ffff,
        AtomicOp::Add => flush((x + y).to_bits()),
        AtomicOp::Min => extremum_32(FloatOp::Min, f32::from_bits(old), f32::from_bits(b)).to_bits(),
        _ => extremum_32(FloatOp::Max, f32::from_bits(old), f32::from_bits(b)).to_bits(),
    }
}

fn half(format: Format, atomic: AtomicOp, old: u64, b: u64) -> u64 {
    let extremum = |op| format.of_f32(extremum_32(op, format.to_f32(old), format.to_f32(b)));
    match atomic {
        AtomicOp::Add => op::add(format, Rounding::Nearest, old, b),
        AtomicOp::Min => extremum(FloatOp::Min),
        _ => extremum(FloatOp::Max),
    }
}

fn pair(format: Format, atomic: AtomicOp, old: u64, b: u64) -> u64 {
    let low = half(format, atomic, old & 0xffff, b & 0xffff);
    low | half(format, atomic, old >> 16 & 0xffff, b >> 16 & 0xffff) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: AtomicOp, ty: ScalarType, old: u128, b: u128, c: u128) -> u128 {
        apply(op, ty, Space::Global, old, b, c)
    }

    #[test]
    fn counters_wrap_at_their_bound() {
        assert_eq!(run(AtomicOp::Increment, ScalarType::U32, 4, 5, 0), 5);
        assert_eq!(run(AtomicOp::Increment, ScalarType::U32, 5, 5, 0), 0);
        assert_eq!(run(AtomicOp::Decrement, ScalarType::U32, 0, 5, 0), 5);
        assert_eq!(run(AtomicOp::Decrement, ScalarType::U32, 9, 5, 0), 5);
        assert_eq!(run(AtomicOp::Decrement, ScalarType::U32, 3, 5, 0), 2);
    }

    #[test]
    fn swaps() {
        assert_eq!(run(AtomicOp::CompareSwap, ScalarType::U64, 7, 7, 9), 9);
        assert_eq!(run(AtomicOp::CompareSwap, ScalarType::U64, 8, 7, 9), 8);
        assert_eq!(run(AtomicOp::Exchange, ScalarType::B128, 1 << 100, 1 << 90, 0), 1 << 90);
    }

    #[test]
    fn sums_and_extremes_by_type() {
        let one = u128::from(1f32.to_bits());
        assert_eq!(run(AtomicOp::Add, ScalarType::F32, one, one, 0), u128::from(2f32.to_bits()));
        assert_eq!(run(AtomicOp::Add, ScalarType::U32, 0xffff_ffff, 2, 0), 1);
        assert_eq!(run(AtomicOp::Min, ScalarType::S32, 1, 0xffff_ffff, 0), 0xffff_ffff);
        assert_eq!(run(AtomicOp::Min, ScalarType::U32, 1, 0xffff_ffff, 0), 1);
        assert_eq!(run(AtomicOp::Add, ScalarType::F16x2, 0x3c00_4000, 0x3c00_3c00, 0), 0x4000_4200);
    }
}
