//! An access to memory as the sanitizer sees it.

use crate::ptx::engine::memory::region::{CheckedAddresses, Extent};
use crate::ptx::registers::Lanes;

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    /// A load of which each element goes to a register of its own.
    Load,
    /// Any other that reads.
    Read,
    Store,
    Atomic,
    /// What a copy did is event to an mbarrier: an atomic that publishes everything before it.
    Completion,
}

impl AccessKind {
    /// Whether memory stays as it is.
    pub(crate) fn reads(self) -> bool {
        matches!(self, AccessKind::Load | AccessKind::Read)
    }
}

/// An access whose addresses were checked.
pub(crate) struct AccessEvent<'t> {
    pub(crate) kind: AccessKind,
    pub(crate) checked: &'t CheckedAddresses,
    pub(crate) addresses: &'t Lanes<u64>,
    /// Bytes of an element, and how many elements lie side by side.
    pub(crate) size: u32,
    pub(crate) count: usize,
    pub(crate) mask: u32,
    /// The byte that a lane stores at this distance from its address.
    pub(crate) value: &'t dyn Fn(usize, u64) -> u8,
}

impl AccessEvent<'_> {
    pub(super) fn span(&self) -> u64 {
        u64::from(self.size) * self.count as u64
    }

    pub(super) fn extent(&self, lane: usize) -> Option<Extent> {
        self.checked.of(lane)
    }
}
