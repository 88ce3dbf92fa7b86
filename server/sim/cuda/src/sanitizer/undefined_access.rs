//! Undefined values in memory: loads of bytes that were never written, and stores of undefined values.
//!
//! A store to the thread's own local memory only passes the value on; other threads see any other store.

use super::Sanitizer;
use super::event::{AccessEvent, AccessKind};
use super::undefined_use::{UndefinedOrigin, UndefinedUse};
use crate::inactive_sources::InactiveSources;
use crate::memory::region::MemoryRegion;
use crate::registers::lanes;

/// Maximum number of bytes of a load or a store.
const SPAN: usize = 32;

/// Maximum number of elements of a load.
const ELEMENTS: usize = 8;

/// The undefined values that the running instruction loads, stores or computes.
#[derive(Default)]
pub struct UndefinedAccess {
    /// The lanes that divide by zero.
    pub divided: u32,
    /// Loaded undefined bytes: lanes by byte of the access.
    pub loaded: [u32; SPAN],
    /// The origins of loaded values that were stored as undefined, by element.
    pub origins: [Option<UndefinedOrigin>; ELEMENTS],
    /// Stored undefined bytes: lanes by byte of the access.
    pub stored: [u32; SPAN],
    pub stored_origin: Option<UndefinedOrigin>,
    /// The store of an undefined value, other than the copy of a value with defined bytes.
    pub store: Option<UndefinedUse>,
    /// The lanes in which other threads see that store.
    pub visible: u32,
}

impl UndefinedAccess {
    /// A lane loads an element of which some bytes are undefined.
    pub(crate) fn loaded(
        &mut self,
        event: &AccessEvent<'_>,
        element: usize,
        lane: u32,
        mut is_defined: impl FnMut(u64) -> bool,
    ) {
        if event.kind != AccessKind::Load {
            return;
        }
        for byte in 0..event.size {
            let at = element * event.size as usize + byte as usize;
            if let Some(lanes) = self.loaded.get_mut(at)
                && !is_defined(byte.into())
            {
                *lanes |= 1 << lane;
            }
        }
    }

    /// The undefined bits of a loaded element, sign-extended as the load does.
    pub fn loaded_bits(&self, size: u32, signed: bool, element: usize, lane: usize) -> u64 {
        let size = size as usize;
        if size > 8 {
            return u64::MAX;
        }
        let bytes = self.loaded.get(element * size..(element + 1) * size).unwrap_or_default();
        let undefined = |lanes: &u32| lanes >> lane & 1 == 1;
        if bytes.iter().all(undefined) {
            return u64::MAX;
        }
        let bits = bytes.iter().enumerate().filter(|(_, lanes)| undefined(lanes));
        let bits = bits.fold(0, |bits, (byte, _)| bits | 0xff << (8 * byte));
        let shift = 64 - 8 * size;
        if signed { ((bits << shift) as i64 >> shift) as u64 } else { bits }
    }
}

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
            let visible =
                |lane: &usize| event.extent(*lane).is_some_and(|extent| extent.region != MemoryRegion::Local);
            self.undefined.visible = lanes(event.mask).filter(visible).fold(0, |all, lane| all | 1 << lane);
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
