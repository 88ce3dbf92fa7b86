//! Undefined values in memory: loads of bytes that were never written, and stores of undefined values.
//!
//! A store to the thread's own local memory only passes the value on; other threads see any other store.

use super::Sanitizer;
use super::event::{AccessEvent, AccessKind};
use super::undefined_use::UndefinedUse;
use crate::inactive_sources::InactiveSources;
use crate::memory::region::MemoryRegion;
use crate::registers::filter_lanes;

impl Sanitizer {
    /// Whether undefined values are propagated through registers.
    #[inline]
    pub fn follows_values(&self) -> bool {
        self.checks.uninitialized
    }

    /// A lane accesses local memory.
    pub(crate) fn local(&mut self, event: &AccessEvent<'_>, index: u64, lane: u32) {
        let local = self.block.local(self.visit.warp);
        if !event.kind.reads() {
            if self.visit.undefined >> lane & 1 == 0 {
                return local.write(index, event.span(), 1 << lane);
            }
            for at in 0..event.span() {
                let undefined = self.undefined.stored.get(at as usize).unwrap_or(&self.visit.undefined);
                match undefined >> lane & 1 {
                    0 => local.write(index + at, 1, 1 << lane),
                    _ => local.undefine(index + at, lane, self.undefined.stored_origin),
                }
            }
            return;
        }
        let size = u64::from(event.size);
        for element in 0..event.count {
            let start = index + element as u64 * size;
            if !local.is_written(start, size, lane) {
                self.uninitialized[element] |= 1 << lane;
                self.undefined.loaded(event, element, lane, |byte| local.is_written(start + byte, 1, lane));
                if let Some(origin) = self.undefined.origins.get_mut(element) {
                    *origin = origin.or_else(|| local.origin(start..start + size, lane));
                }
            }
        }
    }

    /// The running store may be visible to other threads.
    #[cold]
    pub(crate) fn stored_undefined(&mut self, event: &AccessEvent<'_>) {
        if event.kind == AccessKind::Store {
            self.undefined.visible = filter_lanes(event.mask, |lane| {
                event.extent(lane).is_some_and(|extent| extent.region != MemoryRegion::Local)
            });
        }
    }

    /// The store of an undefined value that other threads see, after it was executed.
    pub fn visible_store(&mut self) -> Option<UndefinedUse> {
        let store = self.undefined.store.take()?;
        let lanes = store.lanes & self.undefined.visible;
        (lanes != 0).then_some(UndefinedUse { lanes, ..store })
    }

    /// A shuffle read lanes that do not take part in it.
    pub fn shuffled(&mut self, inactive: InactiveSources) {
        if self.checks.uninitialized {
            self.inactive = Some(inactive);
            self.made_undefined = true;
        }
    }

    /// The shuffle is reported for another reason.
    pub fn forget_shuffle(&mut self) {
        self.inactive = None;
    }
}
