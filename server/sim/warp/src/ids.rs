//! Identifiers of statements, lanes and warps in programs and results.

/// The lanes of a warp, one bit per lane; bit 0 is lane 0. Wide enough for the widest wave (64).
pub type Mask = u64;

/// A statement of the decoded program, counted from 0 over all functions that the entry can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

impl StatementId {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One warp of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpId {
    pub cta: [u32; 3],
    /// The warp's index in its block.
    pub warp: u32,
}
