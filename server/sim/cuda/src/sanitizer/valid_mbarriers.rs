//! The mbarrier objects that are valid.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Bytes of an object.
pub(super) const SIZE: u64 = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct ValidMbarrier {
    pub(super) initialized: u32,
    pub(super) is_used: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ValidMbarriers {
    /// By offset in the shared memory of the cluster.
    pub(super) objects: FxHashMap<u64, ValidMbarrier>,
    /// Offsets that contain all objects so far.
    pub(super) extent: Range<u64>,
}
