//! The weights of what statements do beyond one step, as the [meter](crate::meter) counts it. They are estimates, not measured times.
//! They are chosen so that no step takes longer than about forty steps of plain arithmetic.

/// Work that counts as a step.
pub const WORK_PER_STEP: u64 = 256;

/// An element of a vector that a lane loads or stores.
pub const ELEMENT: u64 = 64;
/// A register of a matrix that a lane loads or stores.
pub const MATRIX_REGISTER: u64 = 96;
/// An atomic or mbarrier operation of a single lane.
pub const LANE_ACCESS: u64 = WORK_PER_STEP;
/// A `cp.async` of a single lane, and an operation that completes at an mbarrier or belongs to a bulk group.
pub const LANE_COPY: u64 = 2 * WORK_PER_STEP;
pub const LANE_TRANSFER: u64 = 8 * WORK_PER_STEP;
/// An access of a single lane to a few bytes, of which an operation may make many.
pub const SMALL_ACCESS: u64 = WORK_PER_STEP;
/// The steps of an arrival at a barrier, besides one.
pub const ARRIVAL_STEPS: u64 = 5;
/// The steps of an instruction whose results are unknown, besides one.
pub const UNKNOWN_STEPS: u64 = 12;
/// An exchange of a lane with the other lanes of its warp.
pub const EXCHANGE: u64 = 64;
/// What the lanes of a warp publish by a fence or a release.
pub const RELEASE: u64 = 40 * WORK_PER_STEP;
/// A number that the simulator computes in all lanes with integers, because the processor has no such arithmetic.
pub const NUMBER: u64 = 7 * WORK_PER_STEP;
/// The multiplications for which a matrix product of any size counts in addition.
pub const PRODUCT_START: u64 = 256;
/// A multiplication of a matrix product, and one of doubles.
pub const MULTIPLICATION: u64 = 16;
pub const DOUBLE_MULTIPLICATION: u64 = 256;
