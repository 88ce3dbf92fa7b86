//! Runs of the most frequent operations.
//!
//! One loop executes such a run with one jump for each instruction, compiled for the instruction set of the
//! interpreter loop. The operations only compute: they cannot fail, and change nothing but their
//! destinations.

use std::ops::Range;

use pulp::{NullaryFnOnce, Simd};
use warplens_sim_cuda::registers::{FULL, lanes_where};
use warplens_sim_cuda::semantics::bits::lop3;
use warplens_sim_cuda::semantics::float::fma_32;

use super::bits::{shifted_left, shifted_right, shifted_right_signed};
use super::float::{self, Signs};
use super::integer::select;
use super::lanewise::{map1, map2, map3};
use super::predicate::set_compared;
use crate::program::{Op, Operation, Program, Quick};
use crate::registers::{Registers, Source};

/// Runs the instructions of a range in the lanes of `mask`, stopping at one that is not quick. Returns how
/// many have run.
#[inline(never)]
pub(crate) fn run<S: Simd>(
    simd: S,
    program: &Program,
    range: Range<usize>,
    registers: &mut Registers,
    mask: u32,
) -> u32 {
    simd.vectorize(Run { simd, program, range, registers, mask })
}

struct Run<'r, S> {
    simd: S,
    program: &'r Program,
    range: Range<usize>,
    registers: &'r mut Registers,
    mask: u32,
}

impl<S: Simd> NullaryFnOnce for Run<'_, S> {
    type Output = u32;

    #[inline(always)]
    fn call(self) -> u32 {
        let Run { simd, program, range, registers, mask } = self;
        let code = program.code[range.clone()].iter().zip(&program.quick[range]);
        let mut count = 0;
        for (operation, &quick) in code {
            if quick == Quick::No {
                break;
            }
            let lanes = if operation.uniform { FULL } else { mask };
            compute(simd, quick, operation, registers, lanes);
            count += 1;
        }
        count
    }
}

#[inline(always)]
fn compute<S: Simd>(simd: S, quick: Quick, o: &Operation, r: &mut Registers, mask: u32) {
    macro_rules! float {
        ($signs:expr, $f:expr) => {
            float::map_plain($signs, o, r, mask, $f)
        };
    }
    macro_rules! test {
        ($op:tt, $ty:ty) => {{
            let [a, b, _] = r.sources(&o.s);
            let holds = lanes_where(simd, |lane| (a[lane] as $ty) $op b[lane] as $ty);
            if let Op::Compare(compare) = o.op {
                set_compared(compare.combine, holds, o, r, mask);
            }
        }};
    }
    match quick {
        Quick::No => {}
        Quick::Move => map1(o, r, mask, |a| a),
        Quick::Select => select(o, r, mask),
        Quick::Add3 => map3(o, r, mask, |a, b, c| a.wrapping_add(b).wrapping_add(c)),
        Quick::Add3Signed => {
            let [a, b, c] = o.s.map(Source::sum_terms);
            let term = |value: u32, (flipped, added): (u32, u32)| (value ^ flipped).wrapping_add(added);
            map3(o, r, mask, |x, y, z| term(x, a).wrapping_add(term(y, b)).wrapping_add(term(z, c)));
        }
        Quick::MultiplyAdd => map3(o, r, mask, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Quick::ScaledAdd => {
            let shift = o.n & 31;
            map2(o, r, mask, |a, b| (a << shift).wrapping_add(b));
        }
        Quick::ScaledAddHigh => {
            let shift = o.n & 31;
            map3(o, r, mask, |a, b, c| funnel_left(a, shift, c).wrapping_add(b));
        }
        Quick::And => map2(o, r, mask, |a, b| a & b),
        Quick::Or => map2(o, r, mask, |a, b| a | b),
        Quick::Xor => map2(o, r, mask, |a, b| a ^ b),
        Quick::Xor3 => map3(o, r, mask, |a, b, c| a ^ b ^ c),
        Quick::Logic => {
            let table = o.n as u8;
            map3(o, r, mask, |a, b, c| lop3(table, a, b, c));
        }
        Quick::ShiftLeft => map2(o, r, mask, shifted_left),
        Quick::ShiftRight => map2(o, r, mask, shifted_right),
        Quick::ShiftRightSigned => map2(o, r, mask, shifted_right_signed),
        Quick::FunnelLow => map3(o, r, mask, |low, by, _| shifted_left(low, by)),
        Quick::FunnelHigh => map3(o, r, mask, |_, by, high| shifted_right(high, by)),
        Quick::FunnelHighSigned => map3(o, r, mask, |_, by, high| shifted_right_signed(high, by)),
        Quick::FunnelLeft => map3(o, r, mask, |low, by, high| funnel_left(low, by & 31, high)),
        Quick::FunnelRight => {
            map3(o, r, mask, |low, by, high| low >> (by & 31) | high << 1 << (31 - (by & 31)))
        }
        Quick::AddFloat => float!(Signs::None, |a, b, _| a + b),
        Quick::MultiplyFloat => float!(Signs::None, |a, b, _| a * b),
        Quick::MultiplyAddFloat => float!(Signs::None, |a, b, c| fma_32(simd, a, b, c)),
        Quick::AddFloatSigned => float!(Signs::Some, |a, b, _| a + b),
        Quick::MultiplyFloatSigned => float!(Signs::Some, |a, b, _| a * b),
        Quick::MultiplyAddFloatSigned => float!(Signs::Some, |a, b, c| fma_32(simd, a, b, c)),
        Quick::Equal => test!(==, u32),
        Quick::NotEqual => test!(!=, u32),
        Quick::Less => test!(<, u32),
        Quick::LessEqual => test!(<=, u32),
        Quick::Greater => test!(>, u32),
        Quick::GreaterEqual => test!(>=, u32),
        Quick::LessSigned => test!(<, i32),
        Quick::LessEqualSigned => test!(<=, i32),
        Quick::GreaterSigned => test!(>, i32),
        Quick::GreaterEqualSigned => test!(>=, i32),
        Quick::CompareFloat => {
            if let Op::FloatSetp(compare, combine) = o.op {
                let holds = float::compared(simd, compare, o, r);
                set_compared(combine, holds, o, r, mask);
            }
        }
    }
}

/// The upper word of `high:low << by`, for a shift below 32.
#[inline(always)]
fn funnel_left(low: u32, by: u32, high: u32) -> u32 {
    high << by | low >> 1 >> (31 - by)
}
