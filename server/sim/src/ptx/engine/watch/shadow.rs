//! Shadow memory: for each word (or byte, where accesses are narrower) who wrote it last and who has read it since.
//!
//! Kept in pages that are made when they are first touched, within a bound; beyond it, accesses go by unwatched.

use super::sync::{Sync, Thread};

/// Bytes of memory that one page shadows.
const PAGE: u64 = 1024;

/// An access: when, where, by whom, and of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) epoch: u32,
    /// Statement, lane, strength.
    site: u32,
}

/// Whether an access may meet another without being a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    Weak = 0,
    /// It may meet accesses of its own block.
    Block = 1,
    Device = 2,
}

impl Stamp {
    pub(super) fn new(epoch: u32, statement: u32, lane: u32, strength: Strength) -> Stamp {
        Stamp { epoch, site: statement << 7 | lane << 2 | strength as u32 }
    }

    pub(super) fn statement(self) -> u32 {
        self.site >> 7
    }

    pub(super) fn lane(self) -> u32 {
        self.site >> 2 & 31
    }

    pub(super) fn strength(self) -> Strength {
        match self.site & 3 {
            0 => Strength::Weak,
            1 => Strength::Block,
            _ => Strength::Device,
        }
    }

    fn is_weak(self) -> bool {
        self.site & 3 == 0
    }

    fn is_there(self) -> bool {
        self.epoch != 0
    }
}

/// What is known of one word or byte.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Stamp,
    /// The first read since, by a warp in one epoch …
    read: Stamp,
    /// … and the lanes of that warp that read it in that epoch.
    lanes: u32,
    /// A read by another warp, or by another lane of the same.
    other: Stamp,
    /// Since this barrier of the block nothing more needs to be noted about reads.
    settled: u32,
}

struct Page {
    /// Whether there is a cell a byte.
    narrow: bool,
    cells: Vec<Cell>,
}

/// The shadow of one stretch of memory.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: Vec<Option<Box<Page>>>,
    bytes: u64,
}

/// What clashes in a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clash {
    /// A load of what was stored.
    ReadAfterWrite,
    /// A store over what was stored.
    WriteAfterWrite,
    /// A store over what was loaded.
    WriteAfterRead,
}

/// An earlier access that nothing orders before this one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) clash: Clash,
    pub(super) before: Stamp,
    /// The byte, from the start of the bank.
    pub(super) at: u64,
    /// Whether nobody had written it yet.
    pub(super) fresh: bool,
}

/// The access that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Access<'s> {
    pub(super) sync: &'s Sync,
    pub(super) stamp: Stamp,
    pub(super) thread: Thread,
    /// Whether races matter, or only what was written.
    pub(super) races: bool,
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
        !self.may_meet(before) && !self.sync.ordered(before, self.thread, !self.stamp.is_weak())
    }

    fn may_meet(&self, before: Stamp) -> bool {
        let narrow = |stamp: Stamp| stamp.strength() == Strength::Block;
        let same_block =
            || self.sync.origin(before.epoch).is_none_or(|origin| origin.block == self.sync.running());
        !before.is_weak()
            && !self.stamp.is_weak()
            && (!(narrow(before) || narrow(self.stamp)) || same_block())
    }

    /// The epoch, and whether it is strong: what lanes of one stamp have in common.
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

    fn restamp(&mut self, writes: bool, from: Stamp, to: Stamp) {
        let stamps = match writes {
            true => [Some(&mut self.write), None],
            false => [Some(&mut self.read), Some(&mut self.other)],
        };
        for stamp in stamps.into_iter().flatten().filter(|stamp| **stamp == from) {
            *stamp = to;
        }
    }

    #[inline(always)]
    fn load(&mut self, access: &Access<'_>) -> Option<(Clash, Stamp)> {
        if self.settled == access.sync.floor() && self.settled != 0 {
            return None;
        }
        if access.same_kind(self.read) {
            let bit = 1 << access.thread.lane;
            if self.lanes & bit != 0 {
                return None;
            }
            self.lanes |= bit;
        } else {
            self.note_read(access);
        }
        access.clashes(self.write).then_some((Clash::ReadAfterWrite, self.write))
    }

    #[inline(never)]
    fn note_read(&mut self, access: &Access<'_>) {
        let gone = |stamp: Stamp| {
            !stamp.is_there()
                || access.sync.settled(stamp.epoch)
                || access.sync.ordered(stamp, access.thread, false)
        };
        if gone(self.read) {
            self.read = access.stamp;
            self.lanes = 1 << access.thread.lane;
            if gone(self.other) {
                self.other = Stamp::default();
            }
            return;
        }
        if access.same_kind(self.other) {
            return;
        }
        // Two readers are kept; they say more if they are of two warps.
        let two_warps = self.other.epoch != self.read.epoch;
        if gone(self.other) || !two_warps && access.stamp.epoch != self.read.epoch {
            self.other = access.stamp;
        } else if two_warps
            && [self.read, self.other, access.stamp].iter().all(|stamp| stamp.is_weak())
            && (!self.was_written() || access.sync.settled(self.write.epoch))
        {
            self.settled = access.sync.floor();
        }
    }

    #[inline(always)]
    fn store(&mut self, access: &Access<'_>) -> Option<(Clash, Stamp)> {
        let clash = if access.clashes(self.write) {
            Some((Clash::WriteAfterWrite, self.write))
        } else {
            self.reader_in_the_way(access).map(|reader| (Clash::WriteAfterRead, reader))
        };
        *self = Cell { write: access.stamp, ..Cell::default() };
        clash
    }

    #[inline(always)]
    fn reader_in_the_way(&self, access: &Access<'_>) -> Option<Stamp> {
        let gone = |stamp: Stamp| !stamp.is_there() || access.sync.settled(stamp.epoch);
        if gone(self.read) && gone(self.other) {
            return None;
        }
        self.unsettled_reader(access)
    }

    #[inline(never)]
    fn unsettled_reader(&self, access: &Access<'_>) -> Option<Stamp> {
        if self.read.is_there() && !access.sync.settled(self.read.epoch) {
            let others = self.lanes & !(1 << access.thread.lane);
            let first = self.read.lane();
            let of_lane = |lane: u32| Stamp { site: self.read.site & !(31 << 2) | lane << 2, ..self.read };
            let mut candidates =
                std::iter::once(first).chain(crate::ptx::registers::lanes(others).map(|lane| lane as u32));
            if let Some(lane) = candidates.find(|&lane| access.clashes(of_lane(lane))) {
                return Some(of_lane(lane));
            }
        }
        access.clashes(self.other).then_some(self.other)
    }
}

impl Page {
    fn widen(&mut self) {
        self.narrow = true;
        self.cells = self.cells.iter().flat_map(|&cell| [cell; 4]).collect();
    }
}

impl Shadow {
    /// What it takes of the host's memory.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether all of `index..index + span` was ever written.
    pub(super) fn is_written(&mut self, index: u64, span: u64) -> bool {
        self.cells(index, span).is_none_or(|(_, cells)| cells.iter().all(Cell::was_written))
    }

    /// What was accessed under one stamp was so under another, except where others came since.
    pub(super) fn restamp(&mut self, start: u64, len: u64, writes: bool, from: Stamp, to: Stamp) {
        let mut at = start;
        while at < start + len {
            let end = (start + len).min((at / PAGE + 1) * PAGE);
            if let Some((_, cells)) = self.cells(at, end - at) {
                cells.iter_mut().for_each(|cell| cell.restamp(writes, from, to));
            }
            at = end;
        }
    }

    /// Makes the cells of an access there; `false` if there is no room for them.
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
        let size = size_of::<Cell>() as u64;
        let number = (index / PAGE) as usize;
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        let page = &mut self.pages[number];
        if page.is_none() {
            let bytes = PAGE / 4 * size;
            if *budget < bytes {
                return false;
            }
            *budget -= bytes;
            self.bytes += bytes;
            let cells = vec![Cell::default(); (PAGE / 4) as usize];
            *page = Some(Box::new(Page { narrow: false, cells }));
        }
        if let Some(page) = page.as_mut().filter(|page| span < 4 && !page.narrow) {
            let bytes = 3 * PAGE / 4 * size;
            if *budget < bytes {
                return false;
            }
            *budget -= bytes;
            self.bytes += bytes;
            page.widen();
        }
        true
    }

    /// Nobody has accessed what begins there: it is memory of somebody else from now on.
    pub(super) fn forget(&mut self, start: u64, len: u64) {
        let mut at = start;
        while at < start + len {
            let end = (start + len).min((at / PAGE + 1) * PAGE);
            if let Some((_, cells)) = self.cells(at, end - at) {
                cells.fill(Cell::default());
            }
            at = end;
        }
    }

    #[inline(always)]
    fn cells(&mut self, index: u64, span: u64) -> Option<(u64, &mut [Cell])> {
        let page = self.pages.get_mut((index / PAGE) as usize)?.as_mut()?;
        let within = (index % PAGE) as usize;
        let span = span as usize;
        Some(match page.narrow {
            true => (1, &mut page.cells[within..within + span]),
            false => (4, &mut page.cells[within / 4..(within + span).div_ceil(4)]),
        })
    }

    /// A load of one word of which nothing but the lane is to be noted; `false` if it must be looked at closer.
    #[inline(always)]
    pub(super) fn load_calmly(&mut self, index: u64, maybe_unwritten: bool, access: &Access<'_>) -> bool {
        let page = self.pages.get_mut((index / PAGE) as usize).and_then(Option::as_deref_mut);
        let Some(page) = page.filter(|page| !page.narrow) else { return false };
        let cell = &mut page.cells[(index % PAGE / 4) as usize];
        if !(maybe_unwritten || cell.was_written()) {
            return false;
        }
        if cell.settled == access.sync.floor() && cell.settled != 0 {
            return true;
        }
        let calm = access.same_kind(cell.read) && access.sync.settled(cell.write.epoch);
        if calm {
            cell.lanes |= 1 << access.thread.lane;
        }
        calm
    }

    /// A load of prepared cells: the first conflict, and whether all bytes were ever written.
    #[inline(always)]
    pub(super) fn load(&mut self, index: u64, span: u64, access: &Access<'_>) -> (Option<Conflict>, bool) {
        let Some((size, cells)) = self.cells(index, span) else { return (None, true) };
        let (mut found, mut written) = (None, true);
        for (number, cell) in cells.iter_mut().enumerate() {
            written &= cell.was_written();
            if access.races
                && let Some((clash, before)) = cell.load(access)
            {
                found.get_or_insert(Conflict {
                    clash,
                    before,
                    at: index + number as u64 * size,
                    fresh: false,
                });
            }
        }
        (found, written)
    }

    /// A store to prepared cells: the first conflict.
    #[inline(always)]
    pub(super) fn store(&mut self, index: u64, span: u64, access: &Access<'_>) -> Option<Conflict> {
        let (size, cells) = self.cells(index, span)?;
        let mut found = None;
        for (number, cell) in cells.iter_mut().enumerate() {
            if !access.races {
                cell.write = access.stamp;
                continue;
            }
            let fresh = !cell.was_written();
            if let Some((clash, before)) = cell.store(access) {
                found.get_or_insert(Conflict { clash, before, at: index + number as u64 * size, fresh });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_was_never_written() {
        let mut shadow = Shadow::default();
        let mut budget = u64::MAX;
        for page in 0..3 {
            assert!(shadow.prepare(page * PAGE, 4, &mut budget));
            let (_, cells) = shadow.cells(page * PAGE, PAGE).expect("a page");
            cells.fill(Cell { write: Stamp::new(1, 0, 0, Strength::Weak), ..Cell::default() });
        }
        shadow.forget(8, 2 * PAGE);
        assert!(shadow.is_written(4, 4) && !shadow.is_written(8, 4));
        assert!(!shadow.is_written(2 * PAGE + 4, 4) && shadow.is_written(2 * PAGE + 8, 4));
    }
}
