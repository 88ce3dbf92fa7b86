//! Undefined values in memory.
//!
//! Bytes that a store leaves undefined are kept until another store defines them. An unwritten register is
//! kept only in local memory, where functions save the registers of their callers; storing one where others
//! see it is reported.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_cuda::address::Space;
use warplens_sim_cuda::registers::lanes;

use super::origins::{Cause, Origin, Origins};
use super::{UndefinedValues, UndefinedWord};
use crate::exec::{ExecContext, addresses_of, spaces_of};
use crate::program::Access;
use crate::registers::Registers;

/// The bytes of a cell; a mask has a bit for each.
const CELL: u64 = 32;
/// The maximum number of cells with undefined bytes to keep.
const MAX_CELLS: usize = 1 << 20;
/// The number of cells from which on bytes of skipped stores are not kept. Most are outside of all memory.
const MAX_SKIPPED_CELLS: usize = 1 << 17;

/// Whose memory an address belongs to.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// The block of local memory, the first one of the cluster for shared memory; `None` for global memory.
    block: Option<[u32; 3]>,
    thread: Option<Thread>,
}

/// The warp and lane that local memory belongs to.
type Thread = (u32, u8);

impl Owner {
    fn of(space: Space, ctx: &ExecContext<'_>, lane: usize) -> Owner {
        let block = &ctx.position.block;
        match space {
            // The address says which block of the cluster it is.
            Space::Shared => Owner { block: Some(block.first_of_cluster), thread: None },
            Space::Local => Owner { block: Some(block.cta), thread: Some((ctx.position.warp, lane as u8)) },
            _ => Owner { block: None, thread: None },
        }
    }
}

/// At most 32 bytes of memory, which are in one cell or in two.
#[derive(Clone, Copy)]
struct Bytes {
    at: u64,
    len: u32,
}

impl Bytes {
    /// The bytes that a lane accesses.
    fn of(access: &Access, at: u64) -> Bytes {
        Bytes { at, len: u32::from(access.size) * u32::from(access.count) }
    }

    /// The first bit in the first cell.
    fn shift(self) -> u32 {
        (self.at % CELL) as u32
    }

    /// The numbers of the cells, and the first bit of each in a mask over both.
    fn cells(self) -> impl Iterator<Item = (u64, u32)> {
        let first = self.at / CELL;
        let count = 1 + u32::from(self.shift() + self.len > 32);
        (0..count).map(move |index| (first + u64::from(index), 32 * index))
    }

    /// The bits in a cell of a mask that counts from the first byte.
    fn in_cell(self, mask: u32, half: u32) -> u32 {
        (u64::from(mask) << self.shift() >> half) as u32
    }

    /// The bits of a cell as a mask that counts from the first byte.
    fn of_cell(self, mask: u32, half: u32) -> u32 {
        (u64::from(mask) << half >> self.shift()) as u32 & low(self.len)
    }
}

/// A mask of the first `len` bytes, at most 32.
fn low(len: u32) -> u32 {
    u32::MAX.checked_shr(32 - len).unwrap_or(0)
}

/// The bits of the bytes of a word that a mask names.
fn bits_of(bytes: u32) -> u32 {
    (0..4).filter(|byte| bytes >> byte & 1 != 0).fold(0, |bits, byte| bits | 0xff << (8 * byte))
}

/// The bytes of a word that have one of these bits.
fn bytes_of(bits: u32) -> u32 {
    (0..4).filter(|byte| bits >> (8 * byte) & 0xff != 0).fold(0, |bytes, byte| bytes | 1 << byte)
}

/// Undefined bytes by the number of their cell.
type Cells = FxHashMap<(Option<Thread>, u64), Origins>;

/// The undefined bytes of memory, and what a run has reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UndefinedMemory {
    /// By block, so that those of a block can be dropped at once; no table and no cell is empty.
    cells: FxHashMap<Option<[u32; 3]>, Cells>,
    pub(super) reported: FxHashSet<(u32, u32)>,
}

/// The lanes of a store whose value is undefined, if others see it.
pub(super) struct VisibleStore {
    pub(super) word: UndefinedWord,
    pub(super) is_global: bool,
    /// Whether some of the bytes could not be kept.
    pub(super) is_lost: bool,
}

impl UndefinedMemory {
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// All blocks of the cluster have exited: nobody reads their memory any more. The bytes of shared memory are those of the first block.
    pub(crate) fn forget(&mut self, block: [u32; 3]) {
        self.cells.remove(&Some(block));
    }

    pub(crate) fn has_global(&self) -> bool {
        self.cells.contains_key(&None)
    }

    /// The number of cells with undefined bytes.
    fn len(&self) -> usize {
        self.cells.values().map(Cells::len).sum()
    }

    /// The undefined ones of some bytes.
    fn get(&self, owner: Owner, bytes: Bytes) -> Origins {
        let mut found = Origins::default();
        let Some(cells) = self.cells.get(&owner.block) else { return found };
        for (cell, half) in bytes.cells() {
            if let Some(origins) = cells.get(&(owner.thread, cell)) {
                found.add(&origins.map_masks(|mask| bytes.of_cell(mask, half)));
            }
        }
        found
    }

    /// The undefined ones of some bytes are now these.
    fn set(&mut self, owner: Owner, bytes: Bytes, undefined: &Origins) {
        if undefined.is_empty() && !self.cells.contains_key(&owner.block) {
            return;
        }
        let cells = self.cells.entry(owner.block).or_default();
        for (cell, half) in bytes.cells() {
            let key = (owner.thread, cell);
            if undefined.is_empty() && !cells.contains_key(&key) {
                continue;
            }
            let known = cells.entry(key).or_default();
            known.keep(!bytes.in_cell(low(bytes.len), half));
            known.add(&undefined.map_masks(|mask| bytes.in_cell(mask, half)));
            if known.is_empty() {
                cells.remove(&key);
            }
        }
        if cells.is_empty() {
            self.cells.remove(&owner.block);
        }
    }

    pub(super) fn load(
        &self,
        access: &Access,
        r: &Registers,
        ctx: &ExecContext<'_>,
        mask: u32,
    ) -> Vec<UndefinedWord> {
        let mut words = vec![UndefinedWord::default(); access.count.into()];
        let size = u32::from(access.size);
        let unused = 32 - 8 * size;
        for part in spaces_of(access.space, addresses_of(&access.address, r), ctx, mask) {
            for lane in lanes(part.mask) {
                let bytes = Bytes::of(access, part.addresses[lane]);
                let undefined = self.get(Owner::of(part.space, ctx, lane), bytes);
                for (index, word) in (0..).zip(&mut words) {
                    let element = low(size) << (index * size);
                    let Some(origin) = undefined.any_in(element) else { continue };
                    let bits = bits_of((undefined.mask() & element) >> (index * size));
                    word.bits[lane] =
                        if access.signed { ((bits << unused) as i32 >> unused) as u32 } else { bits };
                    word.origins.set(1 << lane, origin);
                }
            }
        }
        words
    }

    /// Lanes store registers. Returns the undefined elements that others see.
    pub(super) fn store(
        &mut self,
        access: &Access,
        values: &UndefinedValues,
        statement: u32,
        (r, ctx): (&Registers, &ExecContext<'_>),
        mask: u32,
    ) -> VisibleStore {
        let words: Vec<UndefinedWord> =
            (0..u16::from(access.count)).map(|word| values.read(access.row(word), statement)).collect();
        let mut visible = VisibleStore { word: UndefinedWord::default(), is_global: false, is_lost: false };
        if self.is_empty() && words.iter().all(|word| word.lanes() & mask == 0) {
            return visible;
        }
        let size = u32::from(access.size);
        let whole = bits_of(low(size));
        for part in spaces_of(access.space, addresses_of(&access.address, r), ctx, mask) {
            let is_local = part.space == Space::Local;
            for lane in lanes(part.mask) {
                let mut kept = Origins::default();
                for (index, word) in (0..).zip(&words) {
                    let bits = word.bits[lane] & whole;
                    let Some(origin) = word.origins.get(lane).filter(|_| bits != 0) else { continue };
                    // If only a part of an element is undefined, it may be the padding of a structure.
                    if origin.stops() || !is_local && bits == whole {
                        visible.word.bits[lane] = bits;
                        visible.word.origins.set(1 << lane, origin);
                        visible.is_global |= part.space == Space::Global;
                    }
                    if is_local || origin.stops() {
                        kept.set(bytes_of(bits) << (index * size), origin);
                    }
                }
                if !kept.is_empty() && self.len() >= MAX_CELLS {
                    visible.is_lost |= kept.stopping() != 0;
                    kept = Origins::default();
                }
                let bytes = Bytes::of(access, part.addresses[lane]);
                self.set(Owner::of(part.space, ctx, lane), bytes, &kept);
            }
        }
        visible
    }

    /// Lanes have skipped a store, so the bytes that it would have written are unknown. Those outside of local memory are
    /// nobody's.
    pub(crate) fn store_unknown(
        &mut self,
        access: &Access,
        statement: u32,
        (r, ctx): (&Registers, &ExecContext<'_>),
        mask: u32,
    ) {
        let origin = Origin { cause: Cause::NotSimulated, statement: Some(statement) };
        for part in spaces_of(access.space, addresses_of(&access.address, r), ctx, mask) {
            for lane in lanes(part.mask) {
                let is_outside = |at: u64| part.space == Space::Local && at >= ctx.local.bytes_per_thread();
                if is_outside(part.addresses[lane]) || self.len() >= MAX_SKIPPED_CELLS {
                    continue;
                }
                let bytes = Bytes::of(access, part.addresses[lane]);
                let mut undefined = Origins::default();
                undefined.set(low(bytes.len), origin);
                self.set(Owner::of(part.space, ctx, lane), bytes, &undefined);
            }
        }
    }

    /// Whether any of these bytes of global or shared memory is undefined.
    pub(super) fn any(
        &self,
        access: &Access,
        r: &Registers,
        ctx: &ExecContext<'_>,
        mask: u32,
    ) -> UndefinedWord {
        match self.is_empty() {
            true => UndefinedWord::default(),
            false => UndefinedWord::any_of(self.load(access, r, ctx, mask)),
        }
    }
}
