//! The most frequent operations on registers, in a form that one jump dispatches.
//!
//! [`Op`] describes every operation with its types and modifiers. Most instructions of most kernels are among a few of them, which
//! only compute: they cannot fail, and nothing but their destination depends on them. These have a number each, and so have loads
//! and stores of words of shared memory, and branches.

use super::operation::{Combining, Instruction, Op};
use super::tables::{Access, Element, Tables};
use crate::cuda::address::{Relative, Space};
use crate::cuda::semantics::bits::{Logic, Shift};
use crate::cuda::semantics::compare::{Compare, Comparison};
use crate::cuda::semantics::float::{FloatMode, FloatOp};
use crate::cuda::semantics::integer::IntOp;
use crate::cuda::slot::{NO_SLOT, RegisterSlot};
use crate::scalar_type::ScalarType;

/// Whether an operation is frequent and only computes, and which one it is. Integers have 32 bits unless the name says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the operations")]
#[repr(u8)]
pub enum Quick {
    /// None of these.
    No,
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    And,
    Or,
    Xor,
    Copy,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Add64,
    Copy64,
    ShiftLeft64,
    MultiplyWide,
    MultiplyWideSigned,
    MultiplyAddWide,
    MultiplyAddWideSigned,
    AddFloat,
    SubtractFloat,
    MultiplyFloat,
    MultiplyAddFloat,
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
    /// A load of a word at a 32-bit address.
    LoadShared,
    /// A store of a word at a 32-bit address.
    StoreShared,
    /// A branch.
    Branch,
}

impl Quick {
    /// Whether it accesses memory.
    pub(crate) fn accesses_memory(self) -> bool {
        matches!(self, Quick::LoadShared | Quick::StoreShared)
    }

    /// The class of an instruction, whatever its guard.
    pub(super) fn of(instruction: &Instruction, tables: &Tables) -> Quick {
        let access = || &tables.accesses[instruction.s.a as usize];
        match instruction.op {
            Op::Load if is_shared_word(access()) => Quick::LoadShared,
            Op::Store if is_shared_word(access()) => Quick::StoreShared,
            Op::Branch(_) => Quick::Branch,
            Op::Int(op, ScalarType::U32 | ScalarType::S32 | ScalarType::B32) => match op {
                IntOp::Add => Quick::Add,
                IntOp::Sub => Quick::Subtract,
                IntOp::Mul => Quick::Multiply,
                IntOp::Mad => Quick::MultiplyAdd,
                _ => Quick::No,
            },
            Op::Int(IntOp::Add, ScalarType::U64 | ScalarType::S64) => Quick::Add64,
            Op::Logic(op, ScalarType::B32) => match op {
                Logic::And => Quick::And,
                Logic::Or => Quick::Or,
                Logic::Xor => Quick::Xor,
                Logic::Copy => Quick::Copy,
                Logic::Not | Logic::CNot => Quick::No,
            },
            Op::Logic(Logic::Copy, ScalarType::B64) => Quick::Copy64,
            Op::Shift(Shift::Left, ScalarType::B32) => Quick::ShiftLeft,
            Op::Shift(Shift::Right, ScalarType::B32) => Quick::ShiftRight,
            Op::Shift(Shift::ArithmeticRight, ScalarType::B32) => Quick::ShiftRightSigned,
            Op::Shift(Shift::Left, ScalarType::B64) => Quick::ShiftLeft64,
            Op::MulWide(ScalarType::U32) => Quick::MultiplyWide,
            Op::MulWide(ScalarType::S32) => Quick::MultiplyWideSigned,
            Op::MadWide(ScalarType::U32) => Quick::MultiplyAddWide,
            Op::MadWide(ScalarType::S32) => Quick::MultiplyAddWideSigned,
            Op::Float32(op, FloatMode::PLAIN) => match op {
                FloatOp::Add => Quick::AddFloat,
                FloatOp::Sub => Quick::SubtractFloat,
                FloatOp::Mul => Quick::MultiplyFloat,
                FloatOp::Fma => Quick::MultiplyAddFloat,
                _ => Quick::No,
            },
            Op::SetPredicate(compare, Combining::No)
                if instruction.s.d != NO_SLOT && instruction.s.e == NO_SLOT =>
            {
                Quick::of_comparison(compare)
            }
            _ => Quick::No,
        }
    }

    fn of_comparison(compare: Compare) -> Quick {
        let signed = match compare.ty {
            ScalarType::U32 | ScalarType::B32 => false,
            ScalarType::S32 => true,
            _ => return Quick::No,
        };
        match (compare.op, signed) {
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
}

/// Whether each lane accesses one word of shared memory, at an address in a 32-bit register.
fn is_shared_word(access: &Access) -> bool {
    let is_word = matches!(access.elements[..], [Some(Element { place: RegisterSlot::Word(_), bits: 32 })]);
    let is_based = matches!(access.address.base, Some(RegisterSlot::Word(_)));
    access.space == Space::Shared
        && access.size == 4
        && is_word
        && is_based
        && access.address.relative != Relative::Frame
}
