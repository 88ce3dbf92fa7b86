//! The undefined values that the running instruction loads, stores or computes: bytes that were never written, and
//! undefined values that were stored.
//!
//! A store to the thread's own local memory only passes the value on; other threads see any other store.

use rustc_hash::FxHashMap;

use super::event::{AccessEvent, AccessKind};
use super::local::LocalShadow;
use super::shadow::Shadow;
use super::undefined_use::{Cause, UndefinedOrigin, UndefinedUse};
use super::unwritten_bytes::UnwrittenBytes;
use crate::inactive_sources::InactiveSources;
use crate::memory::region::MemoryRegion;
use crate::registers::{FULL, PerLane, filter_lanes, lanes};
use crate::slot::RegisterSlot;

/// Maximum number of bytes of a load or a store.
const SPAN: usize = 32;

/// Maximum number of elements of an access.
pub(super) const ELEMENTS: usize = 32;

/// Maximum number of elements of a load.
const LOADED: usize = 8;

/// The undefined values that the running instruction loads, stores or computes.
#[derive(Default)]
pub struct UndefinedAccess {
    /// Lanes that loaded uninitialized memory, by element of the access.
    pub uninitialized: [u32; ELEMENTS],
    /// Whether the running instruction loaded, stored or computed undefined values that are not propagated yet.
    pub is_pending: bool,
    /// Whether the running access reads shared memory whose bytes were copied or computed from bytes without a value.
    pub(super) is_passed_on: bool,
    pub inactive: Option<InactiveSources>,
    /// Names of the uninitialized memory that loads of the run read, by statement.
    pub memory: FxHashMap<u32, String>,
    pub divided: u32,
    /// Undefined bytes that are loaded: the lanes for each byte of the access.
    pub loaded: [u32; SPAN],
    /// The undefined bits of the registers of a matrix that the running instruction stores, with their origin.
    pub sources: Option<(UndefinedUse, Vec<PerLane<u64>>)>,
    /// Registers with undefined bits that an operation on a matrix has written.
    pub results: Vec<UndefinedResult>,
    /// Whether the running product reads shared memory that nobody has written.
    pub is_unwritten_factor: bool,
    /// For each element, the origin of a loaded value that was undefined when it was stored.
    pub origins: [Option<UndefinedOrigin>; LOADED],
    /// Undefined bytes that are stored: the lanes for each byte of the access.
    pub stored: [u32; SPAN],
    pub stored_origin: Option<UndefinedOrigin>,
    /// The store of an undefined value, except a copy of a value with some defined bytes.
    pub store: Option<UndefinedUse>,
    /// Whether `store` puts a part of a matrix into memory. Shared memory then holds the undefined bytes, until a load of them matters.
    pub stays_in_tile: bool,
    /// The lanes whose store is visible to other threads.
    pub visible: u32,
}

/// A register that an operation on a matrix has written, and its undefined bits.
#[derive(Clone, Copy, Debug)]
pub struct UndefinedResult {
    pub register: RegisterSlot,
    pub bits: PerLane<u64>,
    pub origin: UndefinedOrigin,
}

impl UndefinedAccess {
    /// An operation on a matrix has written undefined bits to a 32-bit register.
    pub fn add_result(&mut self, register: RegisterSlot, bits: PerLane<u64>, statement: u32, cause: Cause) {
        let lanes = filter_lanes(FULL, |lane| bits[lane] != 0);
        if lanes != 0 {
            // All bits of a word are the whole value.
            let bits = bits.map(|bits| if bits == u64::from(u32::MAX) { u64::MAX } else { bits });
            let origin = UndefinedOrigin { statement, cause, lanes, through: None };
            self.results.push(UndefinedResult { register, bits, origin });
            self.is_pending = true;
        }
    }

    /// The running instruction is about to store a part of a matrix: `stored` has the lanes for each undefined byte.
    pub fn storing(&mut self, stored: [u32; SPAN], used: UndefinedUse) {
        let lanes = stored.iter().fold(0, |all, lanes| all | lanes);
        self.stored = stored;
        self.store = Some(UndefinedUse { lanes, ..used });
        self.stays_in_tile = true;
        self.visible = 0;
        self.is_pending = true;
    }

    /// A lane accesses local memory; `undefined` are the lanes that store an undefined value.
    pub(super) fn local(
        &mut self,
        event: &AccessEvent<'_>,
        index: u64,
        lane: u32,
        local: &mut LocalShadow,
        undefined: u32,
    ) {
        if !event.kind.reads() {
            if undefined >> lane & 1 == 0 {
                return local.write(index, event.span(), 1 << lane);
            }
            for at in 0..event.span() {
                let undefined = self.stored.get(at as usize).unwrap_or(&undefined);
                match undefined >> lane & 1 {
                    0 => local.write(index + at, 1, 1 << lane),
                    _ => local.undefine(index + at, lane, self.stored_origin),
                }
            }
            return;
        }
        let size = u64::from(event.size);
        for element in 0..event.count {
            let start = index + element as u64 * size;
            if !local.is_written(start, size, lane) {
                self.note_loaded(event, element, lane, |byte| local.is_written(start + byte, 1, lane));
                if let Some(origin) = self.origins.get_mut(element) {
                    *origin = origin.or_else(|| local.origin(start..start + size, lane));
                }
            }
        }
    }

    /// The running store may be visible to other threads.
    #[cold]
    pub(super) fn note_store(&mut self, event: &AccessEvent<'_>, shared: &mut UnwrittenBytes) {
        if event.kind != AccessKind::Store {
            return;
        }
        self.visible = filter_lanes(event.mask, |lane| {
            event.extent(lane).is_some_and(|extent| extent.region != MemoryRegion::Local)
        });
        if self.stays_in_tile {
            for lane in lanes(self.visible) {
                let Some(extent) = event.extent(lane).filter(|extent| extent.region == MemoryRegion::Shared)
                else {
                    continue;
                };
                let start = extent.index(event.addresses[lane]) as u64;
                let undefined = (0..).zip(&self.stored).filter(|(_, lanes)| *lanes >> lane & 1 == 1);
                undefined
                    .take_while(|(byte, _)| *byte < event.span())
                    .for_each(|(byte, _)| shared.add(start + byte, 1));
                self.visible &= !(1 << lane);
            }
        }
    }

    /// The store of an undefined value that other threads see, after it was executed.
    pub fn visible_store(&mut self) -> Option<UndefinedUse> {
        let store = self.store.take()?;
        let lanes = store.lanes & self.visible;
        (lanes != 0).then_some(UndefinedUse { lanes, ..store })
    }

    /// Records the elements of an access to shared memory that nobody has written.
    #[cold]
    pub(super) fn note_unwritten(
        &mut self,
        event: &AccessEvent<'_>,
        index: u64,
        lane: u32,
        shared: &mut Shadow,
    ) {
        let size = u64::from(event.size);
        for element in 0..event.count {
            let start = index + element as u64 * size;
            if !shared.is_written(start, size) {
                self.note_loaded(event, element, lane, |byte| shared.is_written(start + byte, 1));
            }
        }
    }

    /// An atomic updates shared memory. If nobody has written it, it still has no value afterwards.
    pub(super) fn update(
        &mut self,
        event: &AccessEvent<'_>,
        (index, lane): (u64, u32),
        shared: &mut Shadow,
        unwritten: &mut UnwrittenBytes,
    ) {
        if !shared.is_written(index, event.span()) {
            self.note_unwritten(event, index, lane, shared);
            let bytes = index..index + event.span();
            bytes.filter(|byte| !shared.is_written(*byte, 1)).for_each(|byte| unwritten.add(byte, 1));
        }
    }

    /// A lane loads an element with undefined bytes.
    pub(super) fn note_loaded(
        &mut self,
        event: &AccessEvent<'_>,
        element: usize,
        lane: u32,
        mut is_defined: impl FnMut(u64) -> bool,
    ) {
        self.uninitialized[element] |= 1 << lane;
        if !matches!(event.kind, AccessKind::Load | AccessKind::Atomic) {
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

    /// The undefined bits of a loaded element, sign-extended like the value.
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
