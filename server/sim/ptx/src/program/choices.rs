//! What an operation says about its operands and results: a type for each pair of alternatives.

use warplens_sim_cuda::semantics::float;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    W32,
    W64,
}

impl Width {
    pub fn of_bits(bits: u32) -> Width {
        if bits == 64 { Width::W64 } else { Width::W32 }
    }

    pub fn bits(self) -> u32 {
        match self {
            Width::W32 => 32,
            Width::W64 => 64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    Unsigned,
    Signed,
}

impl Signedness {
    #[inline(always)]
    pub fn is_signed(self) -> bool {
        self == Signedness::Signed
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subnormals {
    Kept,
    /// `.ftz`
    Flushed,
}

impl Subnormals {
    #[inline(always)]
    pub fn are_flushed(self) -> bool {
        self == Subnormals::Flushed
    }

    /// The number with these bits, which is zero if it is subnormal and flushed.
    #[inline(always)]
    pub fn value(self, bits: u32) -> f32 {
        f32::from_bits(if self.are_flushed() { float::flush_32(bits) } else { bits })
    }
}

/// What becomes of a position beyond the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beyond {
    Clamps,
    Wraps,
}

impl Beyond {
    #[inline(always)]
    pub fn wraps(self) -> bool {
        self == Beyond::Wraps
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    Kept,
    /// `.abs`
    Dropped,
}

/// Whether an instruction asserts that the lanes of its group do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uniformity {
    Unknown,
    /// `.uni`
    Asserted,
}
