//! Runs of the most frequent operations.
//!
//! A run of them is one loop with one jump for each instruction, compiled for the instruction set of the interpreter loop. Those
//! that compute cannot fail and have no effect but on their destination. A load or a store that is not a plain one ends the run:
//! the interpreter loop executes it, with every check and message.

use std::ops::Range;

use pulp::{NullaryFnOnce, Simd};

use super::context::ExecContext;
use super::shared_words;
use crate::cuda::registers::Registers;
use crate::cuda::semantics::bits::{self, Logic, Shift};
use crate::cuda::semantics::compare::{self, Compare, Comparison};
use crate::cuda::semantics::float::{self, FloatMode, FloatOp};
use crate::cuda::semantics::integer::{self, IntOp};
use crate::cuda::slot::Slots;
use crate::ptx::program::{Function, Quick};
use crate::scalar_type::ScalarType;

/// Runs the instructions of a range in the lanes of `mask`, up to one that is not quick; returns how many have run.
#[inline(never)]
pub(crate) fn run<S: Simd>(
    simd: S,
    function: &Function,
    range: Range<usize>,
    registers: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> u32 {
    simd.vectorize(Run { simd, function, range, registers, ctx, mask })
}

struct Run<'r, 'w, S> {
    simd: S,
    function: &'r Function,
    range: Range<usize>,
    registers: &'r mut Registers,
    ctx: &'r mut ExecContext<'w>,
    mask: u32,
}

impl<S: Simd> NullaryFnOnce for Run<'_, '_, S> {
    type Output = u32;

    #[inline(always)]
    fn call(self) -> u32 {
        let Run { simd, function, range, registers, ctx, mask } = self;
        let code = function.code[range.clone()].iter().zip(&function.quick[range.clone()]);
        let mut count = 0;
        for (instruction, &quick) in code {
            let pc = range.start + count as usize;
            let has_run = match quick {
                Quick::No => false,
                Quick::LoadShared => shared_words::load(simd, function, pc, registers, ctx, mask),
                Quick::StoreShared => shared_words::store(simd, function, pc, registers, ctx, mask),
                quick => {
                    compute(simd, quick, &instruction.s, registers, mask);
                    true
                }
            };
            if !has_run {
                break;
            }
            count += 1;
        }
        count
    }
}

/// Runs an operation on registers.
#[inline(always)]
fn compute<S: Simd>(simd: S, quick: Quick, s: &Slots, r: &mut Registers, mask: u32) {
    use ScalarType::{B32, B64, S32, U32, U64};
    macro_rules! test {
        ($op:ident, $ty:ident) => {{
            let compare = Compare { op: Comparison::$op, ty: $ty, flush: false };
            let holds = compare::compare(simd, compare, s, r);
            r.set_predicate(s.d, mask, holds);
        }};
    }
    match quick {
        Quick::No | Quick::LoadShared | Quick::StoreShared => {}
        Quick::Add => integer::execute(IntOp::Add, U32, s, r, mask),
        Quick::Subtract => integer::execute(IntOp::Sub, U32, s, r, mask),
        Quick::Multiply => integer::execute(IntOp::Mul, U32, s, r, mask),
        Quick::MultiplyAdd => integer::execute(IntOp::Mad, U32, s, r, mask),
        Quick::Add64 => integer::execute(IntOp::Add, U64, s, r, mask),
        Quick::MultiplyWide => integer::multiply_wide(U32, s, r, mask),
        Quick::MultiplyWideSigned => integer::multiply_wide(S32, s, r, mask),
        Quick::MultiplyAddWide => integer::multiply_add_wide(U32, s, r, mask),
        Quick::MultiplyAddWideSigned => integer::multiply_add_wide(S32, s, r, mask),
        Quick::And => bits::logic(Logic::And, B32, s, r, mask),
        Quick::Or => bits::logic(Logic::Or, B32, s, r, mask),
        Quick::Xor => bits::logic(Logic::Xor, B32, s, r, mask),
        Quick::Copy => bits::logic(Logic::Copy, B32, s, r, mask),
        Quick::Copy64 => bits::logic(Logic::Copy, B64, s, r, mask),
        Quick::ShiftLeft => bits::shift(Shift::Left, B32, s, r, mask),
        Quick::ShiftRight => bits::shift(Shift::Right, B32, s, r, mask),
        Quick::ShiftRightSigned => bits::shift(Shift::ArithmeticRight, B32, s, r, mask),
        Quick::ShiftLeft64 => bits::shift(Shift::Left, B64, s, r, mask),
        Quick::AddFloat => float::execute_32(simd, FloatOp::Add, FloatMode::PLAIN, s, r, mask),
        Quick::SubtractFloat => float::execute_32(simd, FloatOp::Sub, FloatMode::PLAIN, s, r, mask),
        Quick::MultiplyFloat => float::execute_32(simd, FloatOp::Mul, FloatMode::PLAIN, s, r, mask),
        Quick::MultiplyAddFloat => float::execute_32(simd, FloatOp::Fma, FloatMode::PLAIN, s, r, mask),
        Quick::Equal => test!(Equal, U32),
        Quick::NotEqual => test!(NotEqual, U32),
        Quick::Less => test!(Less, U32),
        Quick::LessEqual => test!(LessEqual, U32),
        Quick::Greater => test!(Greater, U32),
        Quick::GreaterEqual => test!(GreaterEqual, U32),
        Quick::LessSigned => test!(Less, S32),
        Quick::LessEqualSigned => test!(LessEqual, S32),
        Quick::GreaterSigned => test!(Greater, S32),
        Quick::GreaterEqualSigned => test!(GreaterEqual, S32),
    }
}
