//! Undefined values in memory: loads of bytes that were never written, and stores of undefined values.
//!
//! A store to the thread's own local memory only passes the value on; other threads see any other store.

use super::undefined::UndefinedValues;
use super::undefined_use::{
    Cause, StatementVisit, UndefinedBits, UndefinedOrigin, UndefinedUse, UndefinedUses,
};
use crate::cuda::memory::region::MemoryRegion;
use crate::cuda::registers::{FULL, Lanes, lanes};
use crate::cuda::sanitizer::Sanitizer;
use crate::cuda::sanitizer::event::{AccessEvent, AccessKind};
use crate::cuda::slot::RegisterSlot;
use crate::ptx::program::{Access, Function, Op};

/// Maximum number of bytes of a load or a store.
const SPAN: usize = 32;

/// Maximum number of elements of a load.
const ELEMENTS: usize = 8;

/// The undefined values that the running instruction loads, stores or computes.
#[derive(Default)]
pub(crate) struct UndefinedAccess {
    /// The lanes that divide by zero.
    pub(crate) divided: u32,
    /// Loaded undefined bytes: lanes by byte of the access.
    loaded: [u32; SPAN],
    /// The origins of loaded values that were stored as undefined, by element.
    origins: [Option<UndefinedOrigin>; ELEMENTS],
    /// Stored undefined bytes: lanes by byte of the access.
    stored: [u32; SPAN],
    stored_origin: Option<UndefinedOrigin>,
    /// The store of an undefined value, other than the copy of a value with defined bytes.
    pub(crate) store: Option<UndefinedUse>,
    /// The lanes in which other threads see that store.
    visible: u32,
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
    fn loaded_bits(&self, access: &Access, element: usize, lane: usize) -> u64 {
        let size = access.size as usize;
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
        if access.signed { ((bits << shift) as i64 >> shift) as u64 } else { bits }
    }
}

impl Sanitizer {
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

    /// The statement stores values, some of them undefined.
    pub(crate) fn stores(
        &mut self,
        undefined: &UndefinedValues,
        visit: &StatementVisit<'_>,
        uses: &UndefinedUses,
    ) {
        let function = visit.function;
        let instruction = &function.code[visit.pc as usize];
        self.visit.undefined = uses.sources | uses.stored.map_or(0, |stored| stored.lanes);
        if self.visit.undefined == 0 {
            return;
        }
        self.undefined.stored_origin = uses.root;
        self.undefined.stored.fill(self.visit.undefined);
        if instruction.op != Op::Store {
            return;
        }
        let access = &function.tables.accesses[instruction.s.a as usize];
        let size = access.size as usize;
        let whole = u64::MAX >> (64 - 8 * size.min(8));
        let mut all = 0;
        for (element, place) in access.elements.iter().enumerate() {
            let register = place.and_then(|element| register_at(visit, element.place));
            let bits: Lanes<u64> =
                std::array::from_fn(|lane| register.map_or(0, |register| undefined.bits(register, lane)));
            for byte in 0..size {
                // A 128-bit register is undefined as a whole.
                let shift = 8 * byte % 64;
                let is_undefined = |lane: &usize| bits[*lane] >> shift & 0xff != 0;
                if let Some(stored) = self.undefined.stored.get_mut(element * size + byte) {
                    *stored = lanes(visit.executed).filter(is_undefined).fold(0, |all, lane| all | 1 << lane);
                }
            }
            // A copied structure may have padding.
            let copied = register.map_or(0, |register| undefined.bits_of(register).copied);
            let is_whole = |lane: &usize| match bits[*lane] & whole {
                0 => false,
                part => part == whole || copied >> *lane & 1 == 0,
            };
            all |= lanes(visit.executed).filter(is_whole).fold(0, |all, lane| all | 1 << lane);
        }
        let stored = uses.stored.map(|stored| UndefinedUse { lanes: all, ..stored });
        self.undefined.store = stored.filter(|stored| stored.lanes != 0);
        self.undefined.visible = 0;
        self.made_undefined |= self.undefined.store.is_some();
    }

    /// The store of an undefined value that other threads see, after it was executed.
    pub(crate) fn visible_store(&mut self) -> Option<UndefinedUse> {
        let store = self.undefined.store.take()?;
        let lanes = store.lanes & self.undefined.visible;
        (lanes != 0).then_some(UndefinedUse { lanes, ..store })
    }

    /// After the load at `pc` of undefined values.
    pub(crate) fn loaded(&mut self, undefined: &mut UndefinedValues, function: &Function, pc: u32) {
        let instruction = function.code[pc as usize];
        let access = &function.tables.accesses[instruction.s.a as usize];
        let written = access.elements.iter().enumerate().filter(|(_, element)| element.is_some());
        undefined.grow(function);
        for ((element, _), &register) in written.zip(function.writes_of(pc)) {
            let lanes = self.uninitialized.get(element).copied().unwrap_or(0);
            if lanes == 0 {
                continue;
            }
            let statement = function.first_statement + pc;
            let memory = UndefinedOrigin { statement, cause: Cause::Memory, lanes, through: None };
            let origin = self.undefined.origins.get(element).copied().flatten().unwrap_or(memory);
            let bits = std::array::from_fn(|lane| self.undefined.loaded_bits(access, element, lane));
            undefined.set_bits(register, lanes, &UndefinedBits { bits, copied: FULL }, Some(origin));
        }
        self.undefined.loaded.fill(0);
        self.undefined.origins.fill(None);
    }
}

/// The register that a statement reads at a place.
fn register_at(visit: &StatementVisit<'_>, place: RegisterSlot) -> Option<u32> {
    let function = visit.function;
    let mut reads = function.flow.reads_of(visit.pc).iter();
    reads.find_map(|read| {
        (function.frame.registers[read.register as usize].place == place).then_some(read.register)
    })
}
