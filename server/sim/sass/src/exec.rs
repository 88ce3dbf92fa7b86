//! Executes an operation without effect on control flow, in the lanes of a mask.
//!
//! [`execute`] dispatches: `integer`, `float`, `half` and `convert` compute, `memory` accesses memory,
//! `collective` exchanges values between lanes.

mod collective;
mod context;
mod convert;
mod float;
mod half;
mod integer;
mod lanewise;
mod matrix;
mod memory;
mod predicate;
mod quick_run;
mod special;

use pulp::{Scalar, Simd};
use warplens_sim_cuda::registers::{Lanes, lanes_where};

pub(crate) use collective::reduction_named;
pub(crate) use context::{BlockPosition, ExecContext, WarpPosition};
pub(crate) use half::half_result;
pub(crate) use memory::{Fault, addresses as addresses_of, by_space as spaces_of};
pub(crate) use predicate::table_of;
pub(crate) use quick_run::run as run_quick;

use super::program::{Op, Operation, Prepare, Program};
use super::registers::{CC_CARRY, CC_OVERFLOW, CC_SIGN, CC_ZERO, Registers, Source};

/// Runs an operation in the lanes of `mask`, which must not be empty.
#[inline(never)]
pub(crate) fn execute<S: Simd>(
    simd: S,
    operation: &Operation,
    program: &Program,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<Fault>> {
    let prepared;
    let operation = match operation.prepare {
        Prepare::Nothing => operation,
        _ => {
            prepared = prepare(operation, program, r);
            &prepared
        }
    };
    run_operation(simd, operation, program, r, ctx, mask)?;
    if operation.sets_cc
        && !matches!(operation.op, Op::AddCc(_) | Op::MulAddCc { .. } | Op::FromPredicates | Op::ToPredicates)
    {
        flags_of_result(operation, r, mask);
    }
    Ok(())
}

/// Runs an operation whose sources have been prepared. Each kind is compiled for the instruction set of the
/// loop but outside of the loop, because compilers optimize small functions best.
#[inline(always)]
fn run_operation<S: Simd>(
    simd: S,
    o: &Operation,
    program: &Program,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<Fault>> {
    macro_rules! vectorized {
        ($call:expr) => {
            simd.vectorize(
                #[inline(always)]
                move || $call,
            )
        };
    }
    let op = o.op;
    match op {
        Op::Move | Op::Add3 | Op::MulAdd | Op::ScaledAdd | Op::Select | Op::AddCc(_) => {
            vectorized!(integer::arithmetic(op, o, r, mask));
        }
        Op::Add3Carry(_)
        | Op::MulAddWide(_)
        | Op::MulAddHigh(_)
        | Op::ScaledAddCarry
        | Op::ScaledAddHigh { .. }
        | Op::Xmad(_) => vectorized!(integer::wide(op, o, r, mask)),
        Op::Lop3(test) => vectorized!(integer::lop3(test, o, r, mask)),
        Op::ShiftLeft(_) | Op::ShiftRight(..) | Op::Funnel { .. } => {
            vectorized!(integer::shift(op, o, r, mask))
        }
        Op::Compare(compare) => vectorized!(predicate::compare(compare, o, r, mask)),
        Op::FloatAdd(_) | Op::FloatMul(_) | Op::FloatFma(_) | Op::FloatMinMax(_) | Op::FloatSetp(..) => {
            vectorized!(float::execute(simd, op, o, r, mask));
        }
        Op::DoubleAdd(_) | Op::DoubleMul(_) | Op::DoubleFma(_) => vectorized!(float::double(op, o, r, mask)),
        Op::Load => vectorized!(memory::load(&program.accesses[o.n as usize], r, ctx, mask))?,
        Op::Store => vectorized!(memory::store(&program.accesses[o.n as usize], r, ctx, mask))?,
        _ => vectorized!(uncommon(op, o, program, r, ctx, mask))?,
    }
    Ok(())
}

fn uncommon(
    op: Op,
    o: &Operation,
    program: &Program,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<Fault>> {
    match op {
        Op::LoadConstant => return memory::load_constant(&program.accesses[o.n as usize], r, ctx, mask),
        Op::Copy { fill } => {
            let accesses = [&program.accesses[o.n as usize], &program.accesses[o.n as usize + 1]];
            let copies = r.holds(o.p[0]) & mask;
            // Where the predicate is false, the copy only fills in zeros.
            let written = if fill { mask } else { copies };
            return memory::copy(accesses, fill, r, ctx, [copies, written]);
        }
        Op::LoadLocked => return memory::load_locked(&program.accesses[o.n as usize], o.q[0], r, ctx, mask),
        Op::StoreUnlock => return memory::store_unlock(&program.accesses[o.n as usize], r, ctx, mask),
        Op::Atomic => return memory::atomic(&program.atomics[o.n as usize], r, ctx, mask),
        Op::InSpace(space) => memory::in_space(space, o, r, ctx, mask),
        Op::MatrixLoad => return matrix::load(&program.matrix_loads[o.n as usize], r, ctx, mask),
        Op::MatrixTranspose => matrix::transpose(o, r, mask),
        Op::MatrixProduct => matrix::multiply(&program.products[o.n as usize], o, r, mask),
        Op::Special(register, wide) => special::read(register, wide, o, r, ctx, mask),
        Op::BarrierResult => special::barrier_result(o, r, ctx, mask),
        Op::Shuffle(_) | Op::Vote(_) | Op::Match(..) | Op::Reduce(_) | Op::Elect | Op::FirstLane => {
            collective::execute(op, o, r, ctx, mask);
        }
        Op::Half(..) | Op::HalfMinMax(..) | Op::HalfMinMax3(..) | Op::HalfSetp(..) | Op::HalfSet(..) => {
            half::execute(op, o, r, mask)
        }
        Op::ConvertPair { packed } => {
            convert::pair(&program.conversions[o.n as usize], packed, o, r, mask);
        }
        Op::Convert(..) | Op::PackHalves { .. } | Op::Clamp(..) | Op::PackBytes(_) => {
            convert::execute(op, o, r, mask)
        }
        Op::FromPredicates
        | Op::ToPredicates
        | Op::CompareTo(..)
        | Op::CompareCc(_)
        | Op::CompareSelect(_)
        | Op::Plop3(_)
        | Op::PredicatesTo(_)
        | Op::TestCc(_)
        | Op::MinMaxHigh(_)
        | Op::MinMaxLow => predicate::execute(op, o, r, mask),
        Op::MoveFloat
        | Op::SelectFloat(_)
        | Op::FloatPair(..)
        | Op::FloatMinMax3(_)
        | Op::FloatSet(..)
        | Op::FloatSelect(_)
        | Op::FloatCheck
        | Op::Mufu(_)
        | Op::DoubleMinMax
        | Op::DoubleSetp(..)
        | Op::DoublePick(_)
        | Op::DoubleSet(..) => float::uncommon(op, o, r, mask),
        _ => integer::uncommon(op, o, r, mask),
    }
    Ok(())
}

/// Applies signs and parts to the sources of an operation.
#[inline(never)]
fn prepare(operation: &Operation, program: &Program, r: &mut Registers) -> Operation {
    let mut prepared = Operation { prepare: Prepare::Nothing, ..*operation };
    for (index, source) in prepared.s.iter_mut().enumerate() {
        if source.sign == 0 && source.part == Default::default() {
            continue;
        }
        let mut buffer = [0; 32];
        let values: Lanes<u32> = match operation.prepare {
            Prepare::Floats => *r.float(*source, &mut buffer),
            _ => *r.int(*source, &mut buffer),
        };
        let row = program.layout.scratch + index as u16;
        *r.rows[usize::from(row)] = values;
        *source = Source::of(row);
    }
    prepared
}

/// Sets the zero and sign flags from a result, which has no carry and no overflow.
fn flags_of_result(o: &Operation, r: &mut Registers, mask: u32) {
    let d = *r.row(o.d);
    r.set_predicate(CC_ZERO, mask, lanes_where(Scalar::new(), |lane| d[lane] == 0));
    r.set_predicate(CC_SIGN, mask, lanes_where(Scalar::new(), |lane| d[lane] >> 31 == 1));
    r.set_predicate(CC_CARRY, mask, 0);
    r.set_predicate(CC_OVERFLOW, mask, 0);
}
