//! Executes an operation without effect on control flow, in the lanes of a mask.
//!
//! [`execute`] dispatches: `integer`, `bits`, `extremum`, `float`, `half` and `convert` compute, `memory`
//! accesses memory, `collective` exchanges values between lanes.

mod bits;
mod collective;
mod context;
mod convert;
mod extremum;
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
use warplens_sim_cuda::registers::{PerLane, lanes_where};
use warplens_sim_warp::scalar_type::ScalarType;

pub(crate) use collective::reduction_named;
use context::Executed;
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
) -> Executed {
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
        && !matches!(
            operation.op,
            Op::AddCc { .. } | Op::MulAddCc { .. } | Op::FromPredicates | Op::ToPredicates
        )
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
) -> Executed {
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
        Op::Move | Op::Add3 | Op::MulAdd | Op::ScaledAdd | Op::Select | Op::AddCc { .. } => {
            vectorized!(integer::arithmetic(op, o, r, mask));
        }
        Op::Add3Carry { .. }
        | Op::MulAddWide { .. }
        | Op::MulAddHigh { .. }
        | Op::ScaledAddCarry
        | Op::ScaledAddHigh { .. }
        | Op::Xmad(_) => vectorized!(integer::wide(op, o, r, mask)),
        Op::Lop3(test) => vectorized!(bits::lop3(test, o, r, mask)),
        Op::ShiftLeft { .. } | Op::ShiftRight { .. } | Op::Funnel { .. } => {
            vectorized!(bits::shift(op, o, r, mask))
        }
        Op::Compare(compare) => vectorized!(predicate::compare(compare, o, r, mask)),
        Op::Float(..) | Op::FloatMinMax(_) | Op::FloatSetp(..) => {
            vectorized!(float::execute(simd, op, o, r, mask));
        }
        Op::Double(op, rounding) => vectorized!(float::double(op, rounding, o, r, mask)),
        Op::Load(access) => vectorized!(memory::load(&program.accesses[access], r, ctx, mask))?,
        Op::Store(access) => vectorized!(memory::store(&program.accesses[access], r, ctx, mask))?,
        _ => vectorized!(uncommon(op, o, program, r, ctx, mask))?,
    }
    Ok(())
}

/// Infrequent operations on memory, and those that only compute.
fn uncommon(
    op: Op,
    o: &Operation,
    program: &Program,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Executed {
    match op {
        Op::LoadConstant(access) => memory::load_constant(&program.accesses[access], r, ctx, mask),
        Op::Copy { to, from, fill } => {
            let accesses = [&program.accesses[to], &program.accesses[from]];
            let copies = r.holds(o.p[0]) & mask;
            // Where the predicate is false, the copy only fills in zeros.
            let written = if fill { mask } else { copies };
            memory::copy(accesses, fill, r, ctx, [copies, written])
        }
        Op::LoadLocked(access) => memory::load_locked(&program.accesses[access], o.q[0], r, ctx, mask),
        Op::StoreUnlock(access) => memory::store_unlock(&program.accesses[access], r, ctx, mask),
        Op::Atomic(atomic) => memory::atomic(&program.atomics[atomic], r, ctx, mask),
        Op::MatrixLoad(load) => matrix::load(&program.matrix_accesses[load], r, ctx, mask),
        Op::MatrixStore(store) => matrix::store(&program.matrix_accesses[store], r, ctx, mask),
        _ => {
            compute(op, o, program, r, ctx, mask);
            Ok(())
        }
    }
}

fn compute(
    op: Op,
    o: &Operation,
    program: &Program,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) {
    match op {
        Op::Nop | Op::Fence { .. } => {}
        Op::InWindow(window) => memory::in_window(window, o, r, ctx, mask),
        Op::MatrixTranspose => matrix::transpose(o, r, mask),
        Op::MatrixProduct(product) => matrix::multiply(&program.products[product], o, r, mask),
        Op::Special { register, wide } => special::read(register, wide, o, r, ctx, mask),
        Op::BarrierResult => special::barrier_result(o, r, ctx, mask),
        Op::RequestRegisters => r.set_predicate(o.q[0], mask, u32::MAX),
        _ if op.is_collective() => collective::execute(op, o, r, ctx, mask),
        Op::ConvertPair { conversion, packed } => {
            convert::pair(&program.conversions[conversion], packed, o, r, mask);
        }
        _ => {
            let executed = match op {
                // The frequent ones do not try the other families first.
                Op::Mufu(_) => float::uncommon(op, o, r, mask),
                Op::Half(..) => half::execute(op, o, r, mask),
                Op::Convert(_) => convert::execute(op, o, r, mask),
                _ => {
                    integer::uncommon(op, o, r, mask)
                        || bits::uncommon(op, o, r, mask)
                        || extremum::execute(op, o, r, mask)
                        || predicate::execute(op, o, r, mask)
                        || convert::execute(op, o, r, mask)
                        || float::uncommon(op, o, r, mask)
                        || half::execute(op, o, r, mask)
                        || float::uncommon_double(op, o, r, mask)
                }
            };
            debug_assert!(executed, "{op:?}");
        }
    }
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
        let values: PerLane<u32> = match operation.prepare {
            Prepare::Floats => *r.float(*source, &mut buffer),
            _ => *r.int(*source, &mut buffer),
        };
        let row = program.layout.scratch + index as u16;
        *r.rows[usize::from(row)] = values;
        *source = Source::of(row);
    }
    prepared
}

/// Sets the zero and sign flags from a result, which has no carry and no overflow. A NaN sets both.
fn flags_of_result(o: &Operation, r: &mut Registers, mask: u32) {
    let values: PerLane<f64> = match result_type(o.op) {
        ResultType::Word => r.row(o.d).map(|word| f64::from(word as i32)),
        ResultType::Single => r.row(o.d).map(|word| f64::from(f32::from_bits(word))),
        ResultType::Double => r.bits_64(o.d).map(f64::from_bits),
    };
    let zero = lanes_where(Scalar::new(), |lane| values[lane] == 0.0 || values[lane].is_nan());
    let sign = lanes_where(Scalar::new(), |lane| values[lane] < 0.0 || values[lane].is_nan());
    r.set_predicate(CC_ZERO, mask, zero);
    r.set_predicate(CC_SIGN, mask, sign);
    r.set_predicate(CC_CARRY, mask, 0);
    r.set_predicate(CC_OVERFLOW, mask, 0);
}

enum ResultType {
    /// Any integer, and pairs of halves.
    Word,
    Single,
    Double,
}

fn result_type(op: Op) -> ResultType {
    match op {
        Op::Float(..)
        | Op::FloatMinMax(_)
        | Op::FloatMinMax3(_)
        | Op::FloatSelect(_)
        | Op::SelectFloat { .. }
        | Op::MoveFloat
        | Op::Mufu(_) => ResultType::Single,
        Op::Double(..) | Op::DoubleMinMax => ResultType::Double,
        Op::Convert(convert) => match convert.to {
            ScalarType::F32 => ResultType::Single,
            ScalarType::F64 => ResultType::Double,
            _ => ResultType::Word,
        },
        _ => ResultType::Word,
    }
}
