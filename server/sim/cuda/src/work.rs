//! The weights of what statements do beyond one step, as the [meter](crate::meter) counts it. They are estimates, not measured times.

/// Work that counts as a step.
pub const WORK_PER_STEP: u64 = 256;

/// A further element of a vector that a lane loads or stores.
pub const ELEMENT: u64 = 16;
/// An access by a single lane, with its checks.
pub const LANE_ACCESS: u64 = 32;
/// An exchange of a lane with the other lanes of its warp.
pub const EXCHANGE: u64 = 8;
/// A multiplication of a matrix product, and one of doubles.
pub const MULTIPLICATION: u64 = 4;
pub const DOUBLE_MULTIPLICATION: u64 = 64;
