//! The modifiers of operations.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::semantics::compare::{Combine, Comparison};
use warplens_sim_cuda::semantics::float::FloatOp;
use warplens_sim_warp::soft_float::{Format, Rounding, op};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    Zero,
    ThreadId(u8),
    BlockId(u8),
    BlockSize(u8),
    GridSize(u8),
    /// The rank of the block in its cluster.
    ClusterRank,
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

/// What a comparison tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `.F`
    Never,
    /// `.T`
    Always,
    Is(Comparison),
}

impl Relation {
    /// The lanes in which the relation holds; `compared` returns the lanes in which a comparison does.
    #[inline(always)]
    pub(crate) fn lanes(self, compared: impl FnOnce(Comparison) -> u32) -> u32 {
        match self {
            Relation::Never => 0,
            Relation::Always => u32::MAX,
            Relation::Is(comparison) => compared(comparison),
        }
    }

    pub(crate) fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Relation::Never => false,
            Relation::Always => true,
            Relation::Is(comparison) => comparison.holds(&a, &b),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntCompare {
    pub relation: Relation,
    pub signed: bool,
    /// Compares 64 bits.
    pub wide: bool,
    /// Compares upper words. The result for the lower words is in `p1`, or in the condition code on targets
    /// without convergence barriers.
    pub extends: bool,
    pub combine: Combine,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatCompare {
    pub relation: Relation,
    /// `.FTZ`
    pub flush: bool,
    /// A NaN wins over a number.
    pub nan: bool,
    /// `.XORSIGN`
    pub xor_sign: bool,
}

impl FloatCompare {
    /// The minimum or the maximum.
    pub(crate) fn extremum(self, smaller: bool) -> FloatOp {
        match (smaller, self.nan) {
            (true, false) => FloatOp::Min,
            (false, false) => FloatOp::Max,
            (true, true) => FloatOp::MinNan,
            (false, true) => FloatOp::MaxNan,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mufu {
    Rcp,
    Rsq,
    Sqrt,
    Ex2,
    Lg2,
    Sin(Angle),
    Cos(Angle),
    Rcp64High,
    Rsq64High,
    Tanh,
}

/// The unit of the argument of a sine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Angle {
    Radians,
    Turns,
}

/// An operation on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `a + b`
    Add,
    /// `a * b`
    Mul,
    /// `a * b + c`
    Fma,
}

impl Arithmetic {
    /// The exact result, rounded.
    pub(crate) fn of(self, format: Format, rounding: Rounding, [a, b, c]: [u64; 3]) -> u64 {
        match self {
            Arithmetic::Add => op::add(format, rounding, a, b),
            Arithmetic::Mul => op::mul(format, rounding, a, b),
            Arithmetic::Fma => op::fma(format, rounding, a, b, c),
        }
    }
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
