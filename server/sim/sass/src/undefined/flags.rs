//! The flags of the condition code that operations read and write.

use crate::program::{CcTest, Op, Operation};
use crate::registers::{CC_CARRY, CC_CARRY_2, CC_OVERFLOW, CC_SIGN, CC_ZERO, Predicate};

pub(super) type Flags = &'static [Predicate];

const ALL: Flags = &[CC_ZERO, CC_SIGN, CC_CARRY, CC_OVERFLOW, CC_CARRY_2];
const CARRIES: Flags = &[CC_CARRY, CC_CARRY_2];

/// The flags that a test needs.
pub(crate) fn of_test(test: CcTest) -> Flags {
    match test.0 {
        0 | 15 => &[],
        1..=14 => &[CC_ZERO, CC_SIGN, CC_OVERFLOW],
        16 | 23 => &[CC_OVERFLOW],
        17 | 22 => &[CC_CARRY],
        18 | 21 => &[CC_SIGN],
        19 | 20 => &[CC_ZERO, CC_CARRY],
        _ => ALL,
    }
}

/// The flags that determine the results of an operation. The test that decides whether a lane executes it is separate.
pub(super) fn read(o: &Operation) -> Flags {
    match o.op {
        Op::AddCc { extends: true } | Op::MulAddCc { extends: true, .. } => match o.sets_cc {
            true => &[CC_ZERO, CC_CARRY, CC_CARRY_2],
            false => CARRIES,
        },
        Op::CompareTo(compare, _) if compare.extends => &[CC_ZERO, CC_CARRY],
        Op::CompareCc(_) => &[CC_ZERO, CC_CARRY],
        Op::TestCc(_) => of_test(CcTest(o.n as u8)),
        Op::FromPredicates if o.sets_cc => ALL,
        Op::MinMaxLow => ALL,
        _ if o.p[0].predicate == CC_CARRY => &[CC_CARRY],
        _ => &[],
    }
}

pub(super) fn written(o: &Operation) -> Flags {
    match o.op {
        Op::FromPredicates => &[],
        Op::MinMaxHigh { .. } => ALL,
        _ if o.sets_cc => ALL,
        _ if o.q[0] == CC_CARRY => CARRIES,
        _ => &[],
    }
}
