//! Operations: the work of one instruction, small and by value.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::semantics::bits::{DotProduct, Permute};
use warplens_sim_cuda::semantics::compare::Comparison;
use warplens_sim_cuda::semantics::convert::Convert;
use warplens_sim_warp::soft_float::Rounding;

use super::control::{CcTest, Control};
use crate::registers::{Condition, DROPPED, Predicate, Row, Source};

/// One operation with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What it computes.
    pub op: Op,
    /// The lanes that execute it.
    pub guard: Condition,
    /// Whether it runs once for the path: it writes uniform registers.
    pub uniform: bool,
    /// Whether the result sets the condition code.
    pub sets_cc: bool,
    /// Whether the lanes that executed it then wait in the innermost token of `SSY`: `.S`.
    pub joins: bool,
    /// What its sources need before it.
    pub prepare: Prepare,
    /// The condition code that control flow tests.
    pub test: CcTest,
    /// The destination: its first row.
    pub d: Row,
    /// Predicate destinations.
    pub q: [Predicate; 2],
    /// Sources.
    pub s: [Source; 3],
    /// Predicate sources.
    pub p: [Condition; 3],
    /// An immediate operand or the index of a side table; see [`Op`].
    pub n: u32,
}

impl Operation {
    /// An operation without operands.
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

    /// Whether all active lanes execute it: neither a guard nor a second predicate, nor a test.
    pub fn is_unconditional(&self) -> bool {
        self.guard == Condition::ALWAYS && self.test == CcTest::ALWAYS && self.p[0] == Condition::ALWAYS
    }

    /// Whether all active lanes execute it and the next one after it.
    pub fn is_plain(&self) -> bool {
        self.guard == Condition::ALWAYS && self.test == CcTest::ALWAYS && !self.joins && !self.op.is_control()
    }
}

/// What the sources of an operation need before it: most have no sign and are whole registers, and most operations take words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prepare {
    /// Nothing: the rows are the values, or the operation applies signs itself.
    Nothing,
    /// Some are integers with signs or parts.
    Integers,
    /// Some are singles with signs.
    Floats,
}

/// What an operation computes. `a`, `b`, `c` are the sources, `d` the destination, `p` and `q` the predicate sources and
/// destinations, `n` the immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// No effect that a simulator shows.
    Nop,
    /// A fence of memory accesses; only of the block.
    Fence {
        /// See above.
        in_block: bool,
    },
    /// Not simulated: note `n`.
    Unsupported,
    /// Results that are not known: entry `n`.
    Unknown,
    /// `d = a`
    Move,
    /// `d = a` as a float: signs act on the sign bit.
    MoveFloat,
    /// `d = a`, 64 bits.
    MoveWide,
    /// The bytes of `d` in the mask `n`.
    MoveBytes,
    /// `d = p0 ? a : b`
    Select,
    /// The same of 64 bits.
    SelectWide,
    /// `d = p0 ? a : b` of singles; flushing.
    SelectFloat(bool),
    /// Bytes of `a` and `c`, selected by `b`.
    Permute(Permute),
    /// `d` = a special register; of 64 bits.
    Special(SpecialRegister, bool),
    /// `d` = `a` of the lowest lane; `q0`: lanes whose value differs.
    FirstLane,
    /// `d` = the predicates of the mask `b`, in byte `n` of `a`; all of it if 4. Uniform predicates if the operation is.
    FromPredicates,
    /// The predicates of the mask `b` from byte `n` of `a`.
    ToPredicates,
    /// `d` = a constant: access `n`.
    LoadConstant,
    /// `a + b + c`
    Add3,
    /// The same with carries: out in `q`, in from `p0` and `p1` if it takes them.
    Add3Carry(bool),
    /// The same of 64 bits.
    Add3Wide(bool),
    /// `((a + b) >> 16) + c`, or `<< 16`: left.
    Add3Shifted(bool),
    /// `a + b + c` with the carry of the condition code, if it takes it.
    AddCc(bool),
    /// `a + b`, clamped to a signed word.
    AddSaturated,
    /// `a + b` by parts of so many bits.
    AddParts(u8),
    /// `a * b + c + p0`, low word.
    MulAdd,
    /// 64-bit `a * b + c + p0`; carry out in `q0`. Signed.
    MulAddWide(bool),
    /// The high word of `a * b + c`, with a pair `c`. Signed.
    MulAddHigh(bool),
    /// `IMAD` before Volta that reads or sets the condition code.
    MulAddCc {
        /// Of the upper word of the product.
        high: bool,
        /// Signed.
        signed: bool,
        /// Adds the carry.
        takes: bool,
    },
    /// The high word of `a * b`, plus a word `c`. Signed, clamped.
    MulHighAdd(bool, bool),
    /// 16-bit multiply-add.
    Xmad(Xmad),
    /// `(a << n) + b`; carry in `q0`.
    ScaledAdd,
    /// The same with a carry, which `p[0]` says.
    ScaledAddCarry,
    /// The high word of `c:a << n`, plus `b` and `p0`.
    ScaledAddHigh {
        /// `c` is the sign of `a`.
        extends: bool,
        /// `q0` is whether the address of the result and `a` is in no window, rather than the carry.
        window: bool,
    },
    /// Bit by bit by the table `n`; `q0` tests the result and combines with `p0`.
    Lop3(Test),
    /// `a << b`; wrapping.
    ShiftLeft(bool),
    /// `a >> b`: signed, wrapping.
    ShiftRight(bool, bool),
    /// A shift of `c:a` by `b`.
    Funnel {
        /// Left.
        left: bool,
        /// The amount wraps.
        wrap: bool,
        /// The amount counts to 64.
        wide: bool,
        /// Arithmetic.
        signed: bool,
        /// The high word.
        high: bool,
    },
    /// Set bits.
    PopCount,
    /// Bits in reverse order.
    Reverse,
    /// The highest bit that differs from the sign: signed, counted from the top.
    FindHigh(bool, bool),
    /// The low `b` bits of `a`: wrapping, signed.
    Extend(bool, bool),
    /// `b` ones from bit `a`; wrapping.
    BitMask(bool),
    /// A bit field of `a` as `b` says: signed, reversed first.
    ExtractField(bool, bool),
    /// `a` into `c` as `b` says.
    InsertField,
    /// The minimum where `p0`, otherwise the maximum.
    MinMax(MinMax),
    /// Of three; `p0` for the first two, `p1` for the result.
    MinMax3(MinMax),
    /// Of `a + b` and `c`.
    AddMinMax(MinMax),
    /// The upper words of a 64-bit minimum: signed. The lower words follow.
    MinMaxHigh(bool),
    /// The lower words.
    MinMaxLow,
    /// `c` and a sum of products of bytes.
    Dot(DotProduct, bool, bool),
    /// `|a - b| + c`: signed.
    AbsoluteDifference(bool),
    /// The same by bytes: signed, the sum of the four.
    AbsoluteDifferences(bool, bool),
    /// `a` clamped to so many bits: source signed, result signed.
    Clamp(bool, bool, u8),
    /// `(c << 16) | sat(a) << 8 | sat(b)`: signed.
    PackBytes(bool),
    /// `q0`, `q1` = a comparison combined with `p0`.
    Compare(IntCompare),
    /// The same of upper words; the condition code has the verdict of the lower ones.
    CompareCc(IntCompare),
    /// `d` = a comparison combined with `p0`; of upper words as `CompareCc`.
    CompareTo(IntCompare, SetTo),
    /// `d = c cmp 0 ? a : b`
    CompareSelect(IntCompare),
    /// `q0`, `q1` = the tables `n` and `n >> 8` of `p`; the sources in the mask are signs of registers.
    Plop3(u8),
    /// `d` = the table `n` of `p`.
    PredicatesTo(SetTo),
    /// `q0`, `q1` = the test `n` of the condition code combined with `p0`.
    TestCc(Bool),
    /// `max(min(a, b), c)` and the like.
    VideoMinMax {
        /// The first is a maximum.
        first_max: bool,
        /// What combines it with `c`.
        then: Accumulate,
        /// Signed.
        signed: bool,
    },
    /// `a + b` of singles.
    FloatAdd(FloatMode),
    /// `a * b`
    FloatMul(FloatMode),
    /// `a * b + c`
    FloatFma(FloatMode),
    /// The same for pairs of singles.
    FloatPair(Lanewise, FloatMode),
    /// The minimum where `p0`.
    FloatMinMax(FloatCompare),
    /// Of three.
    FloatMinMax3(FloatCompare),
    /// `q0`, `q1` = a comparison combined with `p0`.
    FloatSetp(FloatCompare, Bool),
    /// `d` = the same.
    FloatSet(FloatCompare, Bool, SetTo),
    /// `d = c cmp 0 ? a : b`
    FloatSelect(FloatCompare),
    /// `q0` = whether the quotient needs its slow path.
    FloatCheck,
    /// An approximation.
    Mufu(Mufu),
    /// `a + b` of doubles.
    DoubleAdd(Rounding),
    /// `a * b`
    DoubleMul(Rounding),
    /// `a * b + c`
    DoubleFma(Rounding),
    /// The minimum where `p0`.
    DoubleMinMax,
    /// As for singles.
    DoubleSetp(FloatCompare, Bool),
    /// `q0` = take `a` as the minimum (or maximum), `q1` = both are NaNs.
    DoublePick(bool),
    /// As for singles.
    DoubleSet(FloatCompare, Bool, SetTo),
    /// Arithmetic of halves.
    Half(HalfArithmetic, HalfMode),
    /// The minimum where `p0`.
    HalfMinMax(FloatCompare, HalfMode),
    /// The minimum of three where `p0`.
    HalfMinMax3(FloatCompare, HalfMode),
    /// `q0`, `q1` = comparisons of the lower and of the upper halves; both together.
    HalfSetp(FloatCompare, Bool, HalfMode, bool),
    /// `d` = the same.
    HalfSet(FloatCompare, Bool, HalfMode, SetTo),
    /// A conversion: source of 64 bits, destination of 64 bits.
    Convert(Convert, bool, bool),
    /// Two singles to halves: `cvt(a) << 16 | cvt(b)`.
    PackHalves {
        /// To `bf16`.
        brain: bool,
        /// The rounding.
        rounding: Rounding,
        /// Negative results are zeros.
        relu: bool,
    },
    /// Two numbers in one register: conversion `n`; of the parts of `a`, or of `a` and `b`.
    ConvertPair {
        /// Whether both are in `a`.
        packed: bool,
    },
    /// A load: access `n`.
    Load,
    /// A store: access `n`.
    Store,
    /// A copy from global to shared memory: access `n` to access `n + 1`.
    Copy {
        /// The bytes before the address are copied, zeros follow.
        fill: bool,
    },
    /// A load with a lock: access `n`; `q0` = got.
    LoadLocked,
    /// A store that unlocks: access `n`.
    StoreUnlock,
    /// An atomic: entry `n`.
    Atomic,
    /// Matrices of 8 x 8: entry `n`.
    MatrixLoad,
    /// The transpose of a matrix.
    MatrixTranspose,
    /// A product of matrices: entry `n`; words of `a`, `b`, `c`.
    MatrixProduct,
    /// `q0` = whether generic address `a` (64 bits) is in a space: 0 global, 1 shared, 2 local.
    InSpace(u8),
    /// Registers of other lanes.
    Shuffle(ShuffleMode),
    /// A vote on `p0`: `d` = the ballot, `q0` = the vote.
    Vote(VoteMode),
    /// Lanes with the same value: all must have it, of 64 bits.
    Match(bool, bool),
    /// A reduction over the executing lanes.
    Reduce(WarpReduction),
    /// `q0` in the lowest lane where `p0`; `d` = its number.
    Elect,
    /// The result of the last reduction at a barrier.
    BarrierResult,
    /// Control flow.
    Control(Control),
}

impl Op {
    /// Whether it decides which lanes run next, or is not simulated.
    #[inline(always)]
    pub fn is_control(self) -> bool {
        matches!(self, Op::Control(_) | Op::Unsupported | Op::Unknown)
    }

    /// Whether it accesses memory.
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

    /// Whether it writes its predicate destinations.
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

    /// Whether its result depends on which lanes execute it.
    #[inline(always)]
    pub fn is_collective(self) -> bool {
        matches!(
            self,
            Op::Shuffle(_) | Op::Vote(_) | Op::Match(..) | Op::Reduce(_) | Op::Elect | Op::FirstLane
        )
    }
}

/// A special register.
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
    /// The halves of `a` and `b`.
    pub high: [bool; 2],
    /// `.PSL`
    pub shifted: bool,
    /// `.MRG`
    pub merges: bool,
    /// What becomes of `c`.
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
    /// Zero.
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
    /// Applies it.
    #[inline(always)]
    pub fn of(self, a: u32, b: u32) -> u32 {
        match self {
            Bool::And => a & b,
            Bool::Or => a | b,
            Bool::Xor => a ^ b,
        }
    }
}

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntCompare {
    /// `None`: never, or always if `is_true`.
    pub cmp: Option<Comparison>,
    /// See `cmp`.
    pub is_true: bool,
    /// Signed.
    pub signed: bool,
    /// Of 64 bits.
    pub wide: bool,
    /// Of upper words: `p1` has the verdict of the lower ones, before barriers the condition code.
    pub extends: bool,
    /// The combination.
    pub combine: Bool,
}

/// A minimum or maximum of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinMax {
    /// Signed.
    pub signed: bool,
    /// Bits of a part: 8, 16, 32 or 64.
    pub bits: u8,
    /// Negative results are zeros.
    pub relu: bool,
}

/// What a video instruction does with its third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulate {
    Min,
    Max,
    Add,
}

/// The value of a true result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetTo {
    /// All ones.
    Ones,
    /// 1.0
    One,
}

/// How a float operation rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatMode {
    /// The rounding.
    pub rounding: Rounding,
    /// `.FTZ`
    pub flush: bool,
    /// `.SAT`
    pub saturate: bool,
    /// The product is scaled by this power of two.
    pub scale: i8,
}

impl FloatMode {
    /// Whether results are rounded to nearest, and products are not scaled.
    pub(crate) fn is_nearest(self) -> bool {
        self.rounding == Rounding::Nearest && self.scale == 0
    }

    /// Whether nothing else is done with results and sources, too.
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

/// A comparison, minimum or maximum of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatCompare {
    /// `None`: never, or always if `is_true`.
    pub cmp: Option<Comparison>,
    /// See `cmp`.
    pub is_true: bool,
    /// `.FTZ`
    pub flush: bool,
    /// A NaN wins.
    pub nan: bool,
    /// `.XORSIGN`
    pub xor_sign: bool,
}

/// An approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mufu {
    Rcp,
    Rsq,
    Sqrt,
    Ex2,
    Lg2,
    /// Of turns.
    Sin(bool),
    Cos(bool),
    Rcp64High,
    Rsq64High,
    Tanh,
}

/// Arithmetic of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfArithmetic {
    Add,
    Mul,
    Fma,
}

/// How halves are computed.
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

/// Where `SHFL` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    Index,
    Up,
    Down,
    Butterfly,
}

/// What a vote asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    All,
    Any,
    Equal,
}

/// A reduction over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpReduction {
    /// The operation.
    pub op: AtomicOp,
    /// Signed.
    pub signed: bool,
}
