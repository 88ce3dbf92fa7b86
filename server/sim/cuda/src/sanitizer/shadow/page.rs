//! The shadow of a range of memory, by cell.

use std::ops::Range;

use crate::sanitizer::stamp::Stamp;

/// Bytes of memory that one page shadows.
pub(super) const PAGE: u64 = 1024;
const BYTES: usize = PAGE as usize;
pub(super) const WORDS: usize = BYTES / 4;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) write: Stamp,
    /// The first read since the write, by a warp in one epoch.
    pub(super) read: Stamp,
    /// A read by another warp, or by another lane of the same warp.
    pub(super) other: Stamp,
}

pub(super) struct CellMut<'p> {
    pub(super) stamps: &'p mut Cell,
    pub(super) lanes: &'p mut u32,
    pub(super) shortcut: &'p mut u32,
}

#[derive(Clone, Default)]
pub(super) enum Page {
    #[default]
    Absent,
    Words(Box<Cells<WORDS>>),
    Bytes(Box<Cells<BYTES>>),
}

/// The cells of a page. Data that most loads need is stored in arrays of its own, so that rows of words can be checked
/// together.
#[derive(Clone)]
pub(super) struct Cells<const N: usize> {
    pub(super) stamps: [Cell; N],
    /// The lanes that read the cell in the epoch of `read`.
    pub(super) lanes: [u32; N],
    /// The epoch of `read`, if a weak load by its warp only has to record its lane. Or the last barrier of a block, if
    /// no load has to record anything before the next barrier.
    pub(super) shortcut: [u32; N],
}

/// The memory that a cell shadows, and its size in bytes.
#[derive(Clone, Copy)]
pub(super) enum Grain {
    Byte = 1,
    Word = 4,
}

/// The cells of a page, words or bytes.
pub(super) struct PageMut<'p> {
    pub(super) grain: Grain,
    pub(super) stamps: &'p mut [Cell],
    lanes: &'p mut [u32],
    shortcut: &'p mut [u32],
}

/// Like [`PageMut`], but read-only.
pub(super) struct PageRef<'p> {
    pub(super) grain: Grain,
    pub(super) stamps: &'p [Cell],
    pub(super) lanes: &'p [u32],
}

impl Page {
    /// A page without accesses.
    pub(super) fn words() -> Page {
        Page::Words(Box::new(Cells::new()))
    }

    pub(super) fn split_into_bytes(&mut self) {
        let Page::Words(words) = self else { return };
        let mut bytes = Box::new(Cells::new());
        for at in 0..BYTES {
            bytes.stamps[at] = words.stamps[at / 4];
            bytes.lanes[at] = words.lanes[at / 4];
            bytes.shortcut[at] = words.shortcut[at / 4];
        }
        *self = Page::Bytes(bytes);
    }

    #[inline(always)]
    pub(super) fn cells_mut(&mut self) -> Option<PageMut<'_>> {
        match self {
            Page::Absent => None,
            Page::Words(cells) => Some(cells.all_mut(Grain::Word)),
            Page::Bytes(cells) => Some(cells.all_mut(Grain::Byte)),
        }
    }

    pub(super) fn cells(&self) -> Option<PageRef<'_>> {
        match self {
            Page::Absent => None,
            Page::Words(cells) => Some(cells.all(Grain::Word)),
            Page::Bytes(cells) => Some(cells.all(Grain::Byte)),
        }
    }
}

impl<const N: usize> Cells<N> {
    fn new() -> Cells<N> {
        Cells { stamps: [Cell::default(); N], lanes: [0; N], shortcut: [0; N] }
    }

    #[inline(always)]
    pub(super) fn cell_mut(&mut self, at: usize) -> CellMut<'_> {
        CellMut { stamps: &mut self.stamps[at], lanes: &mut self.lanes[at], shortcut: &mut self.shortcut[at] }
    }

    #[inline(always)]
    fn all_mut(&mut self, grain: Grain) -> PageMut<'_> {
        PageMut { grain, stamps: &mut self.stamps, lanes: &mut self.lanes, shortcut: &mut self.shortcut }
    }

    fn all(&self, grain: Grain) -> PageRef<'_> {
        PageRef { grain, stamps: &self.stamps, lanes: &self.lanes }
    }
}

impl PageMut<'_> {
    #[inline(always)]
    pub(super) fn cell_mut(&mut self, at: usize) -> CellMut<'_> {
        CellMut { stamps: &mut self.stamps[at], lanes: &mut self.lanes[at], shortcut: &mut self.shortcut[at] }
    }
}

impl Grain {
    #[inline(always)]
    pub(super) fn range(self, index: u64, span: u64) -> Range<usize> {
        let within = (index % PAGE) as usize;
        match self {
            Grain::Byte => within..within + span as usize,
            Grain::Word => within / 4..(within + span as usize).div_ceil(4),
        }
    }
}
