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
    fn clashes(&self, before: Stamp) -> bool {
        if !before.is_there() || before.epoch == self.stamp.epoch && before.lane() == self.thread.lane {
            return false;
        }
        !self.sync.settled(before.epoch) && self.clashes_unsettled(before)
    }

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
    fn same_kind(&self, stamp: Stamp) -> bool {
        stamp.epoch == self.stamp.epoch && stamp.site & 3 == self.stamp.site & 3
    }
}

impl Cell {
    fn was_written(&self) -> bool {
        self.write.is_there()
    }

    #[inline]
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

    #[inline]
    fn store(&mut self, access: &Access<'_>) -> Option<(Clash, Stamp)> {
        let clash = if access.clashes(self.write) {
            Some((Clash::WriteAfterWrite, self.write))
        } else {
            self.reader_in_the_way(access).map(|reader| (Clash::WriteAfterRead, reader))
        };
        *self = Cell { write: access.stamp, ..Cell::default() };
        clash
    }

    fn reader_in_the_way(&self, access: &Access<'_>) -> Option<Stamp> {
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

    /// Makes the cells of an access there; `false` if there is no room for them.
    pub(super) fn prepare(&mut self, index: u64, span: u64, budget: &mut u64) -> bool {
        let size = size_of::<Cell>() as u64;
        let narrow = span < 4;
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
        if let Some(page) = page.as_mut().filter(|page| narrow && !page.narrow) {
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

    #[inline]
    fn cells(&mut self, index: u64, span: u64) -> Option<(u64, &mut [Cell])> {
        let page = self.pages.get_mut((index / PAGE) as usize)?.as_mut()?;
        let within = (index % PAGE) as usize;
        let span = span as usize;
        Some(match page.narrow {
            true => (1, &mut page.cells[within..within + span]),
            false => (4, &mut page.cells[within / 4..(within + span).div_ceil(4)]),
        })
    }

    /// A load of prepared cells: the first conflict, and whether all bytes were ever written.
    #[inline]
    pub(super) fn load(&mut self, index: u64, span: u64, access: &Access<'_>) -> (Option<Conflict>, bool) {
        let Some((size, cells)) = self.cells(index, span) else { return (None, true) };
        let (mut found, mut written) = (None, true);
        for (number, cell) in cells.iter_mut().enumerate() {
            written &= cell.was_written();
            if access.races
                && let Some((clash, before)) = cell.load(access)
            {
                found.get_or_insert(Conflict { clash, before, at: index + number as u64 * size });
            }
        }
        (found, written)
    }

    /// A store to prepared cells: the first conflict.
    #[inline]
    pub(super) fn store(&mut self, index: u64, span: u64, access: &Access<'_>) -> Option<Conflict> {
        let (size, cells) = self.cells(index, span)?;
        let mut found = None;
        for (number, cell) in cells.iter_mut().enumerate() {
            if !access.races {
                cell.write = access.stamp;
            } else if let Some((clash, before)) = cell.store(access) {
                found.get_or_insert(Conflict { clash, before, at: index + number as u64 * size });
            }
        }
        found
    }
}
