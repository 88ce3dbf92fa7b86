//! Shadow memory: the last writer and the readers since, per word (or per byte, for narrower accesses).
//!
//! Stored in pages that are allocated on first access, within a budget; accesses beyond it are not checked.

use super::stamp::Stamp;
use std::ops::Range;

use super::happens_before::{HappensBefore, Thread};
use super::stamp::Strength;
use crate::ptx::registers::lanes;

/// Bytes of memory that one page shadows.
const PAGE: u64 = 1024;

/// The accesses to one word or byte.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Stamp,
    /// The first read since the write, by a warp in one epoch.
    read: Stamp,
    /// A read by another warp, or by another lane of the same warp.
    other: Stamp,
}

/// Shadow bytes per word or byte.
const CELL: u64 = (size_of::<Cell>() + 2 * size_of::<u32>()) as u64;

/// The shadow of a range of memory, by cell. Data that most loads need is stored separately, so that rows of words are checked
/// together.
struct Page {
    /// Whether cells are bytes.
    narrow: bool,
    cells: Vec<Cell>,
    /// The lanes that read it in the epoch of `read`.
    lanes: Vec<u32>,
    /// The epoch of `read`, if a weak load by its warp only has to record its lane; or the last barrier of a block, if no load
    /// has to record anything before the next.
    calm: Vec<u32>,
}

/// One cell of a page.
struct Known<'p> {
    cell: &'p mut Cell,
    lanes: &'p mut u32,
    calm: &'p mut u32,
}

/// The shadow of one memory region.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: Vec<Option<Box<Page>>>,
    bytes: u64,
}

/// The kinds of conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hazard {
    /// A load of a stored value.
    ReadAfterWrite,
    /// A store over a stored value.
    WriteAfterWrite,
    /// A store over a loaded value.
    WriteAfterRead,
}

/// An earlier access without synchronization before this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) clash: Hazard,
    pub(super) before: Stamp,
    /// The byte offset in the region.
    pub(super) at: u64,
    /// Whether the byte was uninitialized.
    pub(super) fresh: bool,
}

/// The access that is checked.
#[derive(Clone, Copy)]
pub(super) struct Access<'s> {
    pub(super) sync: &'s HappensBefore,
    pub(super) stamp: Stamp,
    pub(super) thread: Thread,
    /// Whether races are checked, or only initialization.
    pub(super) races: bool,
    /// Whether uninitialized contents matter.
    pub(super) fresh: bool,
}

impl Access<'_> {
    #[inline(always)]
    fn clashes(&self, before: Stamp) -> bool {
        if !before.is_there() || before.epoch == self.stamp.epoch && before.lane() == self.thread.lane {
            return false;
        }
        !self.sync.settled(before.epoch) && self.clashes_unsettled(before)
    }

    #[inline(never)]
    fn clashes_unsettled(&self, before: Stamp) -> bool {
        !self.may_be_concurrent(before) && !self.sync.ordered(before, self.thread, !self.stamp.is_weak())
    }

    fn may_be_concurrent(&self, before: Stamp) -> bool {
        let narrow = |stamp: Stamp| stamp.strength() == Strength::Block;
        let same_block =
            || self.sync.origin(before.epoch).is_none_or(|origin| origin.block == self.sync.running());
        !before.is_weak()
            && !self.stamp.is_weak()
            && (!(narrow(before) || narrow(self.stamp)) || same_block())
    }

    /// Whether another warp made this access in an epoch that this warp cannot know; may be `false` in cases where that is so.
    #[inline(always)]
    fn is_apart_from(&self, before: Stamp) -> bool {
        before.is_weak() && self.sync.is_apart(before.epoch, self.thread.warp)
    }

    /// The same access by another lane of the warp.
    #[inline(always)]
    pub(super) fn of_lane(&self, lane: u32) -> Self {
        let stamp = Stamp { site: self.stamp.site & !(31 << 2) | lane << 2, ..self.stamp };
        Access { stamp, thread: Thread { lane, ..self.thread }, ..*self }
    }

    /// The epoch, and whether it is strong: the common part of several lanes' stamps.
    #[inline(always)]
    fn same_kind(&self, stamp: Stamp) -> bool {
        stamp.epoch == self.stamp.epoch && stamp.site & 3 == self.stamp.site & 3
    }
}

impl Cell {
    #[inline(always)]
    fn was_written(&self) -> bool {
        self.write.is_there()
    }
}

impl Known<'_> {
    /// Records a load that only has to record its lane, or the first one after everything is ordered; `false` if it needs the
    /// full check.
    #[inline(always)]
    fn load_calmly(&mut self, access: &Access<'_>) -> bool {
        let (epoch, bit) = (access.stamp.epoch, 1 << access.thread.lane);
        if *self.calm == epoch {
            *self.lanes |= bit;
            return true;
        }
        if *self.calm == access.sync.floor() {
            return true;
        }
        let settled = |stamp: Stamp| access.sync.settled(stamp.epoch);
        if !settled(self.cell.write) || access.fresh && !self.cell.was_written() {
            return false;
        }
        let Cell { read, other, .. } = *self.cell;
        if access.same_kind(read) {
            *self.lanes |= bit;
        } else if settled(read) && settled(other) {
            *self.cell = Cell { read: access.stamp, other: Stamp::default(), ..*self.cell };
            *self.lanes = bit;
        } else {
            return access.is_apart_from(read) && self.load_by_another(access);
        }
        *self.calm = epoch;
        true
    }

    /// The same load by several lanes, including that of `access`; returns the lanes that need the full check.
    #[inline(always)]
    fn load_calmly_by(&mut self, lanes: u32, access: &Access<'_>) -> u32 {
        if !self.load_calmly(access) {
            return lanes;
        }
        if *self.calm == access.stamp.epoch {
            *self.lanes |= lanes;
        }
        0
    }

    /// A load of a word that another warp has read, without conflict; `false` if it needs the full check.
    #[inline(always)]
    fn load_by_another(&mut self, access: &Access<'_>) -> bool {
        let Cell { read, other, .. } = *self.cell;
        if access.same_kind(other) {
            return true;
        }
        if other.epoch == read.epoch || access.sync.settled(other.epoch) {
            self.cell.other = access.stamp;
            return true;
        }
        let third = access.is_apart_from(other);
        if third {
            *self.calm = access.sync.floor();
        }
        third
    }

    fn restamp(&mut self, writes: bool, from: Stamp, to: Stamp) {
        let stamps = match writes {
            true => [Some(&mut self.cell.write), None],
            false => [Some(&mut self.cell.read), Some(&mut self.cell.other)],
        };
        for stamp in stamps.into_iter().flatten().filter(|stamp| **stamp == from) {
            *stamp = to;
            *self.calm = 0;
        }
    }

    #[inline(always)]
    fn load(&mut self, access: &Access<'_>) -> Option<(Hazard, Stamp)> {
        if *self.calm == access.sync.floor() {
            return None;
        }
        if access.same_kind(self.cell.read) {
            let bit = 1 << access.thread.lane;
            if *self.lanes & bit != 0 {
                return None;
            }
            *self.lanes |= bit;
        } else {
            self.note_read(access);
        }
        let write = self.cell.write;
        access.clashes(write).then_some((Hazard::ReadAfterWrite, write))
    }

    #[inline(never)]
    fn note_read(&mut self, access: &Access<'_>) {
        let gone = |stamp: Stamp| {
            !stamp.is_there()
                || access.sync.settled(stamp.epoch)
                || access.sync.ordered(stamp, access.thread, false)
        };
        let Cell { write, read, other } = *self.cell;
        if gone(read) {
            self.cell.read = access.stamp;
            *self.lanes = 1 << access.thread.lane;
            *self.calm = 0;
            if gone(other) {
                self.cell.other = Stamp::default();
            }
            return;
        }
        if access.same_kind(other) {
            return;
        }
        // Two readers are recorded; readers of two warps are more informative.
        let two_warps = other.epoch != read.epoch;
        if gone(other) || !two_warps && access.stamp.epoch != read.epoch {
            self.cell.other = access.stamp;
        } else if two_warps
            && [read, other, access.stamp].iter().all(|stamp| stamp.is_weak())
            && (if write.is_there() { access.sync.settled(write.epoch) } else { !access.fresh })
        {
            *self.calm = access.sync.floor();
        }
    }

    #[inline(always)]
    fn store(&mut self, access: &Access<'_>) -> Option<(Hazard, Stamp)> {
        let write = self.cell.write;
        let clash = if access.clashes(write) {
            Some((Hazard::WriteAfterWrite, write))
        } else {
            self.reader_in_the_way(access).map(|reader| (Hazard::WriteAfterRead, reader))
        };
        *self.cell = Cell { write: access.stamp, ..Cell::default() };
        (*self.lanes, *self.calm) = (0, 0);
        clash
    }

    #[inline(always)]
    fn reader_in_the_way(&self, access: &Access<'_>) -> Option<Stamp> {
        let gone = |stamp: Stamp| !stamp.is_there() || access.sync.settled(stamp.epoch);
        if gone(self.cell.read) && gone(self.cell.other) {
            return None;
        }
        self.unsettled_reader(access)
    }

    #[inline(never)]
    fn unsettled_reader(&self, access: &Access<'_>) -> Option<Stamp> {
        let Cell { read, other, .. } = *self.cell;
        if read.is_there() && !access.sync.settled(read.epoch) {
            let others = *self.lanes & !(1 << access.thread.lane);
            let of_lane = |lane: u32| Stamp { site: read.site & !(31 << 2) | lane << 2, ..read };
            let mut candidates = std::iter::once(read.lane()).chain(lanes(others).map(|lane| lane as u32));
            if let Some(lane) = candidates.find(|&lane| access.clashes(of_lane(lane))) {
                return Some(of_lane(lane));
            }
        }
        access.clashes(other).then_some(other)
    }
}

impl Page {
    fn new() -> Page {
        let cells = (PAGE / 4) as usize;
        Page {
            narrow: false,
            cells: vec![Cell::default(); cells],
            lanes: vec![0; cells],
            calm: vec![0; cells],
        }
    }

    fn widen(&mut self) {
        self.narrow = true;
        self.cells = self.cells.iter().flat_map(|&cell| [cell; 4]).collect();
        self.lanes = self.lanes.iter().flat_map(|&lanes| [lanes; 4]).collect();
        self.calm = self.calm.iter().flat_map(|&calm| [calm; 4]).collect();
    }

    #[inline(always)]
    fn known(&mut self, at: usize) -> Known<'_> {
        Known { cell: &mut self.cells[at], lanes: &mut self.lanes[at], calm: &mut self.calm[at] }
    }

    /// The cells of an access within the page.
    #[inline(always)]
    fn range(&self, index: u64, span: u64) -> Range<usize> {
        let within = (index % PAGE) as usize;
        match self.narrow {
            true => within..within + span as usize,
            false => within / 4..(within + span as usize).div_ceil(4),
        }
    }

    /// Bytes of a cell.
    fn grain(&self) -> u64 {
        if self.narrow { 1 } else { 4 }
    }
}

impl Shadow {
    /// Host memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether all of `index..index + span` is initialized.
    pub(super) fn is_written(&mut self, index: u64, span: u64) -> bool {
        let page = self.page(index);
        page.is_none_or(|page| page.cells[page.range(index, span)].iter().all(Cell::was_written))
    }

    /// Replaces a stamp by another, except where later accesses followed.
    pub(super) fn restamp(&mut self, start: u64, len: u64, writes: bool, from: Stamp, to: Stamp) {
        let mut at = start;
        while at < start + len {
            let end = (start + len).min((at / PAGE + 1) * PAGE);
            if let Some(page) = self.page(at) {
                page.range(at, end - at).for_each(|cell| page.known(cell).restamp(writes, from, to));
            }
            at = end;
        }
    }

    /// Allocates the cells of an access; `false` if the budget is exhausted.
    #[inline(always)]
    pub(super) fn prepare(&mut self, index: u64, span: u64, budget: &mut u64) -> bool {
        match self.pages.get((index / PAGE) as usize) {
            Some(Some(page)) if page.narrow || span >= 4 => true,
            _ => self.make(index, span, budget),
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&mut self, index: u64, span: u64, budget: &mut u64) -> bool {
        let number = (index / PAGE) as usize;
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        let page = &mut self.pages[number];
        if page.is_none() {
            let bytes = PAGE / 4 * CELL;
            if *budget < bytes {
                return false;
            }
            *budget -= bytes;
            self.bytes += bytes;
            *page = Some(Box::new(Page::new()));
        }
        if let Some(page) = page.as_mut().filter(|page| span < 4 && !page.narrow) {
            let bytes = 3 * PAGE / 4 * CELL;
            if *budget < bytes {
                return false;
            }
            *budget -= bytes;
            self.bytes += bytes;
            page.widen();
        }
        true
    }

    /// Clears the accesses to memory that gets a new owner.
    pub(super) fn forget(&mut self, start: u64, len: u64) {
        let mut at = start;
        while at < start + len {
            let end = (start + len).min((at / PAGE + 1) * PAGE);
            if let Some(page) = self.page(at) {
                for cell in page.range(at, end - at) {
                    let Known { cell, lanes, calm } = page.known(cell);
                    (*cell, *lanes, *calm) = (Cell::default(), 0, 0);
                }
            }
            at = end;
        }
    }

    #[inline(always)]
    fn page(&mut self, index: u64) -> Option<&mut Page> {
        self.pages.get_mut((index / PAGE) as usize)?.as_deref_mut()
    }

    /// Weak word loads by eight lanes, the lowest of which is that of `access`; returns the lanes that need the full check.
    #[inline(always)]
    pub(super) fn load_eight(&mut self, indexes: &[u64; 8], access: &Access<'_>) -> u32 {
        let (start, first) = (indexes[0], access.thread.lane);
        let (mut apart, mut remaining) = (0, 0);
        for (lane, &index) in indexes.iter().enumerate() {
            apart |= index ^ start;
            remaining |= index ^ (start + 4 * lane as u64);
        }
        let all = 0xff << first;
        let Some(page) = self.page(start).filter(|page| !page.narrow) else { return all };
        let at = (start % PAGE / 4) as usize;
        if apart == 0 {
            return page.known(at).load_calmly_by(all, access);
        }
        if remaining != 0 || at + 8 > page.calm.len() {
            return all;
        }
        let (epoch, floor) = (access.stamp.epoch, access.sync.floor());
        let calm = &page.calm[at..at + 8];
        if calm.iter().all(|&calm| calm == epoch || calm == floor) {
            for (lane, (lanes, &calm)) in (first..).zip(page.lanes[at..].iter_mut().zip(calm)) {
                *lanes |= u32::from(calm == epoch) << lane;
            }
            return 0;
        }
        let mut closer = |lane| !page.known(at + (lane - first) as usize).load_calmly(&access.of_lane(lane));
        (first..first + 8).fold(0, |lanes, lane| lanes | u32::from(closer(lane)) << lane)
    }

    /// A weak load of one word; `false` if it needs the full check.
    #[inline(always)]
    pub(super) fn load_calmly(&mut self, index: u64, access: &Access<'_>) -> bool {
        let page = self.page(index).filter(|page| !page.narrow);
        page.is_some_and(|page| page.known((index % PAGE / 4) as usize).load_calmly(access))
    }

    /// A load of prepared cells: the first conflict, and whether all bytes are initialized.
    #[inline(always)]
    pub(super) fn load(&mut self, index: u64, span: u64, access: &Access<'_>) -> (Option<Conflict>, bool) {
        let Some(page) = self.page(index) else { return (None, true) };
        let (mut found, mut written) = (None, true);
        for (number, at) in page.range(index, span).enumerate() {
            let mut known = page.known(at);
            written &= known.cell.was_written();
            if access.races
                && let Some((clash, before)) = known.load(access)
            {
                let at = index + number as u64 * page.grain();
                found.get_or_insert(Conflict { clash, before, at, fresh: false });
            }
        }
        (found, written)
    }

    /// A store to prepared cells: the first conflict.
    #[inline(always)]
    pub(super) fn store(&mut self, index: u64, span: u64, access: &Access<'_>) -> Option<Conflict> {
        let page = self.page(index)?;
        let mut found = None;
        for (number, at) in page.range(index, span).enumerate() {
            let mut known = page.known(at);
            if !access.races {
                known.cell.write = access.stamp;
                continue;
            }
            let fresh = !known.cell.was_written();
            if let Some((clash, before)) = known.store(access) {
                let at = index + number as u64 * page.grain();
                found.get_or_insert(Conflict { clash, before, at, fresh });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgotten_memory_is_uninitialized() {
        let mut shadow = Shadow::default();
        let mut budget = u64::MAX;
        for page in 0..3 {
            assert!(shadow.prepare(page * PAGE, 4, &mut budget));
            let page = shadow.page(page * PAGE).expect("a page");
            page.cells.fill(Cell { write: Stamp::new(1, 0, 0, Strength::Weak), ..Cell::default() });
        }
        shadow.forget(8, 2 * PAGE);
        assert!(shadow.is_written(4, 4) && !shadow.is_written(8, 4));
        assert!(!shadow.is_written(2 * PAGE + 4, 4) && shadow.is_written(2 * PAGE + 8, 4));
    }
}
