//! Loads and stores of words in the shared memory of the running block.
//!
//! The addresses of all lanes are checked together. If any of them is invalid nothing happens, and the general access that
//! follows reports what is wrong.

use pulp::Simd;
use warplens_sim_cuda::address::Relative;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::{FULL, PerLane, Registers, WIDTH, each, lanes, lanes_where};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::row::WordRow;
use warplens_sim_cuda::slot::RegisterSlot;
use warplens_sim_warp::trace::StatementId;

use super::context::ExecContext;
use crate::program::{Access, Element, Function, Op};

/// Runs the load at `pc`; `false` if an address is not a word's, or if the sanitizer must examine each lane. Not inlined
/// into the loop of a run, whose other operations need less stack.
#[inline(never)]
pub(super) fn load<S: Simd>(
    simd: S,
    function: &Function,
    pc: usize,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    simd.vectorize(
        #[inline(always)]
        || {
            let access = WordAccess::check(simd, function, pc, r, ctx, mask, Sanitizer::loaded_rows);
            let Some(WordAccess { slot, shared, offsets, rows }) = access else { return false };
            match &rows {
                Some(rows) => load_rows(shared.words, rows, &mut r.words[slot]),
                None => {
                    for lane in lanes(mask) {
                        r.words[slot][lane] = u32::from_le_bytes(shared.words[offsets[lane] as usize / 4]);
                    }
                }
            }
            true
        },
    )
}

/// Runs the store at `pc`; where lanes store to the same word, the highest lane wins. `false` in the same cases as [`load`].
#[inline(never)]
pub(super) fn store<S: Simd>(
    simd: S,
    function: &Function,
    pc: usize,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> bool {
    simd.vectorize(
        #[inline(always)]
        || {
            let compares = ctx.spaces.compares_stores;
            let access = WordAccess::check(simd, function, pc, r, ctx, mask, Sanitizer::stored_rows);
            let Some(WordAccess { slot, shared, offsets, rows }) = access else { return false };
            let would_change =
                |lane: usize| shared.words[offsets[lane] as usize / 4] != r.words[slot][lane].to_le_bytes();
            let changes = !compares || lanes(mask).any(would_change);
            match &rows {
                Some(rows) => store_rows(shared.words, rows, &r.words[slot]),
                None => {
                    for lane in lanes(mask) {
                        shared.words[offsets[lane] as usize / 4] = r.words[slot][lane].to_le_bytes();
                    }
                }
            }
            ctx.spaces.changes += u64::from(changes);
            true
        },
    )
}

struct WordAccess<'s> {
    slot: usize,
    shared: SharedWords<'s>,
    offsets: PerLane<u32>,
    rows: Option<[WordRow; 4]>,
}

impl<'s> WordAccess<'s> {
    /// Checks the addresses of all lanes, and reports the access to the sanitizer with `report`.
    #[inline(always)]
    fn check<S: Simd>(
        simd: S,
        function: &Function,
        pc: usize,
        r: &Registers,
        ctx: &'s mut ExecContext<'_>,
        mask: u32,
        report: impl FnOnce(&mut Sanitizer, &[WordRow; 4]) -> bool,
    ) -> Option<WordAccess<'s>> {
        let (Op::Load(id) | Op::Store(id)) = function.code[pc].op else { return None };
        let access = &function.tables[id];
        let [Some(Element { place: RegisterSlot::Word(slot), .. })] = access.elements[..] else {
            return None;
        };
        let shared = SharedWords::new(ctx.spaces);
        let offsets = shared.offsets(access, r);
        let rows = if mask == FULL { rows(simd, &offsets) } else { None };
        if !shared.contain_words(simd, &offsets, &rows, mask) {
            return None;
        }
        if let Some(sanitizer) = &mut ctx.sanitizer {
            let rows = rows.as_ref().filter(|_| !shared.is_in_cluster)?;
            let statement = StatementId(function.first_statement + pc as u32);
            sanitizer.begin(statement, &function.orders[pc], ctx.warp, ctx.live, mask);
            if !report(sanitizer, rows) {
                return None;
            }
        }
        Some(WordAccess { slot: slot as usize, shared, offsets, rows })
    }
}

/// Byte offset of each lane within its group of eight consecutive words.
const STEPS: PerLane<u32> = {
    let mut steps = [0; WIDTH];
    let mut lane = 0;
    while lane < WIDTH {
        steps[lane] = 4 * (lane as u32 % 8);
        lane += 1;
    }
    steps
};

/// The row that each eight lanes access, by their offsets; `None` if any eight lanes do not form a row.
#[inline(always)]
fn rows<S: Simd>(simd: S, offsets: &PerLane<u32>) -> Option<[WordRow; 4]> {
    let mut starts = [0; WIDTH];
    for (start, eight) in starts.as_chunks_mut::<8>().0.iter_mut().zip(offsets.as_chunks::<8>().0) {
        *start = [eight[0]; 8];
    }
    let same = lanes_where(simd, |lane| offsets[lane] == starts[lane]);
    let consecutive = lanes_where(simd, |lane| offsets[lane] == starts[lane].wrapping_add(STEPS[lane]));
    let mut rows = [WordRow::Same(0); 4];
    for (number, row) in rows.iter_mut().enumerate() {
        let start = u64::from(offsets[8 * number]);
        *row = match (same >> (8 * number) & 0xff, consecutive >> (8 * number) & 0xff) {
            (0xff, _) => WordRow::Same(start),
            (_, 0xff) => WordRow::Consecutive(start),
            _ => return None,
        };
    }
    Some(rows)
}

#[inline(always)]
fn load_rows(words: &[[u8; 4]], rows: &[WordRow; 4], values: &mut PerLane<u32>) {
    for (eight, row) in values.as_chunks_mut::<8>().0.iter_mut().zip(rows) {
        let (WordRow::Same(start) | WordRow::Consecutive(start)) = *row;
        let words = &words[start as usize / 4..];
        let first = u32::from_le_bytes(words[0]);
        let Some(words) = words.first_chunk::<8>() else {
            *eight = [first; 8];
            continue;
        };
        // Both kinds of rows share one path without a jump, and all words are loaded first, so that the loop becomes vector
        // code.
        let is_same = u32::from(matches!(row, WordRow::Same(_))).wrapping_neg();
        let words = words.map(u32::from_le_bytes);
        *eight = words.map(|word| first & is_same | word & !is_same);
    }
}

#[inline(always)]
fn store_rows(words: &mut [[u8; 4]], rows: &[WordRow; 4], values: &PerLane<u32>) {
    for (eight, row) in values.as_chunks::<8>().0.iter().zip(rows) {
        match *row {
            WordRow::Same(start) => words[start as usize / 4] = eight[7].to_le_bytes(),
            WordRow::Consecutive(start) => {
                let words = &mut words[start as usize / 4..][..8];
                words.iter_mut().zip(eight).for_each(|(word, value)| *word = value.to_le_bytes());
            }
        }
    }
}

struct SharedWords<'s> {
    words: &'s mut [[u8; 4]],
    /// The address of the first word.
    base: u32,
    is_in_cluster: bool,
}

impl<'s> SharedWords<'s> {
    #[inline(always)]
    fn new(spaces: &'s mut Spaces) -> SharedWords<'s> {
        let (size, rank) = (spaces.window.size as usize, spaces.window.rank as usize);
        let own = spaces.shared.get_mut(rank * size..(rank + 1) * size).unwrap_or_default();
        let base = spaces.window.own_base();
        SharedWords { words: own.as_chunks_mut().0, base, is_in_cluster: spaces.window.blocks > 1 }
    }

    #[inline(always)]
    fn offsets(&self, access: &Access, r: &Registers) -> PerLane<u32> {
        let address = &access.address;
        let Some(RegisterSlot::Word(slot)) = address.base else { return [u32::MAX; _] };
        let start = if address.relative == Relative::Block { 0 } else { self.base };
        let (bases, offset) = (&r.words[slot as usize], (address.offset as u32).wrapping_sub(start));
        match address.scale {
            1 => each(|lane| bases[lane].wrapping_add(offset)),
            scale => each(|lane| bases[lane].wrapping_mul(scale).wrapping_add(offset)),
        }
    }

    /// Whether the offsets of the lanes of `mask` are valid words.
    #[inline(always)]
    fn contain_words<S: Simd>(
        &self,
        simd: S,
        offsets: &PerLane<u32>,
        rows: &Option<[WordRow; 4]>,
        mask: u32,
    ) -> bool {
        let Some(rows) = rows else {
            let end = 4 * self.words.len() as u32;
            let wrong = lanes_where(simd, |lane| (offsets[lane] & 3 != 0) | (offsets[lane] >= end));
            return wrong & mask == 0;
        };
        let mut are_words = true;
        for row in rows {
            let (start, words) = match *row {
                WordRow::Same(start) => (start, 1),
                WordRow::Consecutive(start) => (start, 8),
            };
            are_words &= start % 4 == 0 && start / 4 + words <= self.words.len() as u64;
        }
        are_words
    }
}
