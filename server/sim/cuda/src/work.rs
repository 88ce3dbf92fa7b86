//! The weights of what statements do beyond one step, as the [meter](crate::meter) counts it. They are estimates, not measured times. With
//! them, no step should take longer than some forty steps of plain arithmetic.

/// Work that counts as a step.
pub const WORK_PER_STEP: u64 = 256;

/// An element of a vector that a lane loads or stores.
pub const ELEMENT: u64 = 32;
/// A register of a matrix that a lane loads or stores.
pub const MATRIX_REGISTER: u64 = 96;
/// An atomic, asynchronous or mbarrier operation of a single lane.
pub const LANE_ACCESS: u64 = WORK_PER_STEP;
/// The check of an address of a single lane.
pub const ADDRESS_CHECK: u64 = 32;
/// The steps of an arrival at a barrier, besides one.
pub const ARRIVAL_STEPS: u64 = 3;
/// An exchange of a lane with the other lanes of its warp.
pub const EXCHANGE: u64 = 32;
/// What the lanes of a warp publish by a fence or a release.
pub const RELEASE: u64 = 24 * WORK_PER_STEP;
/// A number that the simulator computes in all lanes with integers, because the processor has no such arithmetic.
pub const NUMBER: u64 = 4 * WORK_PER_STEP;
/// A multiplication of a matrix product, one of floats of at most 8 bits, and one of doubles.
pub const MULTIPLICATION: u64 = 4;
pub const NARROW_MULTIPLICATION: u64 = 16;
pub const DOUBLE_MULTIPLICATION: u64 = 256;
