//! Why a value varies.

use crate::Variance;
use crate::cfg::BlockId;

pub(super) type ValueId = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Nothing,
    Value(ValueId),
    /// The guard of the instruction varies; lanes where it is false keep the old value.
    Guard(ValueId),
    /// Lanes diverged at the end of this block and reconverged with different values.
    Diverged(BlockId),
    /// Lanes exit the loop around this block in different iterations.
    Left(BlockId),
    Special,
    /// The instruction selects lanes, as `elect.sync` does.
    Picks,
    /// The value comes from a source that the analysis does not track.
    Opaque,
    /// A parameter of a function that is not a kernel.
    Parameter,
    /// The value is computed from one that differs between lanes, but may be equal within a warp: `%tid.x /
    /// 32`.
    Aligned,
}

/// The highest variance found so far, and its cause.
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
