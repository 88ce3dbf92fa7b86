//! Shadow memory: the last writer and later readers of each word, or of each byte for narrower accesses.
//!
//! It is stored in pages that are allocated on first access, within a budget. Accesses beyond the budget are not
//! checked.

mod hidden_writes;
mod page;
mod rows;

use self::hidden_writes::HiddenWrites;
use self::page::{Cell, CellMut, PAGE, Page, PageMut, PageRef};
use super::happens_before::{HappensBefore, Thread};
use super::stamp::{KIND, Stamp, Strength};
use crate::grown::grown;
use crate::registers::lanes;

/// Bytes of shadow per word or byte of memory.
const CELL: u64 = (size_of::<Cell>() + 2 * size_of::<u32>()) as u64;

#[derive(Clone, Default)]
pub(crate) struct Shadow {
    pages: Vec<Page>,
    hidden: HiddenWrites,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hazard {
    /// A load of a value that the other access stored.
    ReadAfterWrite,
    /// A store over a value that the other access stored.
    WriteAfterWrite,
    /// A store over a value that the other access loaded.
    WriteAfterRead,
}

/// An earlier access that nothing orders before this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) hazard: Hazard,
    pub(super) before: Stamp,
    /// The byte offset in the region.
    pub(super) at: u64,
    pub(super) uninitialized: bool,
}

impl Conflict {
    /// Whether both have the same hazard with the same statement.
    pub(super) fn is_like(&self, other: &Conflict) -> bool {
        self.hazard == other.hazard && self.before.statement() == other.before.statement()
    }
}

#[derive(Clone, Copy)]
pub(super) struct ShadowAccess<'s> {
    pub(super) sync: &'s HappensBefore,
    pub(super) stamp: Stamp,
    pub(super) thread: Thread,
    /// Whether races are checked as well as initialization.
    pub(super) races: bool,
    /// Whether it matters that the contents are uninitialized.
    pub(super) needs_initialized: bool,
}

impl ShadowAccess<'_> {
    #[inline(always)]
    fn conflicts_with(&self, before: Stamp) -> bool {
        if !before.is_there() || before.epoch == self.stamp.epoch && before.lane() == self.thread.lane {
            return false;
        }
        !self.sync.settled(before.epoch) && self.conflicts_unsettled(before)
    }

    #[inline(always)]
    fn conflicting(&self, before: Option<Stamp>) -> Option<Stamp> {
        before.filter(|before| self.conflicts_with(*before))
    }

    #[inline(never)]
    fn conflicts_unsettled(&self, before: Stamp) -> bool {
        !self.may_be_concurrent(before) && !self.sync.ordered(before, self.thread, !self.stamp.is_weak())
    }

    fn may_be_concurrent(&self, before: Stamp) -> bool {
        let block_scope = |stamp: Stamp| stamp.strength() == Strength::Block;
        let same_block =
            || self.sync.origin(before.epoch).is_none_or(|origin| origin.block == self.sync.running());
        !before.is_weak()
            && !self.stamp.is_weak()
            && !before.differs_in_size(self.stamp)
            && (!(block_scope(before) || block_scope(self.stamp)) || same_block())
    }

    /// Whether another warp made this access in an epoch that this warp cannot know. May return `false` even if so.
    #[inline(always)]
    fn is_unsynchronized(&self, before: Stamp) -> bool {
        before.is_weak() && self.sync.is_unsynchronized(before.epoch, self.thread.warp)
    }

    #[inline(always)]
    pub(super) fn of_lane(&self, lane: u32) -> Self {
        ShadowAccess { stamp: self.stamp.of_lane(lane), thread: Thread { lane, ..self.thread }, ..*self }
    }

    /// Whether the epoch, the strength and the size agree, which is all that the stamps of several lanes have in common.
    #[inline(always)]
    fn same_kind(&self, stamp: Stamp) -> bool {
        stamp.epoch == self.stamp.epoch && stamp.site & KIND == self.stamp.site & KIND
    }
}

/// What a load that needs no full check has to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuickLoad {
    Known,
    /// Its lane, in the epoch of the first read.
    SameWarp,
    /// Itself, as the first read after everything was ordered.
    First,
    /// Itself, as a read by a second warp.
    SecondWarp,
    /// A shortcut: no load has to record anything before the next barrier.
    ThirdWarp,
}

impl QuickLoad {
    /// What a load has to record in a cell; `None` if it needs the full check. The result may depend only on the parts
    /// of the stamps that [`Cell::is_alike`] compares.
    #[inline(always)]
    fn of(cell: &Cell, shortcut: u32, access: &ShadowAccess<'_>) -> Option<QuickLoad> {
        if shortcut == access.stamp.epoch {
            return Some(QuickLoad::SameWarp);
        }
        if shortcut == access.sync.floor() {
            return Some(QuickLoad::Known);
        }
        let settled = |stamp: Stamp| access.sync.settled(stamp.epoch);
        let Cell { write, read, other } = *cell;
        if !settled(write) || access.needs_initialized && !cell.was_written() {
            None
        } else if access.same_kind(read) {
            Some(QuickLoad::SameWarp)
        } else if settled(read) && settled(other) {
            Some(QuickLoad::First)
        } else if !access.is_unsynchronized(read) {
            None
        } else if access.same_kind(other) {
            Some(QuickLoad::Known)
        } else if other.epoch == read.epoch || settled(other) {
            Some(QuickLoad::SecondWarp)
        } else {
            access.is_unsynchronized(other).then_some(QuickLoad::ThirdWarp)
        }
    }
}

impl Cell {
    /// Whether the stamps of both cells agree in everything but statement and lane.
    #[inline(always)]
    fn is_alike(&self, cell: &Cell) -> bool {
        self.differences(cell) == 0
    }

    /// Returns 0 exactly if [`Self::is_alike`].
    #[inline(always)]
    fn differences(&self, cell: &Cell) -> u32 {
        let differ = |a: Stamp, b: Stamp| (a.epoch ^ b.epoch) | (a.site ^ b.site) & KIND;
        differ(self.write, cell.write) | differ(self.read, cell.read) | differ(self.other, cell.other)
    }

    #[inline(always)]
    fn was_written(&self) -> bool {
        self.write.is_there()
    }

    /// Whether every thread of the running block knows all accesses of the cell. May return `false` even if so.
    #[inline(always)]
    fn is_settled(&self, access: &ShadowAccess<'_>) -> bool {
        let settled = |stamp: Stamp| !stamp.is_there() | access.sync.settled(stamp.epoch);
        settled(self.write) & settled(self.read) & settled(self.other)
    }
}

impl CellMut<'_> {
    /// Records a load that only has to record its lane, or that is the first one after everything was ordered. Returns
    /// `false` if the load needs the full check.
    #[inline(always)]
    fn load_quickly(&mut self, access: &ShadowAccess<'_>) -> bool {
        let Some(quick) = QuickLoad::of(self.stamps, *self.shortcut, access) else { return false };
        self.record(quick, access);
        true
    }

    #[inline(always)]
    fn record(&mut self, quick: QuickLoad, access: &ShadowAccess<'_>) {
        let (epoch, bit) = (access.stamp.epoch, 1 << access.thread.lane);
        match quick {
            QuickLoad::Known => {}
            QuickLoad::SameWarp => (*self.lanes, *self.shortcut) = (*self.lanes | bit, epoch),
            QuickLoad::First => {
                *self.stamps = Cell { read: access.stamp, other: Stamp::default(), ..*self.stamps };
                (*self.lanes, *self.shortcut) = (bit, epoch);
            }
            QuickLoad::SecondWarp => self.stamps.other = access.stamp,
            QuickLoad::ThirdWarp => *self.shortcut = access.sync.floor(),
        }
    }

    /// The same load by `lanes`, which include the lane of `access`; returns the lanes that need the full check.
    #[inline(always)]
    fn load_quickly_by(&mut self, lanes: u32, access: &ShadowAccess<'_>) -> u32 {
        if !self.load_quickly(access) {
            return lanes;
        }
        if *self.shortcut == access.stamp.epoch {
            *self.lanes |= lanes;
        }
        0
    }

    fn restamp(&mut self, writes: bool, from: Stamp, to: u32) {
        let stamps = match writes {
            true => [Some(&mut self.stamps.write), None],
            false => [Some(&mut self.stamps.read), Some(&mut self.stamps.other)],
        };
        for stamp in stamps.into_iter().flatten().filter(|stamp| stamp.is_of_same_access(from)) {
            stamp.epoch = to;
            *self.shortcut = 0;
        }
    }

    #[inline(always)]
    fn load(&mut self, access: &ShadowAccess<'_>) -> Option<(Hazard, Stamp)> {
        if *self.shortcut == access.sync.floor() {
            return None;
        }
        if access.same_kind(self.stamps.read) {
            let bit = 1 << access.thread.lane;
            if *self.lanes & bit != 0 {
                return None;
            }
            *self.lanes |= bit;
        } else {
            self.record_reader(access);
        }
        let write = self.stamps.write;
        access.conflicts_with(write).then_some((Hazard::ReadAfterWrite, write))
    }

    #[inline(never)]
    fn record_reader(&mut self, access: &ShadowAccess<'_>) {
        // A strong read does not stand for the weak one before it: another strong access may race only with the latter.
        let stands_for = |stamp: Stamp| access.stamp.is_weak() || !stamp.is_weak();
        let irrelevant = |stamp: Stamp| {
            !stamp.is_there()
                || access.sync.settled(stamp.epoch)
                || stands_for(stamp) && access.sync.ordered(stamp, access.thread, false)
        };
        let Cell { write, read, other } = *self.stamps;
        if irrelevant(read) {
            self.stamps.read = access.stamp;
            *self.lanes = 1 << access.thread.lane;
            *self.shortcut = 0;
            if irrelevant(other) {
                self.stamps.other = Stamp::default();
            }
            return;
        }
        if access.same_kind(other) {
            return;
        }
        // Only two readers are recorded; readers from two warps tell more.
        let two_warps = other.epoch != read.epoch;
        if irrelevant(other) || !two_warps && access.stamp.epoch != read.epoch {
            self.stamps.other = access.stamp;
        } else if two_warps
            && [read, other, access.stamp].iter().all(|stamp| stamp.is_weak())
            && (if write.is_there() { access.sync.settled(write.epoch) } else { !access.needs_initialized })
        {
            *self.shortcut = access.sync.floor();
        }
    }

    #[inline(always)]
    fn store(&mut self, access: &ShadowAccess<'_>) -> Option<(Hazard, Stamp)> {
        let write = self.stamps.write;
        let hazard = if access.conflicts_with(write) {
            Some((Hazard::WriteAfterWrite, write))
        } else {
            self.conflicting_reader(access).map(|reader| (Hazard::WriteAfterRead, reader))
        };
        *self.stamps = Cell { write: access.stamp, ..Cell::default() };
        (*self.lanes, *self.shortcut) = (0, 0);
        hazard
    }

    #[inline(always)]
    fn conflicting_reader(&self, access: &ShadowAccess<'_>) -> Option<Stamp> {
        let irrelevant = |stamp: Stamp| !stamp.is_there() || access.sync.settled(stamp.epoch);
        if irrelevant(self.stamps.read) && irrelevant(self.stamps.other) {
            return None;
        }
        self.unsettled_reader(access)
    }

    #[inline(never)]
    fn unsettled_reader(&self, access: &ShadowAccess<'_>) -> Option<Stamp> {
        let Cell { read, other, .. } = *self.stamps;
        if read.is_there() && !access.sync.settled(read.epoch) {
            let others = *self.lanes & !(1 << access.thread.lane);
            let mut candidates = std::iter::once(read.lane()).chain(lanes(others).map(|lane| lane as u32));
            if let Some(lane) = candidates.find(|&lane| access.conflicts_with(read.of_lane(lane))) {
                return Some(read.of_lane(lane));
            }
        }
        access.conflicts_with(other).then_some(other)
    }
}

impl Shadow {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether all of `index..index + span` is initialized.
    pub(super) fn is_written(&mut self, index: u64, span: u64) -> bool {
        let page = self.page(index);
        page.is_none_or(|page| page.stamps[page.grain.range(index, span)].iter().all(Cell::was_written))
    }

    /// The statement that last wrote a byte.
    pub(super) fn writer_of(&mut self, index: u64) -> Option<u32> {
        let page = self.page(index)?;
        let write = page.stamps[page.grain.range(index, 1)].first()?.write;
        write.is_there().then(|| write.statement())
    }

    /// Moves an access to another epoch, unless a later access has overwritten its stamp.
    pub(super) fn restamp(&mut self, start: u64, len: u64, writes: bool, from: Stamp, to: u32) {
        self.for_each_cell(start, len, |mut cell| cell.restamp(writes, from, to));
    }

    /// The first write in a range for which `is_wanted` holds, and its offset.
    pub(super) fn find_write(
        &self,
        start: u64,
        len: u64,
        is_wanted: impl Fn(Stamp) -> bool,
    ) -> Option<(Stamp, u64)> {
        self.find(start, len, |page, cell| Some(page.stamps[cell].write).filter(|write| is_wanted(*write)))
    }

    /// Whether nothing in a range was written.
    pub(super) fn is_unwritten(&self, start: u64, len: u64) -> bool {
        let mut at = start;
        while at < start + len {
            let end = (start + len).min((at / PAGE + 1) * PAGE);
            if self.find_write(at, end - at, Stamp::is_there).is_some() {
                return false;
            }
            at = end;
        }
        true
    }

    /// The first recorded read in a range for which `is_wanted` holds, and its offset.
    pub(super) fn find_read(
        &self,
        start: u64,
        len: u64,
        is_wanted: impl Fn(Stamp) -> bool,
    ) -> Option<(Stamp, u64)> {
        self.find(start, len, |page, cell| {
            let Cell { read, other, .. } = page.stamps[cell];
            let of_lanes = lanes(page.lanes[cell]).map(|lane| read.of_lane(lane as u32));
            of_lanes.chain([other]).find(|read| is_wanted(*read))
        })
    }

    /// The first cell with a wanted stamp in an access that does not cross a page, and its offset.
    fn find(
        &self,
        start: u64,
        len: u64,
        wanted: impl Fn(&PageRef<'_>, usize) -> Option<Stamp>,
    ) -> Option<(Stamp, u64)> {
        let page = self.pages.get((start / PAGE) as usize)?.cells()?;
        let mut cells = page.grain.range(start, len.min(PAGE - start % PAGE));
        let (stamp, cell) = cells.find_map(|cell| Some((wanted(&page, cell)?, cell)))?;
        Some((stamp, start / PAGE * PAGE + cell as u64 * page.grain as u64))
    }

    /// Allocates the cells of an access; `false` if the budget is exhausted.
    #[inline(always)]
    pub(super) fn prepare(&mut self, index: u64, span: u64, budget: &mut u64) -> bool {
        match self.pages.get((index / PAGE) as usize) {
            Some(Page::Bytes(_)) => true,
            Some(Page::Words(_)) if span >= 4 => true,
            _ => self.allocate(index, span, budget),
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate(&mut self, index: u64, span: u64, budget: &mut u64) -> bool {
        let mut charge = |bytes| {
            let affordable = *budget >= bytes;
            if affordable {
                *budget -= bytes;
                self.bytes += bytes;
            }
            affordable
        };
        let page = grown(&mut self.pages, (index / PAGE) as u32);
        if matches!(page, Page::Absent) {
            if !charge(PAGE / 4 * CELL) {
                return false;
            }
            *page = Page::words();
        }
        if span < 4 && matches!(page, Page::Words(_)) {
            if !charge(3 * PAGE / 4 * CELL) {
                return false;
            }
            page.split_into_bytes();
        }
        true
    }

    /// Forgets the accesses to memory that gets a new owner.
    pub(super) fn clear(&mut self, start: u64, len: u64) {
        self.hidden.clear(start, len);
        self.for_each_cell(start, len, |cell| {
            (*cell.stamps, *cell.lanes, *cell.shortcut) = (Cell::default(), 0, 0);
        });
    }

    fn for_each_cell(&mut self, start: u64, len: u64, mut action: impl FnMut(CellMut<'_>)) {
        let mut at = start;
        while at < start + len {
            let end = (start + len).min((at / PAGE + 1) * PAGE);
            if let Some(mut page) = self.page(at) {
                page.grain.range(at, end - at).for_each(|cell| action(page.cell_mut(cell)));
            }
            at = end;
        }
    }

    #[inline(always)]
    fn page(&mut self, index: u64) -> Option<PageMut<'_>> {
        self.pages.get_mut((index / PAGE) as usize)?.cells_mut()
    }

    /// A weak load of one word; `false` if it needs the full check.
    #[inline(always)]
    pub(super) fn load_quickly(&mut self, index: u64, access: &ShadowAccess<'_>) -> bool {
        let Some(Page::Words(words)) = self.pages.get_mut((index / PAGE) as usize) else { return false };
        words.cell_mut((index % PAGE / 4) as usize).load_quickly(access)
    }

    /// Checks an access to prepared cells: reports conflicts, and returns whether all bytes that it reads are initialized. A load reports its
    /// first conflict; a store all with the statement of the first one, because some of its elements may store what is there.
    #[inline(always)]
    pub(super) fn check(
        &mut self,
        reads: bool,
        index: u64,
        span: u64,
        access: &ShadowAccess<'_>,
        mut found: impl FnMut(Conflict),
    ) -> bool {
        if !reads {
            self.store(index, span, access, found);
            return true;
        }
        let (conflict, initialized) = self.load(index, span, access);
        if let Some(conflict) = conflict {
            found(conflict);
        }
        initialized
    }

    #[inline(always)]
    fn load(&mut self, index: u64, span: u64, access: &ShadowAccess<'_>) -> (Option<Conflict>, bool) {
        let Shadow { pages, hidden, .. } = self;
        let page = pages.get_mut((index / PAGE) as usize).and_then(Page::cells_mut);
        let Some(mut page) = page else { return (None, true) };
        let (mut found, mut written) = (None, true);
        for (number, cell) in page.grain.range(index, span).enumerate() {
            let at = index + number as u64 * page.grain as u64;
            let mut cell = page.cell_mut(cell);
            written &= cell.stamps.was_written();
            if !access.races {
                continue;
            }
            let before = cell.load(access);
            let hidden = || Some((Hazard::ReadAfterWrite, access.conflicting(hidden.of(at, access.stamp))?));
            if let Some((hazard, before)) = before.or_else(hidden) {
                found.get_or_insert(Conflict { hazard, before, at, uninitialized: false });
            }
        }
        (found, written)
    }

    #[inline(always)]
    fn store(&mut self, index: u64, span: u64, access: &ShadowAccess<'_>, mut found: impl FnMut(Conflict)) {
        let Shadow { pages, hidden, .. } = self;
        let Some(mut page) = pages.get_mut((index / PAGE) as usize).and_then(Page::cells_mut) else { return };
        let mut first: Option<Conflict> = None;
        for (number, cell) in page.grain.range(index, span).enumerate() {
            let at = index + number as u64 * page.grain as u64;
            let mut cell = page.cell_mut(cell);
            if !access.races {
                cell.stamps.write = access.stamp;
                continue;
            }
            let (write, uninitialized) = (cell.stamps.write, !cell.stamps.was_written());
            let before = cell.store(access);
            let before = before.or_else(|| {
                Some((Hazard::WriteAfterWrite, access.conflicting(hidden.of(at, access.stamp))?))
            });
            hidden.replaced(at, write, access.stamp, |epoch| access.sync.settled(epoch));
            if let Some((hazard, before)) = before {
                let conflict = Conflict { hazard, before, at, uninitialized };
                if first.get_or_insert(conflict).is_like(&conflict) {
                    found(conflict);
                }
            }
        }
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
            page.stamps.fill(Cell { write: Stamp::new(1, 0, 0, Strength::Weak), ..Cell::default() });
        }
        shadow.clear(8, 2 * PAGE);
        assert!(shadow.is_written(4, 4) && !shadow.is_written(8, 4));
        assert!(!shadow.is_written(2 * PAGE + 4, 4) && shadow.is_written(2 * PAGE + 8, 4));
    }
}
