//! Operations: what one instruction does, as a small value.

use la_arena::Idx;
use warplens_sim_cuda::semantics::bits::{DotProduct, Permute};
use warplens_sim_cuda::semantics::compare::Combine;
use warplens_sim_cuda::semantics::convert::Convert;
use warplens_sim_cuda::semantics::matrix::Product;
use warplens_sim_cuda::semantics::narrow::PackedConvert;
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;
use warplens_sim_warp::soft_float::Rounding;

use super::access::{Access, Atomic, MatrixAccess, Window};
use super::cell::Unknown;
use super::control::{CcTest, Control};
use super::modifiers::{
    Accumulate, Arithmetic, FloatCompare, FloatMode, HalfMode, IntCompare, MinMax, Mufu, SetTo,
    SpecialRegister, Test, VoteMode, WarpReduction, Xmad,
};
use crate::registers::{CC_ZERO, Condition, DROPPED, Predicate, Row, Source, UNIFORM};

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
    /// An immediate operand.
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

    /// The first predicate that `FromPredicates` or `ToPredicates` moves: of the condition code, the uniform file or the
    /// lanes.
    pub(crate) fn first_predicate(&self) -> Predicate {
        match () {
            () if self.sets_cc => CC_ZERO,
            () if self.uniform => UNIFORM,
            () => 0,
        }
    }

    /// The position of these predicates in the register.
    pub(crate) fn predicate_shift(&self) -> u32 {
        if self.n < 4 { 8 * self.n } else { 0 }
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
    /// Not simulated; the note says why.
    Unsupported(Idx<String>),
    /// Results are unknown.
    Unknown(Idx<Unknown>),
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
    /// `d = p0 ? a : b` for singles.
    SelectFloat {
        flush: bool,
    },
    /// Bytes of `a` and `c`, selected by `b`.
    Permute(Permute),
    /// `d` = a special register, or 64 bits of it.
    Special {
        register: SpecialRegister,
        wide: bool,
    },
    /// `d` = `a` of the lowest lane; `q0`: the lanes with a different value.
    FirstLane,
    /// `d` = the predicates in the mask `b`, in byte `n` of `a`, or in all of `a` if `n` is 4. A uniform
    /// operation reads uniform predicates.
    FromPredicates,
    /// Sets the predicates in the mask `b` from byte `n` of `a`.
    ToPredicates,
    /// `d` = a constant.
    LoadConstant(Idx<Access>),
    /// `a + b + c`
    Add3,
    /// `a + b + c` with carries: out in `q`, and in from `p0` and `p1` if it `extends` the sum of lower words.
    Add3Carry {
        extends: bool,
    },
    /// Like `Add3Carry`, with 64 bits.
    Add3Wide {
        extends: bool,
    },
    /// `((a + b) >> 16) + c`, or `<< 16`.
    Add3Shifted {
        left: bool,
    },
    /// `a + b + c`, plus the carry of the condition code if it `extends` the sum of lower words.
    AddCc {
        extends: bool,
    },
    /// `a + b`, clamped to a signed word.
    AddSaturated,
    /// `a + b` in parts of this many bits.
    AddParts(u8),
    /// The low word of `a * b + c + p0`.
    MulAdd,
    /// 64-bit `a * b + c + p0`, with the carry in `q0`.
    MulAddWide {
        signed: bool,
    },
    /// The high word of `a * b + c`, where `c` is a pair.
    MulAddHigh {
        signed: bool,
    },
    /// An `IMAD` before Volta that reads or sets the condition code.
    MulAddCc {
        /// Uses the upper word of the product.
        high: bool,
        signed: bool,
        /// Adds the carry of the condition code.
        extends: bool,
    },
    /// The high word of `a * b`, plus a word `c`.
    MulHighAdd {
        signed: bool,
        saturate: bool,
    },
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
    /// `a << b`, where the amount may wrap.
    ShiftLeft {
        wrap: bool,
    },
    /// `a >> b`, where the amount may wrap.
    ShiftRight {
        signed: bool,
        wrap: bool,
    },
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
    /// The highest bit that differs from the sign, counted from bit 0 or from the top.
    FindHigh {
        signed: bool,
        from_top: bool,
    },
    /// Extends the low `b` bits of `a`, where `b` may wrap.
    Extend {
        wrap: bool,
        signed: bool,
    },
    /// `b` ones from bit `a` on, where the amounts may wrap.
    BitMask {
        wrap: bool,
    },
    /// The bit field of `a`, or of its bits in reverse order, that `b` describes.
    ExtractField {
        signed: bool,
        reversed: bool,
    },
    /// Inserts `a` into `c` at the bit field that `b` describes.
    InsertField,
    /// The minimum if `p0`, otherwise the maximum.
    MinMax(MinMax),
    /// The minimum or maximum of three; `p0` is for the first two, `p1` for the result.
    MinMax3(MinMax),
    /// The minimum or maximum of `a + b` and `c`.
    AddMinMax(MinMax),
    /// The upper words of a 64-bit minimum, before the lower words.
    MinMaxHigh {
        signed: bool,
    },
    /// The lower words of a 64-bit minimum.
    MinMaxLow,
    /// `c` plus a sum of products of bytes; whether `a` and `b` are signed.
    Dot {
        product: DotProduct,
        signed: [bool; 2],
    },
    /// `|a - b| + c`
    AbsoluteDifference {
        signed: bool,
    },
    /// `|a - b| + c` by bytes, or the sum of the four.
    AbsoluteDifferences {
        signed: bool,
        summed: bool,
    },
    /// `a` clamped to this many bits.
    Clamp {
        from_signed: bool,
        to_signed: bool,
        bits: u8,
    },
    /// `(c << 16) | sat(a) << 8 | sat(b)`
    PackBytes {
        signed: bool,
    },
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
    TestCc(Combine),
    /// Such as `max(min(a, b), c)`.
    VideoMinMax {
        /// The first operation is a maximum.
        first_max: bool,
        /// How the result is combined with `c`.
        then: Accumulate,
        signed: bool,
    },
    /// An operation on singles.
    Float(Arithmetic, FloatMode),
    /// An operation on pairs of singles.
    FloatPair(Arithmetic, FloatMode),
    /// The minimum if `p0`, otherwise the maximum.
    FloatMinMax(FloatCompare),
    /// The minimum or maximum of three.
    FloatMinMax3(FloatCompare),
    /// `q0`, `q1` = a comparison combined with `p0`.
    FloatSetp(FloatCompare, Combine),
    /// `d` = a comparison combined with `p0`.
    FloatSet(FloatCompare, Combine, SetTo),
    /// `d = c cmp 0 ? a : b`
    FloatSelect(FloatCompare),
    /// `q0` = whether the quotient needs its slow path.
    FloatCheck,
    Mufu(Mufu),
    /// An operation on doubles.
    Double(Arithmetic, Rounding),
    /// The minimum if `p0`, otherwise the maximum.
    DoubleMinMax,
    /// Like `FloatSetp`.
    DoubleSetp(FloatCompare, Combine),
    /// `q0` = whether `a` is the minimum (or maximum), `q1` = whether both are NaNs.
    DoublePick {
        maximum: bool,
    },
    /// Like `FloatSet`.
    DoubleSet(FloatCompare, Combine, SetTo),
    Half(Arithmetic, HalfMode),
    /// The minimum if `p0`, otherwise the maximum.
    HalfMinMax(FloatCompare, HalfMode),
    /// The minimum of three if `p0`, otherwise the maximum.
    HalfMinMax3(FloatCompare, HalfMode),
    /// `q0`, `q1` = comparisons of the lower and the upper halves, or the conjunction of `both` and its
    /// complement.
    HalfSetp {
        compare: FloatCompare,
        combine: Combine,
        mode: HalfMode,
        both: bool,
    },
    /// `d` = a comparison of halves.
    HalfSet(FloatCompare, Combine, HalfMode, SetTo),
    Convert(Convert),
    /// Two singles to halves: `cvt(a) << 16 | cvt(b)`.
    PackHalves {
        /// Converts to `bf16`.
        brain: bool,
        rounding: Rounding,
        /// Negative results become zero.
        relu: bool,
    },
    /// Converts two numbers into one register.
    ConvertPair {
        conversion: Idx<PackedConvert>,
        /// Whether both numbers are in `a`; otherwise they are `a` and `b`.
        packed: bool,
    },
    Load(Idx<Access>),
    Store(Idx<Access>),
    /// A copy from global to shared memory.
    Copy {
        to: Idx<Access>,
        from: Idx<Access>,
        /// Bytes before the address are copied, and zeros follow.
        fill: bool,
    },
    /// A load with a lock; `q0` = whether the lane got the lock.
    LoadLocked(Idx<Access>),
    StoreUnlock(Idx<Access>),
    Atomic(Idx<Atomic>),
    /// Loads 8 x 8 matrices.
    MatrixLoad(Idx<MatrixAccess>),
    /// Stores 8 x 8 matrices.
    MatrixStore(Idx<MatrixAccess>),
    MatrixTranspose,
    /// A matrix product of the words of `a`, `b`, `c`.
    MatrixProduct(Idx<Product>),
    /// `q0` = whether the 64-bit generic address `a` is in this window.
    InWindow(Window),
    /// Reads registers of other lanes.
    Shuffle(ShuffleMode),
    /// Votes on `p0`: `d` = the ballot, `q0` = the vote.
    Vote(VoteMode),
    /// `d` = the lanes with the same value, or with `all` the mask if every lane has it.
    Match {
        all: bool,
        wide: bool,
    },
    /// A reduction over the executing lanes.
    Reduce(WarpReduction),
    /// `q0` in the lowest lane where `p0` holds, which may be limited to the lanes of the mask `a`; `d` = the
    /// number of that lane.
    Elect {
        masked: bool,
    },
    /// The result of the last reduction at a barrier.
    BarrierResult,
    /// `q0` = true: a request for registers succeeds at once.
    RequestRegisters,
    Control(Control),
}

impl Op {
    /// Whether the operation decides which lanes run next, or is not simulated.
    #[inline(always)]
    pub fn is_control(self) -> bool {
        matches!(self, Op::Control(_) | Op::Unsupported(_) | Op::Unknown(_))
    }

    pub fn accesses_memory(self) -> bool {
        matches!(
            self,
            Op::Load(_)
                | Op::Store(_)
                | Op::LoadConstant(_)
                | Op::Copy { .. }
                | Op::LoadLocked(_)
                | Op::StoreUnlock(_)
                | Op::Atomic(_)
                | Op::MatrixLoad(_)
                | Op::MatrixStore(_)
        )
    }

    /// Whether the operation writes its predicate destinations.
    pub fn writes_predicates(self) -> bool {
        matches!(
            self,
            Op::Add3Carry { .. }
                | Op::Add3Wide { .. }
                | Op::MulAddWide { .. }
                | Op::MulAddHigh { .. }
                | Op::ScaledAdd
                | Op::ScaledAddCarry
                | Op::ScaledAddHigh { .. }
                | Op::Lop3(_)
                | Op::FindHigh { .. }
                | Op::Compare(_)
                | Op::CompareCc(_)
                | Op::Plop3(_)
                | Op::TestCc(_)
                | Op::FloatCheck
                | Op::FloatSetp(..)
                | Op::DoubleSetp(..)
                | Op::DoublePick { .. }
                | Op::HalfSetp { .. }
                | Op::InWindow(_)
                | Op::LoadLocked(_)
                | Op::Vote(_)
                | Op::Match { .. }
                | Op::Shuffle(_)
                | Op::Elect { .. }
                | Op::FirstLane
                | Op::BarrierResult
                | Op::RequestRegisters
                | Op::Control(_)
                | Op::Unsupported(_)
                | Op::Unknown(_)
        )
    }

    /// Whether the result depends on which lanes execute the operation.
    #[inline(always)]
    pub fn is_collective(self) -> bool {
        matches!(
            self,
            Op::Shuffle(_)
                | Op::Vote(_)
                | Op::Match { .. }
                | Op::Reduce(_)
                | Op::Elect { .. }
                | Op::FirstLane
        )
    }
}
