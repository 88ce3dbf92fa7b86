//! Why a value varies.

use crate::Variance;
use crate::cfg::BlockId;

/// A value of a register.
pub(super) type ValueId = u32;

/// Why a value varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Nothing: it is uniform.
    Nothing,
    /// The value it is made from.
    Value(ValueId),
    /// The guard of the instruction: lanes where it is false keep what was there.
    Guard(ValueId),
    /// Lanes diverged at the end of this block and reconverged with different values.
    Diverged(BlockId),
    /// Lanes exit the loop around this block in different iterations.
    Left(BlockId),
    /// A special register.
    Special,
    /// The instruction picks lanes, as `elect.sync` does.
    Picks,
    /// The instruction takes it from where the analysis does not look.
    Opaque,
    /// A parameter of a function that is not a kernel.
    Parameter,
    /// Made from what differs from lane to lane, but perhaps not inside a warp: `%tid.x / 32`.
    Aligned,
}

/// The most that was found so far, and its cause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raised {
    pub(super) variance: Variance,
    pub(super) cause: Cause,
}

impl Default for Raised {
    fn default() -> Raised {
        Raised { variance: Variance::Uniform, cause: Cause::Nothing }
    }
}

impl Raised {
    pub(super) fn by(&mut self, variance: Variance, cause: Cause) {
        if variance > self.variance {
            *self = Raised { variance, cause };
        }
    }
}
