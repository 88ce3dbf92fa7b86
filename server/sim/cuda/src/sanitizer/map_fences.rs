//! Which changes of tensor maps copies see.

use rustc_hash::FxHashMap;

use super::happens_before::MemoryLocation;

/// The fences of the tensormap proxy.
#[derive(Debug, Default)]
pub(super) struct MapFences {
    /// The last epoch whose changes are released.
    pub(super) released: u32,
    /// By map, the last epoch whose changes are acquired.
    pub(super) acquired: FxHashMap<MemoryLocation, u32>,
}
