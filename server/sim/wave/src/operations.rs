//! The operations of a program, with their mnemonics in the guide's dialect and the types of their sources.
//! The type of an operand determines the encoding of a literal.

use warplens_sim_warp::scalar_type::ScalarType::{self, B32, Bf16, Bf16x2, F16, F16x2, F32};

/// Lists operations by mnemonic: `"iadd" Add B32;`, or for a family: `Half(Arithmetic) F16 { "hadd" Add; }`.
/// `find` maps a mnemonic to the operation and the value after it.
macro_rules! operations {
    ($(#[$doc:meta])* $find:ident: $name:ident; $($mnemonic:literal $op:ident;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum $name {
            $($op,)*
        }

        pub(crate) fn $find(mnemonic: &str) -> Option<$name> {
            match mnemonic {
                $($mnemonic => Some($name::$op),)*
                _ => None,
            }
        }
    };
    (
        $(#[$doc:meta])* $find:ident: $name:ident, $ty:ty;
        $($unnamed:ident;)?
        $($mnemonic:literal $op:ident $value:expr;)*
        $(| $family:ident($part:ident) $family_value:ident { $($member:literal $of:ident;)* })*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum $name {
            $($unnamed,)?
            $($op,)*
            $($family($part),)*
        }

        pub(crate) fn $find(mnemonic: &str) -> Option<($name, $ty)> {
            Some(match mnemonic {
                $($mnemonic => ($name::$op, $value),)*
                $($($member => ($name::$family($part::$of), $family_value),)*)*
                _ => return None,
            })
        }
    };
}

operations! {
    /// One source, one result, 32 bits.
    unary: Unary, ScalarType;
    Copy;
    "not" Not B32; "ineg" Negate B32; "iabs" Absolute B32;
    "bitcount" CountOnes B32; "bitfind" LeadingZeros B32; "bitrev" ReverseBits B32;
    "fneg" FloatNegate F32; "fabs" FloatAbsolute F32;
    "fsqrt" SquareRoot F32; "frsqrt" ReciprocalSquareRoot F32; "frcp" Reciprocal F32;
    "ffloor" Floor F32; "fceil" Ceil F32; "fround" Round F32; "ftrunc" Truncate F32; "ffract" Fraction F32;
    "fsat" Saturate F32; "fsin" Sine F32; "fcos" Cosine F32; "fexp2" Exp2 F32; "flog2" Log2 F32;
    "cvt_f32_i32" F32FromI32 B32; "cvt_f32_u32" F32FromU32 B32;
    "cvt_i32_f32" I32FromF32 F32; "cvt_u32_f32" U32FromF32 F32;
    "cvt_f32_f16" F32FromF16 F16; "cvt_f16_f32" F16FromF32 F32;
    "cvt_f32_bf16" F32FromBf16 Bf16; "cvt_bf16_f32" Bf16FromF32 F32;
}

operations! {
    /// Two sources, one result, 32 bits.
    binary: Binary, ScalarType;
    "iadd" Add B32; "isub" Subtract B32; "imul" Multiply B32; "imul_hi" MultiplyHigh B32;
    "idiv" Divide B32; "imod" Remainder B32;
    "imin" Minimum B32; "imax" Maximum B32; "umin" UnsignedMinimum B32; "umax" UnsignedMaximum B32;
    "and" And B32; "or" Or B32; "xor" Xor B32;
    "shl" ShiftLeft B32; "shr" ShiftRight B32; "sar" ShiftRightSigned B32;
    "fadd" FloatAdd F32; "fsub" FloatSubtract F32; "fmul" FloatMultiply F32; "fdiv" FloatDivide F32;
    "fmin" FloatMinimum F32; "fmax" FloatMaximum F32;
    | Half(Arithmetic) F16 { "hadd" Add; "hsub" Subtract; "hmul" Multiply; }
    | Half2(Arithmetic) F16x2 { "hadd2" Add; "hmul2" Multiply; }
    | Brain(Arithmetic) Bf16 { "badd" Add; "bsub" Subtract; "bmul" Multiply; }
    | Brain2(Arithmetic) Bf16x2 { "badd2" Add; "bmul2" Multiply; }
}

/// The arithmetic of 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}

operations! {
    /// Three sources, one result, 32 bits.
    ternary: Ternary, ScalarType;
    "imad" MultiplyAdd B32; "iclamp" Clamp B32; "bfe" ExtractBits B32;
    "fma" FusedMultiplyAdd F32; "fclamp" FloatClamp F32;
    "hma" HalfMultiplyAdd F16; "hma2" Half2MultiplyAdd F16x2;
    "bma" BrainMultiplyAdd Bf16; "bma2" Brain2MultiplyAdd Bf16x2;
}

operations! {
    /// binary64 over register pairs, with the number of sources; unused sources repeat the first.
    double: Double, u8;
    "dadd" Add 2; "dsub" Subtract 2; "dmul" Multiply 2; "ddiv" Divide 2; "dma" FusedMultiplyAdd 3; "dsqrt" SquareRoot 1;
}

operations! {
    /// The operand type and the relation of a comparison.
    compare: Compare, ScalarType;
    "fcmp.ord" Ordered F32; "fcmp.unord" Unordered F32;
    | Signed(Relation) B32 {
        "icmp.eq" Equal; "icmp.ne" NotEqual; "icmp.lt" Less; "icmp.le" LessOrEqual; "icmp.gt" Greater;
        "icmp.ge" GreaterOrEqual;
    }
    | Unsigned(Relation) B32 {
        "ucmp.eq" Equal; "ucmp.ne" NotEqual; "ucmp.lt" Less; "ucmp.le" LessOrEqual; "ucmp.gt" Greater;
        "ucmp.ge" GreaterOrEqual;
    }
    | Float(Relation) F32 {
        "fcmp.eq" Equal; "fcmp.ne" NotEqual; "fcmp.lt" Less; "fcmp.le" LessOrEqual; "fcmp.gt" Greater;
        "fcmp.ge" GreaterOrEqual;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

operations! {
    /// Operations of the guide on predicates; `not` repeats its source.
    logic: Logic;
    "and" And; "or" Or; "xor" Xor; "not" Not;
}

operations! {
    /// The operation after the prefix `atomic_`.
    atomic: Atomic;
    "add" Add; "sub" Subtract; "min" Minimum; "max" Maximum; "and" And; "or" Or; "xor" Xor;
    "exchange" Exchange; "cas" CompareAndSwap;
}

operations! {
    /// How a shuffle selects its source lane; one without its own mnemonic here by index.
    shuffle: Shuffle;
    "wave_shuffle" Index; "wave_shuffle_up" Up; "wave_shuffle_down" Down; "wave_shuffle_xor" Xor;
}

operations! {
    /// The operation after the prefix `wave_reduce_`.
    reduce: Reduce;
    "add" Add; "min" Minimum; "max" Maximum; "and" And; "or" Or; "xor" Xor;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    ThreadId(u8),
    WaveId,
    LaneId,
    WorkgroupId(u8),
    WorkgroupSize(u8),
    GridSize(u8),
    WaveWidth,
    WaveCount,
    MatrixSupported,
    MatrixExtent,
}

impl Special {
    /// Whether the value differs between the lanes of a wave.
    pub(crate) fn differs_in_a_wave(self) -> bool {
        matches!(self, Special::ThreadId(_) | Special::LaneId)
    }
}

/// Whether the value of a special register differs between the threads of a workgroup.
pub(crate) fn distinguishes_threads(name: &str) -> bool {
    matches!(special(name), Some(Special::ThreadId(_) | Special::WaveId | Special::LaneId))
}

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
