//! Operations that only compute, compiled for the instruction set of the interpreter loop.

use pulp::{NullaryFnOnce, Simd};
use warplens_sim_warp::trace::Mask;

use super::alu;
use super::op::{Action, Binary, Compare, Relation, Ternary, Unary};
use super::quick::{Quick, QuickOp};
use super::state::State;

/// Executes a frequent operation in the lanes of `mask`, dispatching with a single jump.
#[inline(always)]
pub(super) fn quick<S: Simd, const W: usize>(simd: S, op: &QuickOp, state: &mut State<W>, mask: Mask) {
    let QuickOp { quick, d, s: [a, b, c] } = *op;
    let rows = &mut state.rows;
    macro_rules! binary {
        ($op:ident) => {
            alu::binary(rows, mask, Binary::$op, d, [a, b])
        };
    }
    macro_rules! test {
        ($class:ident, $relation:ident) => {{
            let found = alu::compare(simd, rows, Compare::$class(Relation::$relation), a, b);
            state.set_predicate(d as u8, mask, found);
        }};
    }
    match quick {
        // The caller never passes these.
        Quick::Control | Quick::No | Quick::Other => {}
        Quick::Copy => alu::unary(rows, mask, Unary::Copy, d, a),
        Quick::Add => binary!(Add),
        Quick::Subtract => binary!(Subtract),
        Quick::Multiply => binary!(Multiply),
        Quick::MultiplyAdd => alu::ternary(rows, mask, Ternary::MultiplyAdd, d, [a, b, c]),
        Quick::Minimum => binary!(Minimum),
        Quick::Maximum => binary!(Maximum),
        Quick::And => binary!(And),
        Quick::Or => binary!(Or),
        Quick::Xor => binary!(Xor),
        Quick::ShiftLeft => binary!(ShiftLeft),
        Quick::ShiftRight => binary!(ShiftRight),
        Quick::ShiftRightSigned => binary!(ShiftRightSigned),
        Quick::FloatAdd => binary!(FloatAdd),
        Quick::FloatSubtract => binary!(FloatSubtract),
        Quick::FloatMultiply => binary!(FloatMultiply),
        Quick::Equal => test!(Unsigned, Equal),
        Quick::NotEqual => test!(Unsigned, NotEqual),
        Quick::Less => test!(Signed, Less),
        Quick::LessOrEqual => test!(Signed, LessOrEqual),
        Quick::Greater => test!(Signed, Greater),
        Quick::GreaterOrEqual => test!(Signed, GreaterOrEqual),
        Quick::LessUnsigned => test!(Unsigned, Less),
        Quick::LessOrEqualUnsigned => test!(Unsigned, LessOrEqual),
        Quick::GreaterUnsigned => test!(Unsigned, Greater),
        Quick::GreaterOrEqualUnsigned => test!(Unsigned, GreaterOrEqual),
    }
}

/// Executes an operation that only computes, in the lanes of `mask`. It is not inlined, because the
/// interpreter loop optimizes best with the frequent operations alone.
#[inline(never)]
pub(super) fn any<S: Simd, const W: usize>(simd: S, action: &Action, state: &mut State<W>, mask: Mask) {
    simd.vectorize(Compute { simd, action, state, mask });
}

struct Compute<'r, S, const W: usize> {
    simd: S,
    action: &'r Action,
    state: &'r mut State<W>,
    mask: Mask,
}

impl<S: Simd, const W: usize> NullaryFnOnce for Compute<'_, S, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.state.compute_lanes(self.simd, self.action, self.mask);
    }
}
