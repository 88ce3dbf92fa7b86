//! The weights of what statements do beyond one step, as the [meter](crate::meter) counts it. They are estimates, not measured times.

/// Work that counts as a step.
pub const WORK_PER_STEP: u64 = 256;

/// A further element of a vector that a lane loads or stores.
pub const ELEMENT: u64 = 16;
/// An access by a single lane, with its checks.
pub const LANE_ACCESS: u64 = 32;
/// A load by a lane, with its checks.
pub const LANE_LOAD: u64 = 8;
/// An exchange of a lane with the other lanes of its warp.
pub const EXCHANGE: u64 = 8;
/// A register that a statement with undefined values reads or writes, in one lane.
pub const UNDEFINED: u64 = 16;
/// A multiplication of a matrix product, and one of doubles.
pub const MULTIPLICATION: u64 = 4;
pub const DOUBLE_MULTIPLICATION: u64 = 64;
/// A statement for which a warp leaves its inner loop: a barrier, a call, a branch through a table, a branch that diverges.
pub const CONTROL: u64 = WORK_PER_STEP;
