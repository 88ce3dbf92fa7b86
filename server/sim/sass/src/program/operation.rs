//! Operations: what one instruction does, as a small value.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::semantics::bits::{DotProduct, Permute};
use warplens_sim_cuda::semantics::compare::Comparison;
use warplens_sim_cuda::semantics::convert::Convert;
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;
use warplens_sim_warp::soft_float::Rounding;

use super::control::{CcTest, Control};
use crate::registers::{Condition, DROPPED, Predicate, Row, Source};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    pub op: Op,
    /// The lanes that execute the operation.
    pub guard: Condition,
    /// Whether the operation runs once for the whole path, because it writes uniform registers.
    pub uniform: bool,
    pub sets_cc: bool,
    /// `.S`: the lanes that executed the operation then wait in the innermost token of `SSY`.
    pub joins: bool,
    /// What must be done to the sources before the operation.
    pub prepare: Prepare,
    /// The test of the condition code, for control flow.
    pub test: CcTest,
    /// The first row of the destination.
    pub d: Row,
    pub q: [Predicate; 2],
    pub s: [Source; 3],
    pub p: [Condition; 3],
    /// An immediate operand, or the index in a side table; see [`Op`].
    pub n: u32,
}

impl Operation {
    pub fn new(op: Op) -> Operation {
        Operation {
            op,
            guard: Condition::ALWAYS,
            uniform: false,
            sets_cc: false,
            joins: false,
            prepare: Prepare::Nothing,
            test: CcTest::ALWAYS,
            d: 0,
            q: [DROPPED; 2],
            s: [Source::default(); 3],
            p: [Condition::ALWAYS; 3],
            n: 0,
        }
    }

    /// Whether all active lanes execute the operation: it has no guard, no second predicate and no test.
    pub fn is_unconditional(&self) -> bool {
        self.guard == Condition::ALWAYS && self.test == CcTest::ALWAYS && self.p[0] == Condition::ALWAYS
    }

    /// Whether all active lanes execute both this operation and the next one.
    pub fn is_plain(&self) -> bool {
        self.guard == Condition::ALWAYS && self.test == CcTest::ALWAYS && !self.joins && !self.op.is_control()
    }
}

/// What must be done to the sources before an operation. Most sources are whole registers without a sign, and
/// most operations read words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prepare {
    /// Nothing: the rows are the values, or the operation applies signs itself.
    Nothing,
    /// Some sources are integers with signs or parts.
    Integers,
    /// Some sources are singles with signs.
    Floats,
}

/// What an operation computes. `a`, `b`, `c` are the sources, `d` the destination, `p` and `q` the predicate
/// sources and destinations, `n` the immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// No effect that the simulator shows.
    Nop,
    /// A fence for memory accesses.
    Fence {
        /// Whether the fence only covers the block.
        in_block: bool,
    },
    /// Not simulated; note `n` says why.
    Unsupported,
    /// Results are unknown; entry `n` of `unknowns`.
    Unknown,
    /// `d = a`
    Move,
    /// `d = a` as a float: signs act on the sign bit.
    MoveFloat,
    /// `d = a`, 64 bits.
    MoveWide,
    /// Moves the bytes in the mask `n` to `d`.
    MoveBytes,
    /// `d = p0 ? a : b`
    Select,
    /// `d = p0 ? a : b`, 64 bits.
    SelectWide,
    /// `d = p0 ? a : b` for singles; whether subnormals are flushed.
    SelectFloat(bool),
    /// Bytes of `a` and `c`, selected by `b`.
    Permute(Permute),
    /// `d` = a special register; whether it has 64 bits.
    Special(SpecialRegister, bool),
    /// `d` = `a` of the lowest lane; `q0`: the lanes with a different value.
    FirstLane,
    /// `d` = the predicates in the mask `b`, in byte `n` of `a`, or in all of `a` if `n` is 4. A uniform
    /// operation reads uniform predicates.
    FromPredicates,
    /// Sets the predicates in the mask `b` from byte `n` of `a`.
    ToPredicates,
    /// `d` = a constant: access `n`.
    LoadConstant,
    /// `a + b + c`
    Add3,
    /// `a + b + c` with carries: out in `q`, and in from `p0` and `p1` if the flag is set.
    Add3Carry(bool),
    /// Like `Add3Carry`, with 64 bits.
    Add3Wide(bool),
    /// `((a + b) >> 16) + c`, or `<< 16` if the flag is set.
    Add3Shifted(bool),
    /// `a + b + c`, plus the carry of the condition code if the flag is set.
    AddCc(bool),
    /// `a + b`, clamped to a signed word.
    AddSaturated,
    /// `a + b` in parts of this many bits.
    AddParts(u8),
    /// The low word of `a * b + c + p0`.
    MulAdd,
    /// 64-bit `a * b + c + p0`, with the carry in `q0`; whether it is signed.
    MulAddWide(bool),
    /// The high word of `a * b + c`, where `c` is a pair; whether it is signed.
    MulAddHigh(bool),
    /// An `IMAD` before Volta that reads or sets the condition code.
    MulAddCc {
        /// Uses the upper word of the product.
        high: bool,
        signed: bool,
        takes: bool,
    },
    /// The high word of `a * b`, plus a word `c`; whether it is signed, and clamped.
    MulHighAdd(bool, bool),
    Xmad(Xmad),
    /// `(a << n) + b`, with the carry in `q0`.
    ScaledAdd,
    /// `(a << n) + b` plus the carry `p0`.
    ScaledAddCarry,
    /// The high word of `c:a << n`, plus `b` and `p0`.
    ScaledAddHigh {
        /// `c` is the sign of `a`.
        extends: bool,
        /// `q0` is not the carry, but whether the address of the result and `a` is outside of all windows.
        window: bool,
    },
    /// Bitwise, by the truth table `n`; `q0` tests the result and combines it with `p0`.
    Lop3(Test),
    /// `a << b`; whether the amount wraps.
    ShiftLeft(bool),
    /// `a >> b`; whether it is signed, and whether the amount wraps.
    ShiftRight(bool, bool),
    /// Shifts `c:a` by `b`.
    Funnel {
        left: bool,
        /// The amount wraps.
        wrap: bool,
        /// The amount counts up to 64.
        wide: bool,
        /// The shift is arithmetic.
        signed: bool,
        /// The result is the high word.
        high: bool,
    },
    /// The number of set bits.
    PopCount,
    /// Reverses the order of the bits.
    Reverse,
    /// The highest bit that differs from the sign; whether it is signed, and whether bits are counted from
    /// the top.
    FindHigh(bool, bool),
    /// Extends the low `b` bits of `a`; whether `b` wraps, and whether it is signed.
    Extend(bool, bool),
    /// `b` ones from bit `a` on; whether the amounts wrap.
    BitMask(bool),
    /// The bit field of `a` that `b` describes; whether it is signed, and whether the bits are reversed
    /// first.
    ExtractField(bool, bool),
    /// Inserts `a` into `c` at the bit field that `b` describes.
    InsertField,
    /// The minimum if `p0`, otherwise the maximum.
    MinMax(MinMax),
    /// The minimum or maximum of three; `p0` is for the first two, `p1` for the result.
    MinMax3(MinMax),
    /// The minimum or maximum of `a + b` and `c`.
    AddMinMax(MinMax),
    /// The upper words of a 64-bit minimum, before the lower words; whether it is signed.
    MinMaxHigh(bool),
    /// The lower words of a 64-bit minimum.
    MinMaxLow,
    /// `c` plus a sum of products of bytes.
    Dot(DotProduct, bool, bool),
    /// `|a - b| + c`; whether it is signed.
    AbsoluteDifference(bool),
    /// `|a - b| + c` by bytes; whether it is signed, and whether the four are summed.
    AbsoluteDifferences(bool, bool),
    /// `a` clamped to this many bits; whether the source is signed, and the result.
    Clamp(bool, bool, u8),
    /// `(c << 16) | sat(a) << 8 | sat(b)`; whether it is signed.
    PackBytes(bool),
    /// `q0`, `q1` = a comparison combined with `p0`.
    Compare(IntCompare),
    /// Like `Compare`, for upper words; the condition code has the result for the lower words.
    CompareCc(IntCompare),
    /// `d` = a comparison combined with `p0`; upper words are compared as in `CompareCc`.
    CompareTo(IntCompare, SetTo),
    /// `d = c cmp 0 ? a : b`
    CompareSelect(IntCompare),
    /// `q0`, `q1` = the truth tables `n` and `n >> 8` of `p`. Sources in the mask are sign bits of registers.
    Plop3(u8),
    /// `d` = the truth table `n` of `p`.
    PredicatesTo(SetTo),
    /// `q0`, `q1` = the test `n` of the condition code, combined with `p0`.
    TestCc(Bool),
    /// Such as `max(min(a, b), c)`.
    VideoMinMax {
        /// The first operation is a maximum.
        first_max: bool,
        /// How the result is combined with `c`.
        then: Accumulate,
        signed: bool,
    },
    /// `a + b` for singles.
    FloatAdd(FloatMode),
    /// `a * b`
    FloatMul(FloatMode),
    /// `a * b + c`
    FloatFma(FloatMode),
    /// An operation on pairs of singles.
    FloatPair(Lanewise, FloatMode),
    /// The minimum if `p0`, otherwise the maximum.
    FloatMinMax(FloatCompare),
    /// The minimum or maximum of three.
    FloatMinMax3(FloatCompare),
    /// `q0`, `q1` = a comparison combined with `p0`.
    FloatSetp(FloatCompare, Bool),
    /// `d` = a comparison combined with `p0`.
    FloatSet(FloatCompare, Bool, SetTo),
    /// `d = c cmp 0 ? a : b`
    FloatSelect(FloatCompare),
    /// `q0` = whether the quotient needs its slow path.
    FloatCheck,
    Mufu(Mufu),
    /// `a + b` for doubles.
    DoubleAdd(Rounding),
    /// `a * b`
    DoubleMul(Rounding),
    /// `a * b + c`
    DoubleFma(Rounding),
    /// The minimum if `p0`, otherwise the maximum.
    DoubleMinMax,
    /// Like `FloatSetp`.
    DoubleSetp(FloatCompare, Bool),
    /// `q0` = whether `a` is the minimum (or maximum), `q1` = whether both are NaNs.
    DoublePick(bool),
    /// Like `FloatSet`.
    DoubleSet(FloatCompare, Bool, SetTo),
    Half(HalfArithmetic, HalfMode),
    /// The minimum if `p0`, otherwise the maximum.
    HalfMinMax(FloatCompare, HalfMode),
    /// The minimum of three if `p0`, otherwise the maximum.
    HalfMinMax3(FloatCompare, HalfMode),
    /// `q0`, `q1` = comparisons of the lower and the upper halves; whether both results are combined.
    HalfSetp(FloatCompare, Bool, HalfMode, bool),
    /// `d` = a comparison of halves.
    HalfSet(FloatCompare, Bool, HalfMode, SetTo),
    /// A conversion; whether the source has 64 bits, and the destination.
    Convert(Convert, bool, bool),
    /// Two singles to halves: `cvt(a) << 16 | cvt(b)`.
    PackHalves {
        /// Converts to `bf16`.
        brain: bool,
        rounding: Rounding,
        /// Negative results become zero.
        relu: bool,
    },
    /// Converts two numbers into one register: conversion `n` of the parts of `a`, or of `a` and `b`.
    ConvertPair {
        /// Whether both numbers are in `a`.
        packed: bool,
    },
    /// A load: access `n`.
    Load,
    /// A store: access `n`.
    Store,
    /// A copy from global to shared memory: access `n` to access `n + 1`.
    Copy {
        /// Bytes before the address are copied, and zeros follow.
        fill: bool,
    },
    /// A load with a lock: access `n`; `q0` = whether the lane got the lock.
    LoadLocked,
    /// A store that unlocks: access `n`.
    StoreUnlock,
    /// An atomic: entry `n`.
    Atomic,
    /// Loads 8 x 8 matrices: entry `n`.
    MatrixLoad,
    /// Transposes a matrix.
    MatrixTranspose,
    /// A matrix product: entry `n`; the words of `a`, `b`, `c`.
    MatrixProduct,
    /// `q0` = whether the 64-bit generic address `a` is in a space: 0 global, 1 shared, 2 local.
    InSpace(u8),
    /// Reads registers of other lanes.
    Shuffle(ShuffleMode),
    /// Votes on `p0`: `d` = the ballot, `q0` = the vote.
    Vote(VoteMode),
    /// Finds lanes with the same value; whether all lanes must have it, and whether it has 64 bits.
    Match(bool, bool),
    /// A reduction over the executing lanes.
    Reduce(WarpReduction),
    /// `q0` in the lowest lane where `p0` holds; `d` = the number of that lane.
    Elect,
    /// The result of the last reduction at a barrier.
    BarrierResult,
    Control(Control),
}

impl Op {
    /// Whether the operation decides which lanes run next, or is not simulated.
    #[inline(always)]
    pub fn is_control(self) -> bool {
        matches!(self, Op::Control(_) | Op::Unsupported | Op::Unknown)
    }

    pub fn accesses_memory(self) -> bool {
        matches!(
            self,
            Op::Load
                | Op::Store
                | Op::LoadConstant
                | Op::Copy { .. }
                | Op::LoadLocked
                | Op::StoreUnlock
                | Op::Atomic
                | Op::MatrixLoad
        )
    }

    /// Whether the operation writes its predicate destinations.
    pub fn writes_predicates(self) -> bool {
        matches!(
            self,
            Op::Add3Carry(_)
                | Op::Add3Wide(_)
                | Op::MulAddWide(_)
                | Op::MulAddHigh(_)
                | Op::ScaledAdd
                | Op::ScaledAddCarry
                | Op::ScaledAddHigh { .. }
                | Op::Lop3(_)
                | Op::FindHigh(..)
                | Op::Compare(_)
                | Op::CompareCc(_)
                | Op::Plop3(_)
                | Op::TestCc(_)
                | Op::FloatCheck
                | Op::FloatSetp(..)
                | Op::DoubleSetp(..)
                | Op::DoublePick(_)
                | Op::HalfSetp(..)
                | Op::InSpace(_)
                | Op::LoadLocked
                | Op::Vote(_)
                | Op::Match(..)
                | Op::Shuffle(_)
                | Op::Elect
                | Op::FirstLane
                | Op::BarrierResult
                | Op::Control(_)
                | Op::Unsupported
                | Op::Unknown
        )
    }

    /// Whether the result depends on which lanes execute the operation.
    #[inline(always)]
    pub fn is_collective(self) -> bool {
        matches!(
            self,
            Op::Shuffle(_) | Op::Vote(_) | Op::Match(..) | Op::Reduce(_) | Op::Elect | Op::FirstLane
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    Zero,
    ThreadId(u8),
    BlockId(u8),
    BlockSize(u8),
    GridSize(u8),
    Lane,
    MaskEqual,
    MaskLess,
    MaskLessEqual,
    MaskGreater,
    MaskGreaterEqual,
    WarpId,
    WarpConfig,
    SharedBytes,
    SharedWindowHigh,
    Clock,
    ClockHigh,
}

/// `XMAD`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Xmad {
    /// Whether `a` and `b` are signed.
    pub signed: [bool; 2],
    /// Whether the upper halves of `a` and `b` are used.
    pub high: [bool; 2],
    /// `.PSL`
    pub shifted: bool,
    /// `.MRG`
    pub merges: bool,
    pub addend: AddendPart,
}

/// The addend of `XMAD`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddendPart {
    /// `c`
    #[default]
    Whole,
    /// `.CLO`
    Low,
    /// `.CHI`
    High,
    /// `.CBCC`
    PlusB,
    /// `.CSFU`
    SignFix,
}

/// How a predicate destination tests a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// Not zero, or `p0`.
    NonZeroOr,
    /// Not zero, and `p0`.
    NonZeroAnd,
    Zero,
}

/// How a comparison is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bool {
    And,
    Or,
    Xor,
}

impl Bool {
    #[inline(always)]
    pub fn of(self, a: u32, b: u32) -> u32 {
        match self {
            Bool::And => a & b,
            Bool::Or => a | b,
            Bool::Xor => a ^ b,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntCompare {
    /// `None`: never, or always if `is_true`.
    pub cmp: Option<Comparison>,
    /// See `cmp`.
    pub is_true: bool,
    pub signed: bool,
    /// Compares 64 bits.
    pub wide: bool,
    /// Compares upper words. The result for the lower words is in `p1`, or in the condition code on targets
    /// without convergence barriers.
    pub extends: bool,
    pub combine: Bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinMax {
    pub signed: bool,
    /// Bits of a part: 8, 16, 32 or 64.
    pub bits: u8,
    /// Negative results become zero.
    pub relu: bool,
}

/// How a video instruction combines its third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulate {
    Min,
    Max,
    Add,
}

/// The value of a true result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetTo {
    Ones,
    /// 1.0
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatMode {
    pub rounding: Rounding,
    /// `.FTZ`
    pub flush: bool,
    /// `.SAT`
    pub saturate: bool,
    /// The product is scaled by this power of two.
    pub scale: i8,
}

impl FloatMode {
    /// Whether results are rounded to nearest and products are not scaled.
    pub(crate) fn is_nearest(self) -> bool {
        self.rounding == Rounding::Nearest && self.scale == 0
    }

    /// Whether, in addition, results and sources are used unchanged.
    pub(crate) fn is_plain(self) -> bool {
        self.is_nearest() && !self.flush && !self.saturate
    }
}

/// An operation on pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanewise {
    Add,
    Mul,
    Fma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatCompare {
    /// `None`: never, or always if `is_true`.
    pub cmp: Option<Comparison>,
    /// See `cmp`.
    pub is_true: bool,
    /// `.FTZ`
    pub flush: bool,
    /// A NaN wins over a number.
    pub nan: bool,
    /// `.XORSIGN`
    pub xor_sign: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mufu {
    Rcp,
    Rsq,
    Sqrt,
    Ex2,
    Lg2,
    /// Whether the argument is in turns.
    Sin(bool),
    Cos(bool),
    Rcp64High,
    Rsq64High,
    Tanh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfArithmetic {
    Add,
    Mul,
    Fma,
}

/// The modifiers of an operation on halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HalfMode {
    /// `.BF16_V2`
    pub brain: bool,
    /// `.FTZ`
    pub flush: bool,
    /// `.SAT`
    pub saturate: bool,
    /// `.RELU`
    pub relu: bool,
    /// The result is a single.
    pub single: bool,
}

/// What a vote asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    All,
    Any,
    Equal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpReduction {
    pub op: AtomicOp,
    pub signed: bool,
}
