//! The state of the check of volatile and relaxed accesses; the rules are in `warp_synchronous`.

use rustc_hash::FxHashSet;

#[derive(Debug, Default)]
pub(super) struct VolatileAccesses {
    pub(super) stores: FxHashSet<u32>,
    /// The statements of reported pairs, and of pairs with the same cause.
    pub(super) reported: FxHashSet<u32>,
    /// The epoch of the last such pair: further pairs have the same cause until the warp synchronizes.
    pub(super) last: u32,
}
