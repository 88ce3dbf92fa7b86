//! Arithmetic operations, computed in all lanes of a mask at once.

use pulp::Simd;
use warplens_sim_warp::trace::Mask;

use super::float;
use super::lanes::{Rows, lanes, row};
use super::op::{Arithmetic, Binary, Compare, Double, Relation, Row, Ternary, Unary};

#[inline(always)]
pub(crate) fn unary<const W: usize>(rows: &mut Rows<W>, mask: Mask, op: Unary, d: Row, a: Row) {
    let float = |f: fn(f32) -> f32| move |x| float::unary(x, f);
    match op {
        Unary::Copy => rows.map1(mask, d, a, |x| x),
        Unary::Not => rows.map1(mask, d, a, |x| !x),
        Unary::Negate => rows.map1(mask, d, a, u32::wrapping_neg),
        Unary::Absolute => rows.map1(mask, d, a, |x| (x as i32).wrapping_abs() as u32),
        Unary::CountOnes => rows.map1(mask, d, a, u32::count_ones),
        Unary::LeadingZeros => rows.map1(mask, d, a, |x| if x == 0 { u32::MAX } else { x.leading_zeros() }),
        Unary::ReverseBits => rows.map1(mask, d, a, u32::reverse_bits),
        Unary::FloatNegate => rows.map1(mask, d, a, |x| x ^ 0x8000_0000),
        Unary::FloatAbsolute => rows.map1(mask, d, a, |x| x & 0x7fff_ffff),
        Unary::SquareRoot => rows.map1(mask, d, a, |x| float::unary(x, f32::sqrt)),
        Unary::ReciprocalSquareRoot => rows.map1(mask, d, a, |x| float::unary(x, |x| 1.0 / x.sqrt())),
        Unary::Reciprocal => rows.map1(mask, d, a, |x| float::unary(x, |x| 1.0 / x)),
        Unary::Floor => rows.each1(mask, d, a, float(f32::floor)),
        Unary::Ceil => rows.each1(mask, d, a, float(f32::ceil)),
        Unary::Round => rows.each1(mask, d, a, float(f32::round)),
        Unary::Truncate => rows.each1(mask, d, a, float(f32::trunc)),
        Unary::Fraction => rows.each1(mask, d, a, float(|x| x - x.trunc())),
        Unary::Saturate => rows.map1(mask, d, a, |x| float::unary(x, |x| x.clamp(0.0, 1.0))),
        Unary::Sine => rows.each1(mask, d, a, float(f32::sin)),
        Unary::Cosine => rows.each1(mask, d, a, float(f32::cos)),
        Unary::Exp2 => rows.each1(mask, d, a, float(f32::exp2)),
        Unary::Log2 => rows.each1(mask, d, a, float(f32::log2)),
        Unary::F32FromI32 => rows.map1(mask, d, a, |x| (x as i32 as f32).to_bits()),
        Unary::F32FromU32 => rows.map1(mask, d, a, |x| (x as f32).to_bits()),
        Unary::I32FromF32 => rows.map1(mask, d, a, |x| f32::from_bits(x) as i32 as u32),
        Unary::U32FromF32 => rows.map1(mask, d, a, |x| f32::from_bits(x) as u32),
        Unary::F32FromF16 => rows.each1(mask, d, a, |x| float::from_half(x & 0xffff)),
        Unary::F16FromF32 => rows.each1(mask, d, a, float::to_half),
        Unary::F32FromBf16 => rows.map1(mask, d, a, float::from_brain),
        Unary::Bf16FromF32 => rows.map1(mask, d, a, float::to_brain),
    }
}

#[inline(always)]
pub(crate) fn binary<const W: usize>(rows: &mut Rows<W>, mask: Mask, op: Binary, d: Row, s: [Row; 2]) {
    match op {
        Binary::Add => rows.map2(mask, d, s, u32::wrapping_add),
        Binary::Subtract => rows.map2(mask, d, s, u32::wrapping_sub),
        Binary::Multiply => rows.map2(mask, d, s, u32::wrapping_mul),
        Binary::MultiplyHigh => {
            rows.map2(mask, d, s, |x, y| (u64::from(x).wrapping_mul(u64::from(y)) >> 32) as u32);
        }
        Binary::Divide => rows.each2(mask, d, s, |x, y| divide(x, y, i32::wrapping_div)),
        Binary::Remainder => rows.each2(mask, d, s, |x, y| divide(x, y, i32::wrapping_rem)),
        Binary::Minimum => rows.map2(mask, d, s, |x, y| (x as i32).min(y as i32) as u32),
        Binary::Maximum => rows.map2(mask, d, s, |x, y| (x as i32).max(y as i32) as u32),
        Binary::UnsignedMinimum => rows.map2(mask, d, s, u32::min),
        Binary::UnsignedMaximum => rows.map2(mask, d, s, u32::max),
        Binary::And => rows.map2(mask, d, s, |x, y| x & y),
        Binary::Or => rows.map2(mask, d, s, |x, y| x | y),
        Binary::Xor => rows.map2(mask, d, s, |x, y| x ^ y),
        Binary::ShiftLeft => rows.map2(mask, d, s, u32::wrapping_shl),
        Binary::ShiftRight => rows.map2(mask, d, s, u32::wrapping_shr),
        Binary::ShiftRightSigned => rows.map2(mask, d, s, |x, y| (x as i32).wrapping_shr(y) as u32),
        Binary::FloatAdd => rows.map2(mask, d, s, |x, y| float::binary(x, y, |x, y| x + y)),
        Binary::FloatSubtract => rows.map2(mask, d, s, |x, y| float::binary(x, y, |x, y| x - y)),
        Binary::FloatMultiply => rows.map2(mask, d, s, |x, y| float::binary(x, y, |x, y| x * y)),
        Binary::FloatDivide => rows.map2(mask, d, s, |x, y| float::binary(x, y, |x, y| x / y)),
        Binary::FloatMinimum => rows.map2(mask, d, s, float::minimum),
        Binary::FloatMaximum => rows.map2(mask, d, s, float::maximum),
        Binary::Half(op) => rows.each2(mask, d, s, |x, y| half(op, [x & 0xffff, y & 0xffff])),
        Binary::Half2(op) => {
            rows.each2(mask, d, s, |x, y| float::packed([x, y, 0], |[x, y, _]| half(op, [x, y])));
        }
        Binary::Brain(op) => rows.map2(mask, d, s, |x, y| brain(op, [x & 0xffff, y & 0xffff])),
        Binary::Brain2(op) => {
            rows.map2(mask, d, s, |x, y| float::packed([x, y, 0], |[x, y, _]| brain(op, [x, y])));
        }
    }
}

#[inline(always)]
pub(crate) fn ternary<const W: usize>(rows: &mut Rows<W>, mask: Mask, op: Ternary, d: Row, s: [Row; 3]) {
    match op {
        Ternary::MultiplyAdd => rows.map3(mask, d, s, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
        Ternary::Clamp => {
            rows.map3(mask, d, s, |x, low, high| (x as i32).max(low as i32).min(high as i32) as u32);
        }
        Ternary::ExtractBits => {
            rows.map3(mask, d, s, |x, offset, width| x.wrapping_shr(offset) & field(width));
        }
        Ternary::FusedMultiplyAdd => rows.each3(mask, d, s, float::fused),
        Ternary::FloatClamp => rows.map3(mask, d, s, float::clamp),
        Ternary::HalfMultiplyAdd => {
            rows.each3(mask, d, s, |x, y, z| half_fused([x, y, z].map(|x| x & 0xffff)))
        }
        Ternary::Half2MultiplyAdd => rows.each3(mask, d, s, |x, y, z| float::packed([x, y, z], half_fused)),
        Ternary::BrainMultiplyAdd => {
            rows.each3(mask, d, s, |x, y, z| brain_fused([x, y, z].map(|x| x & 0xffff)));
        }
        Ternary::Brain2MultiplyAdd => rows.each3(mask, d, s, |x, y, z| float::packed([x, y, z], brain_fused)),
    }
}

/// `bfi`: inserts the low `width` bits of `value` into `base` at `offset`.
#[inline(always)]
pub(crate) fn insert_bits<const W: usize>(rows: &mut Rows<W>, mask: Mask, d: Row, sources: [Row; 4]) {
    let [base, value, offset, width] = sources.map(|source| *rows.get(source));
    let values = row(|lane| {
        let field = field(width[lane]);
        let offset = offset[lane];
        base[lane] & !field.wrapping_shl(offset) | (value[lane] & field).wrapping_shl(offset)
    });
    rows.write(d, &values, mask);
}

/// Performs a [`Double`] operation on register pairs.
#[inline(always)]
pub(crate) fn double<const W: usize>(
    rows: &mut Rows<W>,
    mask: Mask,
    op: Double,
    d: [Row; 2],
    sources: [[Row; 2]; 3],
) {
    for lane in lanes(mask) {
        let [a, b, c] = sources.map(|pair| f64::from_bits(rows.pair(pair, lane)));
        let result = match op {
            Double::Add => a + b,
            Double::Subtract => a - b,
            Double::Multiply => a * b,
            Double::Divide => a / b,
            Double::FusedMultiplyAdd => a.mul_add(b, c),
            Double::SquareRoot => a.sqrt(),
        };
        let bits = if result.is_nan() { quiet([a, b, c]) } else { result.to_bits() };
        rows.set_pair(d, lane, bits);
    }
}

/// The NaN result of an operation on `operands`; see [`float`].
fn quiet(operands: [f64; 3]) -> u64 {
    match operands.into_iter().find(|operand| operand.is_nan()) {
        Some(nan) => nan.to_bits() | 1 << 51,
        None => 0xfff8 << 48,
    }
}

/// Compares in every lane; the caller masks the result.
#[inline(always)]
pub(crate) fn compare<S: Simd, const W: usize>(simd: S, rows: &Rows<W>, op: Compare, a: Row, b: Row) -> Mask {
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    match op {
        Compare::Signed(relation) => relate(simd, rows, relation, a, b, |bits| bits as i32),
        Compare::Unsigned(relation) => relate(simd, rows, relation, a, b, |bits| bits),
        Compare::Float(relation) => relate(simd, rows, relation, a, b, f32::from_bits),
        Compare::Ordered => rows.test2(simd, a, b, |a, b| !nan(a) & !nan(b)),
        Compare::Unordered => rows.test2(simd, a, b, |a, b| nan(a) | nan(b)),
    }
}

#[inline(always)]
fn relate<S: Simd, const W: usize, T: PartialOrd>(
    simd: S,
    rows: &Rows<W>,
    relation: Relation,
    a: Row,
    b: Row,
    read: impl Fn(u32) -> T,
) -> Mask {
    match relation {
        Relation::Equal => rows.test2(simd, a, b, |a, b| read(a) == read(b)),
        Relation::NotEqual => rows.test2(simd, a, b, |a, b| read(a) != read(b)),
        Relation::Less => rows.test2(simd, a, b, |a, b| read(a) < read(b)),
        Relation::LessOrEqual => rows.test2(simd, a, b, |a, b| read(a) <= read(b)),
        Relation::Greater => rows.test2(simd, a, b, |a, b| read(a) > read(b)),
        Relation::GreaterOrEqual => rows.test2(simd, a, b, |a, b| read(a) >= read(b)),
    }
}

/// Signed division. The specification leaves division by 0 open; like the reference emulator, it gives 0.
#[inline(always)]
fn divide(x: u32, y: u32, f: fn(i32, i32) -> i32) -> u32 {
    if y == 0 { 0 } else { f(x as i32, y as i32) as u32 }
}

/// A mask of the low `width & 31` bits.
#[inline(always)]
fn field(width: u32) -> u32 {
    1u32.wrapping_shl(width).wrapping_sub(1)
}

#[inline(always)]
fn arithmetic(op: Arithmetic, a: u32, b: u32) -> u32 {
    match op {
        Arithmetic::Add => float::binary(a, b, |x, y| x + y),
        Arithmetic::Subtract => float::binary(a, b, |x, y| x - y),
        Arithmetic::Multiply => float::binary(a, b, |x, y| x * y),
    }
}

#[inline(always)]
fn half(op: Arithmetic, [a, b]: [u32; 2]) -> u32 {
    float::to_half(arithmetic(op, float::from_half(a), float::from_half(b)))
}

#[inline(always)]
fn half_fused(operands: [u32; 3]) -> u32 {
    let [a, b, c] = operands.map(float::from_half);
    float::to_half(float::fused(a, b, c))
}

#[inline(always)]
fn brain(op: Arithmetic, [a, b]: [u32; 2]) -> u32 {
    float::to_brain(arithmetic(op, float::from_brain(a), float::from_brain(b)))
}

#[inline(always)]
fn brain_fused(operands: [u32; 3]) -> u32 {
    let [a, b, c] = operands.map(float::from_brain);
    float::to_brain(float::fused(a, b, c))
}
