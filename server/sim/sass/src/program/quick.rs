//! The most frequent operations, which `exec/quick_run.rs` runs in one loop.

use warplens_sim_cuda::semantics::compare::Comparison;

use super::modifiers::{Arithmetic, Relation};
use super::operation::{Op, Operation, Prepare};
use crate::registers::{Condition, DROPPED, INVERT, NEGATE, Part, Source};

/// A frequent operation on registers, in its plain form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quick {
    /// Not a frequent operation.
    No,
    Move,
    Select,
    Add3,
    /// A source is negated or complemented.
    Add3Signed,
    MultiplyAdd,
    /// `LEA`
    ScaledAdd,
    /// `LEA.HI`
    ScaledAddHigh,
    And,
    Or,
    Xor,
    Xor3,
    Logic,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    /// `SHF.L.U32`
    FunnelLow,
    /// `SHF.R.U32.HI`
    FunnelHigh,
    /// `SHF.R.S32.HI`
    FunnelHighSigned,
    /// `SHF.L.W.U32.HI`
    FunnelLeft,
    /// `SHF.R.W.U32`
    FunnelRight,
    AddFloat,
    MultiplyFloat,
    MultiplyAddFloat,
    /// A source is negated or absolute.
    AddFloatSigned,
    MultiplyFloatSigned,
    MultiplyAddFloatSigned,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LessSigned,
    LessEqualSigned,
    GreaterSigned,
    GreaterEqualSigned,
    CompareFloat,
}

impl Quick {
    pub(super) fn of(o: &Operation) -> Quick {
        if o.sets_cc {
            return Quick::No;
        }
        let is_signed = o.s.iter().any(|source| source.sign != 0);
        let either = |plain: Quick, signed: Quick| if is_signed { signed } else { plain };
        if o.op == Op::Add3 && o.s.iter().all(is_signed_word) {
            return either(Quick::Add3, Quick::Add3Signed);
        }
        if o.prepare != Prepare::Nothing {
            return Quick::No;
        }
        let drops_predicates = o.q == [DROPPED; 2];
        match o.op {
            Op::Move => Quick::Move,
            Op::Select => Quick::Select,
            Op::MulAdd if o.p[0] == Condition::NEVER => Quick::MultiplyAdd,
            Op::ScaledAdd if drops_predicates && !is_signed => Quick::ScaledAdd,
            Op::ScaledAddHigh { extends: false, window: false }
                if drops_predicates && !is_signed && o.p[0] == Condition::NEVER =>
            {
                Quick::ScaledAddHigh
            }
            Op::Lop3(_) if drops_predicates => match o.n as u8 {
                0xc0 => Quick::And,
                0xfc => Quick::Or,
                0x3c => Quick::Xor,
                0x96 => Quick::Xor3,
                _ => Quick::Logic,
            },
            Op::ShiftLeft { wrap: false } => Quick::ShiftLeft,
            Op::ShiftRight { signed: false, wrap: false } => Quick::ShiftRight,
            Op::ShiftRight { signed: true, wrap: false } => Quick::ShiftRightSigned,
            Op::Funnel { wide: false, left, wrap, signed, high } => match (left, high, wrap, signed) {
                (true, false, false, _) => Quick::FunnelLow,
                (false, true, false, false) => Quick::FunnelHigh,
                (false, true, false, true) => Quick::FunnelHighSigned,
                (true, true, true, _) => Quick::FunnelLeft,
                (false, false, true, false) => Quick::FunnelRight,
                _ => Quick::No,
            },
            Op::Float(op, mode) if mode.is_plain() => match op {
                Arithmetic::Add => either(Quick::AddFloat, Quick::AddFloatSigned),
                Arithmetic::Mul => either(Quick::MultiplyFloat, Quick::MultiplyFloatSigned),
                Arithmetic::Fma => either(Quick::MultiplyAddFloat, Quick::MultiplyAddFloatSigned),
            },
            Op::Compare(compare) if !compare.wide && !compare.extends => match compare.relation {
                Relation::Is(cmp) => comparison(cmp, compare.signed),
                Relation::Never | Relation::Always => Quick::No,
            },
            Op::FloatSetp(..) => Quick::CompareFloat,
            _ => Quick::No,
        }
    }
}

/// Whether a source is a whole register, possibly negated or complemented, but not both.
fn is_signed_word(source: &Source) -> bool {
    source.part == Part::Whole && [0, NEGATE, INVERT].contains(&source.sign)
}

fn comparison(cmp: Comparison, signed: bool) -> Quick {
    match (cmp, signed) {
        (Comparison::Equal, _) => Quick::Equal,
        (Comparison::NotEqual, _) => Quick::NotEqual,
        (Comparison::Less, false) => Quick::Less,
        (Comparison::LessEqual, false) => Quick::LessEqual,
        (Comparison::Greater, false) => Quick::Greater,
        (Comparison::GreaterEqual, false) => Quick::GreaterEqual,
        (Comparison::Less, true) => Quick::LessSigned,
        (Comparison::LessEqual, true) => Quick::LessEqualSigned,
        (Comparison::Greater, true) => Quick::GreaterSigned,
        (Comparison::GreaterEqual, true) => Quick::GreaterEqualSigned,
        _ => Quick::No,
    }
}
