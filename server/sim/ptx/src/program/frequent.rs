//! Classifies instructions as frequent operations.

use warplens_sim_cuda::address::{Relative, Space};
use warplens_sim_cuda::semantics::bits::{Logic, Shift};
use warplens_sim_cuda::semantics::compare::{Compare, Comparison};
use warplens_sim_cuda::semantics::float::{FloatMode, FloatOp};
use warplens_sim_cuda::semantics::integer::IntOp;
use warplens_sim_cuda::slot::{NO_SLOT, RegisterSlot};
use warplens_sim_warp::scalar_type::ScalarType;

use super::Quick;
use super::operation::{Combining, Instruction, Op};
use super::tables::{Access, Element, Tables};

/// The frequent operation that an instruction is, whatever its guard.
pub(super) fn quick(instruction: &Instruction, tables: &Tables) -> Quick {
    match instruction.op {
        Op::Load(id) if is_shared_word(&tables[id]) => Quick::LoadShared,
        Op::Store(id) if is_shared_word(&tables[id]) => Quick::StoreShared,
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
            comparison(compare)
        }
        _ => Quick::No,
    }
}

fn comparison(compare: Compare) -> Quick {
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

/// Whether each lane accesses one word of shared memory at an address in a 32-bit register.
fn is_shared_word(access: &Access) -> bool {
    let is_word = matches!(access.elements[..], [Some(Element { place: RegisterSlot::Word(_), bits: 32 })]);
    let is_based = matches!(access.address.base, Some(RegisterSlot::Word(_)));
    access.space == Space::Shared
        && access.size == 4
        && is_word
        && is_based
        && access.address.relative != Relative::Frame
}
