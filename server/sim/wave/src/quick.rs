//! The frequent operations, which the interpreter loop runs without further checks.

use super::op::{Action, Binary, Compare, Op, Relation, Row, Ternary, Unary};

/// How the interpreter loop runs an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quick {
    Control,
    /// The operation has a guard, accesses memory or exchanges values between lanes.
    No,
    /// The operation only computes, but is not frequent.
    Other,
    Copy,
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    FloatAdd,
    FloatSubtract,
    FloatMultiply,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    LessUnsigned,
    LessOrEqualUnsigned,
    GreaterUnsigned,
    GreaterOrEqualUnsigned,
}

/// A frequent operation: its destination, which may be a predicate, and its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QuickOp {
    pub(crate) quick: Quick,
    pub(crate) d: Row,
    pub(crate) s: [Row; 3],
}

impl QuickOp {
    pub(crate) fn of(op: &Op) -> QuickOp {
        let (quick, d, s) = match op.action {
            Action::Control(_) => (Quick::Control, 0, [0; 3]),
            _ if op.guard.is_some() || op.halves != 0 => (Quick::No, 0, [0; 3]),
            Action::Unary { op: Unary::Copy, d, a } => (Quick::Copy, d, [a; 3]),
            Action::Binary { op, d, a, b } => (binary(op), d, [a, b, a]),
            Action::Ternary { op: Ternary::MultiplyAdd, d, a, b, c } => (Quick::MultiplyAdd, d, [a, b, c]),
            Action::Compare { op, d, a, b } => (compare(op), d.into(), [a, b, a]),
            ref action => (if action.computes() { Quick::Other } else { Quick::No }, 0, [0; 3]),
        };
        QuickOp { quick, d, s }
    }
}

fn binary(op: Binary) -> Quick {
    match op {
        Binary::Add => Quick::Add,
        Binary::Subtract => Quick::Subtract,
        Binary::Multiply => Quick::Multiply,
        Binary::Minimum => Quick::Minimum,
        Binary::Maximum => Quick::Maximum,
        Binary::And => Quick::And,
        Binary::Or => Quick::Or,
        Binary::Xor => Quick::Xor,
        Binary::ShiftLeft => Quick::ShiftLeft,
        Binary::ShiftRight => Quick::ShiftRight,
        Binary::ShiftRightSigned => Quick::ShiftRightSigned,
        Binary::FloatAdd => Quick::FloatAdd,
        Binary::FloatSubtract => Quick::FloatSubtract,
        Binary::FloatMultiply => Quick::FloatMultiply,
        _ => Quick::Other,
    }
}

fn compare(op: Compare) -> Quick {
    match op {
        Compare::Signed(Relation::Equal) | Compare::Unsigned(Relation::Equal) => Quick::Equal,
        Compare::Signed(Relation::NotEqual) | Compare::Unsigned(Relation::NotEqual) => Quick::NotEqual,
        Compare::Signed(Relation::Less) => Quick::Less,
        Compare::Signed(Relation::LessOrEqual) => Quick::LessOrEqual,
        Compare::Signed(Relation::Greater) => Quick::Greater,
        Compare::Signed(Relation::GreaterOrEqual) => Quick::GreaterOrEqual,
        Compare::Unsigned(Relation::Less) => Quick::LessUnsigned,
        Compare::Unsigned(Relation::LessOrEqual) => Quick::LessOrEqualUnsigned,
        Compare::Unsigned(Relation::Greater) => Quick::GreaterUnsigned,
        Compare::Unsigned(Relation::GreaterOrEqual) => Quick::GreaterOrEqualUnsigned,
        Compare::Float(_) | Compare::Ordered | Compare::Unordered => Quick::Other,
    }
}
