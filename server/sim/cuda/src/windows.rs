//! The layout of the state spaces in the generic address space.
//!
//! All windows and all of global memory fit below 4 GiB, so the same addresses serve 32-bit modules. Address 0 and the
//! next 16 MiB hold no data, so null pointers and small offsets from them are always detected.

/// The address of the first function; each function has 16 bytes. Code is not data: no load reaches it.
pub const CODE: u64 = 0x0080_0000;
/// First generic address of `.shared`.
pub const SHARED: u64 = 0x0100_0000;
/// Addresses from here to [`SHARED`] count as below shared memory, not as offsets from a null pointer.
pub const BELOW_SHARED: u64 = SHARED - 0x1_0000;
/// The distance between the shared memory of two blocks of a cluster in the shared space: the rank is in bits 24 and
/// up.
pub const SHARED_RANK: u64 = 1 << 24;
/// The distance between the shared memory of two blocks of a cluster in the generic space.
pub const RANK: u64 = 0x0008_0000;
/// First generic address of `.local`.
pub const LOCAL: u64 = 0x0200_0000;
pub const PARAM: u64 = 0x0300_0000;
/// First generic address of `.const`.
pub const CONST: u64 = 0x0400_0000;
/// First address of the module's own `.global` variables.
pub const MODULE: u64 = 0x0500_0000;
/// First address of the launch's buffers.
pub const GLOBAL: u64 = 0x1000_0000;
/// One past the last address of `.global`.
pub const GLOBAL_END: u64 = 0xffff_ff00;
