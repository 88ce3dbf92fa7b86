//! Undefined values in memory.
//!
//! Bytes that a store leaves undefined are kept until another store defines them. An unwritten register is
//! kept only in local memory, where functions save the registers of their callers; storing one where others
//! see it is reported.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_cuda::address::Space;
use warplens_sim_cuda::registers::lanes;

use super::{Cause, Origin, UndefinedValues, UndefinedWord};
use crate::exec::{ExecContext, addresses_of, spaces_of};
use crate::program::Access;
use crate::registers::Registers;

/// The maximum number of undefined bytes to keep.
const MAX_BYTES: usize = 1 << 22;
/// The number of undefined bytes from which on those of skipped stores are not kept. Most are outside of all memory.
const MAX_SKIPPED_BYTES: usize = 1 << 19;

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

/// Undefined bytes by address.
type Bytes = FxHashMap<(Option<Thread>, u64), Origin>;

/// The undefined bytes of memory, and what a run has reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UndefinedMemory {
    /// By block, so that those of a block can be dropped at once; no table is empty.
    bytes: FxHashMap<Option<[u32; 3]>, Bytes>,
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
        self.bytes.is_empty()
    }

    /// All blocks of the cluster have exited: nobody reads their memory any more. The bytes of shared memory are those of the first block.
    pub(crate) fn forget(&mut self, block: [u32; 3]) {
        self.bytes.remove(&Some(block));
    }

    pub(crate) fn has_global(&self) -> bool {
        self.bytes.contains_key(&None)
    }

    /// The number of undefined bytes.
    fn len(&self) -> usize {
        self.bytes.values().map(Bytes::len).sum()
    }

    fn get(&self, owner: Owner, at: u64) -> Option<&Origin> {
        self.bytes.get(&owner.block)?.get(&(owner.thread, at))
    }

    fn insert(&mut self, owner: Owner, at: u64, origin: Origin) {
        self.bytes.entry(owner.block).or_default().insert((owner.thread, at), origin);
    }

    fn remove(&mut self, owner: Owner, at: u64) {
        if let Some(bytes) = self.bytes.get_mut(&owner.block) {
            bytes.remove(&(owner.thread, at));
            if bytes.is_empty() {
                self.bytes.remove(&owner.block);
            }
        }
    }

    pub(super) fn load(
        &self,
        access: &Access,
        r: &Registers,
        ctx: &ExecContext<'_>,
        mask: u32,
    ) -> Vec<UndefinedWord> {
        let mut words = vec![UndefinedWord::DEFINED; access.count.into()];
        for part in spaces_of(access.space, addresses_of(&access.address, r), ctx, mask) {
            for lane in lanes(part.mask) {
                let owner = Owner::of(part.space, ctx, lane);
                for (index, word) in words.iter_mut().enumerate() {
                    for byte in 0..u64::from(access.size) {
                        let at = part.addresses[lane] + index as u64 * u64::from(access.size) + byte;
                        let Some(origin) = self.get(owner, at) else { continue };
                        word.bits[lane] |= 0xff << (8 * byte);
                        word.origins[lane] = Some(*origin);
                    }
                    let unused = 32 - 8 * u32::from(access.size);
                    if access.signed && unused > 0 {
                        word.bits[lane] = ((word.bits[lane] << unused) as i32 >> unused) as u32;
                    }
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
        let mut visible = VisibleStore { word: UndefinedWord::DEFINED, is_global: false, is_lost: false };
        if self.is_empty() && words.iter().all(|word| word.lanes() & mask == 0) {
            return visible;
        }
        let whole = u32::MAX >> (32 - 8 * u32::from(access.size));
        for part in spaces_of(access.space, addresses_of(&access.address, r), ctx, mask) {
            for lane in lanes(part.mask) {
                let owner = Owner::of(part.space, ctx, lane);
                for (index, word) in words.iter().enumerate() {
                    let (bits, origin) = (word.bits[lane] & whole, word.origins[lane]);
                    let is_unknown = origin.is_some_and(|origin| origin.cause == Cause::NotSimulated);
                    let is_local = part.space == Space::Local;
                    // If only a part of an element is undefined, it may be the padding of a structure.
                    if is_unknown && bits != 0 || !is_local && bits == whole {
                        (visible.word.bits[lane], visible.word.origins[lane]) = (bits, origin);
                        visible.is_global |= part.space == Space::Global;
                    }
                    for byte in 0..u64::from(access.size) {
                        let at = part.addresses[lane] + index as u64 * u64::from(access.size) + byte;
                        let kept =
                            origin.filter(|_| bits >> (8 * byte) & 0xff != 0 && (is_local || is_unknown));
                        match kept {
                            Some(_) if self.len() >= MAX_BYTES => visible.is_lost |= is_unknown,
                            Some(origin) => self.insert(owner, at, origin),
                            None => self.remove(owner, at),
                        }
                    }
                }
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
        let len = u64::from(access.size) * u64::from(access.count);
        for part in spaces_of(access.space, addresses_of(&access.address, r), ctx, mask) {
            for lane in lanes(part.mask) {
                let is_outside = |at: u64| part.space == Space::Local && at >= ctx.local.bytes_per_thread();
                if is_outside(part.addresses[lane]) || self.len() >= MAX_SKIPPED_BYTES {
                    continue;
                }
                let owner = Owner::of(part.space, ctx, lane);
                (0..len).for_each(|byte| self.insert(owner, part.addresses[lane].wrapping_add(byte), origin));
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
            true => UndefinedWord::DEFINED,
            false => UndefinedWord::any_of(self.load(access, r, ctx, mask)),
        }
    }
}
