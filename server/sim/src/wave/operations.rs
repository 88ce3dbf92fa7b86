//! Maps mnemonics of the guide's dialect to operations and operand types. The type of an operand determines the encoding of a
//! literal.

use super::program::{
    Arithmetic, Atomic, Binary, Compare, Double, Reduce, Relation, Shuffle, Special, Ternary, Unary,
};
use crate::scalar_type::ScalarType;

/// The operation and the type of its source.
pub(crate) fn unary(mnemonic: &str) -> Option<(Unary, ScalarType)> {
    use ScalarType::{B32, Bf16, F16, F32};
    Some(match mnemonic {
        "not" => (Unary::Not, B32),
        "ineg" => (Unary::Negate, B32),
        "iabs" => (Unary::Absolute, B32),
        "bitcount" => (Unary::CountOnes, B32),
        "bitfind" => (Unary::LeadingZeros, B32),
        "bitrev" => (Unary::ReverseBits, B32),
        "fneg" => (Unary::FloatNegate, F32),
        "fabs" => (Unary::FloatAbsolute, F32),
        "fsqrt" => (Unary::SquareRoot, F32),
        "frsqrt" => (Unary::ReciprocalSquareRoot, F32),
        "frcp" => (Unary::Reciprocal, F32),
        "ffloor" => (Unary::Floor, F32),
        "fceil" => (Unary::Ceil, F32),
        "fround" => (Unary::Round, F32),
        "ftrunc" => (Unary::Truncate, F32),
        "ffract" => (Unary::Fraction, F32),
        "fsat" => (Unary::Saturate, F32),
        "fsin" => (Unary::Sine, F32),
        "fcos" => (Unary::Cosine, F32),
        "fexp2" => (Unary::Exp2, F32),
        "flog2" => (Unary::Log2, F32),
        "cvt_f32_i32" => (Unary::F32FromI32, B32),
        "cvt_f32_u32" => (Unary::F32FromU32, B32),
        "cvt_i32_f32" => (Unary::I32FromF32, F32),
        "cvt_u32_f32" => (Unary::U32FromF32, F32),
        "cvt_f32_f16" => (Unary::F32FromF16, F16),
        "cvt_f16_f32" => (Unary::F16FromF32, F32),
        "cvt_f32_bf16" => (Unary::F32FromBf16, Bf16),
        "cvt_bf16_f32" => (Unary::Bf16FromF32, F32),
        _ => return None,
    })
}

pub(crate) fn binary(mnemonic: &str) -> Option<(Binary, ScalarType)> {
    use ScalarType::{B32, Bf16, Bf16x2, F16, F16x2, F32};
    Some(match mnemonic {
        "iadd" => (Binary::Add, B32),
        "isub" => (Binary::Subtract, B32),
        "imul" => (Binary::Multiply, B32),
        "imul_hi" => (Binary::MultiplyHigh, B32),
        "idiv" => (Binary::Divide, B32),
        "imod" => (Binary::Remainder, B32),
        "imin" => (Binary::Minimum, B32),
        "imax" => (Binary::Maximum, B32),
        "umin" => (Binary::UnsignedMinimum, B32),
        "umax" => (Binary::UnsignedMaximum, B32),
        "and" => (Binary::And, B32),
        "or" => (Binary::Or, B32),
        "xor" => (Binary::Xor, B32),
        "shl" => (Binary::ShiftLeft, B32),
        "shr" => (Binary::ShiftRight, B32),
        "sar" => (Binary::ShiftRightSigned, B32),
        "fadd" => (Binary::FloatAdd, F32),
        "fsub" => (Binary::FloatSubtract, F32),
        "fmul" => (Binary::FloatMultiply, F32),
        "fdiv" => (Binary::FloatDivide, F32),
        "fmin" => (Binary::FloatMinimum, F32),
        "fmax" => (Binary::FloatMaximum, F32),
        "hadd" => (Binary::Half(Arithmetic::Add), F16),
        "hsub" => (Binary::Half(Arithmetic::Subtract), F16),
        "hmul" => (Binary::Half(Arithmetic::Multiply), F16),
        "hadd2" => (Binary::Half2(Arithmetic::Add), F16x2),
        "hmul2" => (Binary::Half2(Arithmetic::Multiply), F16x2),
        "badd" => (Binary::Brain(Arithmetic::Add), Bf16),
        "bsub" => (Binary::Brain(Arithmetic::Subtract), Bf16),
        "bmul" => (Binary::Brain(Arithmetic::Multiply), Bf16),
        "badd2" => (Binary::Brain2(Arithmetic::Add), Bf16x2),
        "bmul2" => (Binary::Brain2(Arithmetic::Multiply), Bf16x2),
        _ => return None,
    })
}

pub(crate) fn ternary(mnemonic: &str) -> Option<(Ternary, ScalarType)> {
    Some(match mnemonic {
        "imad" => (Ternary::MultiplyAdd, ScalarType::B32),
        "iclamp" => (Ternary::Clamp, ScalarType::B32),
        "bfe" => (Ternary::ExtractBits, ScalarType::B32),
        "fma" => (Ternary::FusedMultiplyAdd, ScalarType::F32),
        "fclamp" => (Ternary::FloatClamp, ScalarType::F32),
        "hma" => (Ternary::HalfMultiplyAdd, ScalarType::F16),
        "hma2" => (Ternary::Half2MultiplyAdd, ScalarType::F16x2),
        "bma" => (Ternary::BrainMultiplyAdd, ScalarType::Bf16),
        "bma2" => (Ternary::Brain2MultiplyAdd, ScalarType::Bf16x2),
        _ => return None,
    })
}

/// The operation and how many sources it has.
pub(crate) fn double(mnemonic: &str) -> Option<(Double, u8)> {
    Some(match mnemonic {
        "dadd" => (Double::Add, 2),
        "dsub" => (Double::Subtract, 2),
        "dmul" => (Double::Multiply, 2),
        "ddiv" => (Double::Divide, 2),
        "dma" => (Double::FusedMultiplyAdd, 3),
        "dsqrt" => (Double::SquareRoot, 1),
        _ => return None,
    })
}

pub(crate) fn compare(mnemonic: &str) -> Option<(Compare, ScalarType)> {
    let (family, condition) = mnemonic.split_once('.')?;
    let relation = match condition {
        "eq" => Relation::Equal,
        "ne" => Relation::NotEqual,
        "lt" => Relation::Less,
        "le" => Relation::LessOrEqual,
        "gt" => Relation::Greater,
        "ge" => Relation::GreaterOrEqual,
        "ord" if family == "fcmp" => return Some((Compare::Ordered, ScalarType::F32)),
        "unord" if family == "fcmp" => return Some((Compare::Unordered, ScalarType::F32)),
        _ => return None,
    };
    Some(match family {
        "icmp" => (Compare::Signed(relation), ScalarType::B32),
        "ucmp" => (Compare::Unsigned(relation), ScalarType::B32),
        "fcmp" => (Compare::Float(relation), ScalarType::F32),
        _ => return None,
    })
}

/// The operation after the prefix `atomic_`.
pub(crate) fn atomic(op: &str) -> Option<Atomic> {
    Some(match op {
        "add" => Atomic::Add,
        "sub" => Atomic::Subtract,
        "min" => Atomic::Minimum,
        "max" => Atomic::Maximum,
        "and" => Atomic::And,
        "or" => Atomic::Or,
        "xor" => Atomic::Xor,
        "exchange" => Atomic::Exchange,
        "cas" => Atomic::CompareAndSwap,
        _ => return None,
    })
}

/// `wave_shuffle` and its variants.
pub(crate) fn shuffle(mnemonic: &str) -> Shuffle {
    match mnemonic {
        "wave_shuffle_up" => Shuffle::Up,
        "wave_shuffle_down" => Shuffle::Down,
        "wave_shuffle_xor" => Shuffle::Xor,
        _ => Shuffle::Index,
    }
}

/// The operation after the prefix `wave_reduce_`.
pub(crate) fn reduce(op: &str) -> Option<Reduce> {
    Some(match op {
        "add" => Reduce::Add,
        "min" => Reduce::Minimum,
        "max" => Reduce::Maximum,
        "and" => Reduce::And,
        "or" => Reduce::Or,
        "xor" => Reduce::Xor,
        _ => return None,
    })
}

/// A special register by its name.
pub(crate) fn special(name: &str) -> Option<Special> {
    let axis = |rest: &str| "xyz".find(rest).map(|axis| axis as u8);
    let name = name.strip_prefix("sr_")?;
    Some(match name {
        "wave_id" => Special::WaveId,
        "lane_id" => Special::LaneId,
        "wave_width" => Special::WaveWidth,
        "num_waves" => Special::WaveCount,
        "mma_supported" => Special::MatrixSupported,
        "mma_m" | "mma_n" | "mma_k" => Special::MatrixExtent,
        _ => {
            let (register, rest) = name.rsplit_once('_')?;
            let axis = axis(rest)?;
            match register {
                "thread_id" => Special::ThreadId(axis),
                "workgroup_id" => Special::WorkgroupId(axis),
                "workgroup_size" => Special::WorkgroupSize(axis),
                "grid_size" => Special::GridSize(axis),
                _ => return None,
            }
        }
    })
}
