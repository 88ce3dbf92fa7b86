//! Bytes of device memory without a value, until something writes them.
//!
//! Shared memory starts uninitialized, and its shadow says what was written. Device memory has contents, except where the launch says
//! otherwise and in what `malloc` returns: those bytes are kept here. A copy to shared memory passes them on, because kernels copy whole tiles and use a part.
//! What atomics compute from uninitialized shared memory has no value either.

use super::Sanitizer;
use super::event::{AccessEvent, AccessKind};
use super::unwritten_bytes::UnwrittenBytes;
use crate::async_ops::operation::MemoryPosition;
use crate::memory::region::MemoryRegion;
use crate::registers::lanes;

impl Sanitizer {
    /// These ranges of device memory, addresses and lengths, have no values until something writes them. `origin` is the first address.
    pub fn declare_unwritten(&mut self, ranges: &[(u64, u64)], origin: u64) {
        if self.report.checks.uninitialized {
            let ranges = ranges.iter().filter(|(_, len)| *len != 0);
            ranges.for_each(|(address, len)| self.unwritten.add(address - origin, *len));
        }
    }

    #[inline(always)]
    pub(super) fn tracks_unwritten(&self) -> bool {
        !self.unwritten.is_empty() || !self.cluster.unwritten.is_empty()
    }

    fn unwritten_in(&mut self, region: MemoryRegion) -> Option<&mut UnwrittenBytes> {
        match region {
            MemoryRegion::Launch => Some(&mut self.unwritten),
            MemoryRegion::Shared => Some(&mut self.cluster.unwritten),
            _ => None,
        }
    }

    /// Records the elements of an access without a value, and that a write gives one. An atomic reads first, except an exchange.
    #[cold]
    pub(super) fn access_unwritten(&mut self, event: &AccessEvent<'_>) {
        let size = u64::from(event.size);
        for lane in lanes(event.mask) {
            let Some(extent) = event.extent(lane) else { continue };
            let start = extent.index(event.addresses[lane]) as u64;
            let (unwritten, undefined) = match extent.region {
                MemoryRegion::Launch => (&mut self.unwritten, &mut self.undefined),
                MemoryRegion::Shared => (&mut self.cluster.unwritten, &mut self.undefined),
                _ => continue,
            };
            if !unwritten.any(start, event.span()) {
                continue;
            }
            if !matches!(event.kind, AccessKind::Store | AccessKind::Exchange | AccessKind::Completion) {
                for element in 0..event.count {
                    let at = start + element as u64 * size;
                    if unwritten.any(at, size) {
                        undefined.is_passed_on |= extent.region == MemoryRegion::Shared;
                        let is_defined = |byte| !unwritten.any(at + byte, 1);
                        undefined.note_loaded(event, element, lane as u32, is_defined);
                    }
                }
            }
            let is_updated = event.kind == AccessKind::Atomic && extent.region == MemoryRegion::Shared;
            if !(event.kind.reads() || is_updated) {
                unwritten.remove(start, event.span());
            }
        }
    }

    /// A copy moves bytes, after both accesses were reported; bytes without a value stay so.
    pub fn copied(&mut self, from: MemoryPosition, to: MemoryPosition, len: u64) {
        if !self.tracks_unwritten() || from.region != MemoryRegion::Launch {
            return;
        }
        let (from, start) = (from.index as u64, to.index as u64);
        if !self.unwritten.any(from, len) {
            return;
        }
        for byte in (0..len).filter(|byte| self.unwritten.any(from + byte, 1)).collect::<Vec<_>>() {
            if let Some(unwritten) = self.unwritten_in(to.region) {
                unwritten.add(start + byte, 1);
            }
        }
    }
}
