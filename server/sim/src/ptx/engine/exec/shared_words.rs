//! Loads and stores of words in the shared memory of the running block.
//!
//! The addresses of all lanes are checked together. Where one of them is not valid, nothing happens, and the general access, which
//! follows, finds out what is wrong.

use pulp::{NullaryFnOnce, Simd};

use super::context::ExecContext;
use crate::cuda::address::{Address, Relative};
use crate::cuda::memory::spaces::Spaces;
use crate::cuda::registers::{FULL, Lanes, Registers, blend, each, lanes};
use crate::cuda::sanitizer::row::Row;
use crate::cuda::slot::RegisterSlot;
use crate::ptx::program::{Access, Element, Function};
use crate::trace::StatementId;

/// Runs the load at `pc`; `false` if an address is not that of a word, or the sanitizer must look at each lane. Not inlined into
/// the loop of a run, whose other operations need less of the stack.
#[inline(never)]
pub(super) fn load<S: Simd>(
    simd: S,
    function: &Function,
    pc: usize,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    simd.vectorize(Load { function, pc, r, ctx, mask })
}

/// Runs the store at `pc`, in the highest lane last; `false` if an address is not that of a word, or the sanitizer must know.
#[inline(never)]
pub(super) fn store<S: Simd>(
    simd: S,
    function: &Function,
    pc: usize,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    ctx.sanitizer.is_none() && simd.vectorize(Store { function, pc, r, spaces: ctx.spaces, mask })
}

struct Load<'a, 'w> {
    function: &'a Function,
    pc: usize,
    r: &'a mut Registers,
    ctx: &'a mut ExecContext<'w>,
    mask: u32,
}

impl NullaryFnOnce for Load<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Load { function, pc, r, ctx, mask } = self;
        let access = access_of(function, pc);
        let words = SharedWords::new(ctx.spaces);
        let (Some(slot), Some(indexes)) = (register(access), words.indexes(&access.address, r, mask)) else {
            return false;
        };
        if ctx.sanitizer.is_some() && !record_load(function, pc, &indexes, ctx, mask) {
            return false;
        }
        let words = SharedWords::new(ctx.spaces).words;
        blend(&mut r.words[slot], mask, |lane| u32::from_le_bytes(words[indexes[lane] as usize]));
        true
    }
}

/// Records a load of all lanes with the sanitizer; `false` if it needs the general check.
#[inline(always)]
fn record_load(
    function: &Function,
    pc: usize,
    indexes: &Lanes<u32>,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    let Some(rows) = rows(indexes).filter(|_| mask == FULL) else { return false };
    let Some(sanitizer) = &mut ctx.sanitizer else { return true };
    let statement = StatementId(function.first_statement + pc as u32);
    sanitizer.begin(statement, function.orders[pc], ctx.warp, ctx.live, mask);
    sanitizer.loaded_rows(&rows, ctx.spaces)
}

/// The rows of eight lanes, by their words; `None` if the words of eight lanes are in no row.
#[inline(always)]
fn rows(indexes: &Lanes<u32>) -> Option<[Row; 4]> {
    let mut rows = [Row::Same(0); 4];
    let mut scattered = 0;
    for (row, eight) in rows.iter_mut().zip(indexes.as_chunks::<8>().0) {
        let first = eight[0];
        let (mut differences, mut gaps) = (0, 0);
        for (lane, &index) in eight.iter().enumerate() {
            differences |= index ^ first;
            gaps |= index ^ (first + lane as u32);
        }
        let start = 4 * u64::from(first);
        *row = if differences == 0 { Row::Same(start) } else { Row::Consecutive(start) };
        scattered |= differences.min(gaps);
    }
    (scattered == 0).then_some(rows)
}

struct Store<'a> {
    function: &'a Function,
    pc: usize,
    r: &'a Registers,
    spaces: &'a mut Spaces,
    mask: u32,
}

impl NullaryFnOnce for Store<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Store { function, pc, r, spaces, mask } = self;
        let access = access_of(function, pc);
        let shared = SharedWords::new(spaces);
        let (Some(slot), Some(indexes)) = (register(access), shared.indexes(&access.address, r, mask)) else {
            return false;
        };
        for lane in lanes(mask) {
            shared.words[indexes[lane] as usize] = r.words[slot][lane].to_le_bytes();
        }
        spaces.changes += 1;
        true
    }
}

/// The shared memory of the running block as words.
struct SharedWords<'s> {
    words: &'s mut [[u8; 4]],
    /// The address of the first one.
    base: u32,
}

impl<'s> SharedWords<'s> {
    /// The words of the running block.
    #[inline(always)]
    fn new(spaces: &'s mut Spaces) -> SharedWords<'s> {
        let (size, rank) = (spaces.window.size as usize, spaces.window.rank as usize);
        let own = spaces.shared.get_mut(rank * size..(rank + 1) * size).unwrap_or_default();
        let base = spaces.window.own_base();
        SharedWords { words: own.as_chunks_mut().0, base }
    }

    /// The words at the addresses of the lanes of `mask`, the first word in the other lanes; `None` if an address is not that
    /// of a word.
    #[inline(always)]
    fn indexes(&self, address: &Address, r: &Registers, mask: u32) -> Option<Lanes<u32>> {
        let Some(RegisterSlot::Word(slot)) = address.base else { return None };
        let start = if address.relative == Relative::Block { 0 } else { self.base };
        let (bases, offset) = (&r.words[slot as usize], (address.offset as u32).wrapping_sub(start));
        let mut offsets: Lanes<u32> =
            each(|lane| bases[lane].wrapping_mul(address.scale).wrapping_add(offset));
        if mask != FULL {
            let all = offsets;
            offsets = [0; _];
            blend(&mut offsets, mask, |lane| all[lane]);
        }
        let (mut bits, mut top) = (0, 0);
        for &at in &offsets {
            (bits, top) = (bits | at, top.max(at));
        }
        let is_inside = bits & 3 == 0 && (top as usize) < 4 * self.words.len();
        is_inside.then(|| each(|lane| offsets[lane] / 4))
    }
}

#[inline(always)]
fn access_of(function: &Function, pc: usize) -> &Access {
    &function.tables.accesses[function.code[pc].s.a as usize]
}

/// The register of an access of one word.
#[inline(always)]
fn register(access: &Access) -> Option<usize> {
    match access.elements[..] {
        [Some(Element { place: RegisterSlot::Word(slot), .. })] => Some(slot as usize),
        _ => None,
    }
}
