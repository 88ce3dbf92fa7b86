//! Accesses of eight lanes to consecutive words. They are checked together if the words were accessed together before.

use super::page::{Cell, Cells, PAGE, Page, WORDS};
use super::{QuickLoad, Shadow, ShadowAccess};
use crate::sanitizer::row::WordRow;
use crate::sanitizer::stamp::Stamp;

impl Shadow {
    /// Weak word loads by eight lanes, the lowest of which is `access`; returns the lanes that need the full check.
    #[inline(always)]
    pub(in crate::sanitizer) fn load_eight(&mut self, indexes: &[u64; 8], access: &ShadowAccess<'_>) -> u32 {
        let start = indexes[0];
        let (mut differences, mut gaps) = (0, 0);
        for (lane, &index) in indexes.iter().enumerate() {
            differences |= index ^ start;
            gaps |= index ^ (start + 4 * lane as u64);
        }
        match (differences, gaps) {
            (0, _) => self.load_row(WordRow::Same(start), 1 << access.thread.lane, access),
            (_, 0) => self.load_row(WordRow::Consecutive(start), 1 << access.thread.lane, access),
            _ => 0xff << access.thread.lane,
        }
    }

    /// Like [`Self::load_eight`], for consecutive words. `firsts` is the mask of the lowest lanes of all rows of eight
    /// that load these words.
    #[inline(always)]
    pub(in crate::sanitizer) fn load_row(
        &mut self,
        row: WordRow,
        firsts: u32,
        access: &ShadowAccess<'_>,
    ) -> u32 {
        let (WordRow::Same(start) | WordRow::Consecutive(start)) = row;
        let all = 0xff * firsts;
        let Some((words, at)) = self.words(start) else { return all };
        if matches!(row, WordRow::Same(_)) {
            return words.cell_mut(at).load_quickly_by(all, access);
        }
        let Some(mut cells) = words.eight_mut(at) else { return all };
        // Tests all eight in one comparison.
        if *cells.shortcut == [access.sync.floor(); 8] {
            return 0;
        }
        if *cells.shortcut == [access.stamp.epoch; 8] {
            cells.add_lanes(firsts);
            return 0;
        }
        if cells.are_alike() {
            let Some(quick) = QuickLoad::of(&cells.stamps[0], cells.shortcut[0], access) else { return all };
            cells.record(quick, firsts, access);
            return 0;
        }
        words.load_each(at, firsts, *access)
    }

    /// Weak stores of eight lanes to consecutive words; `access` is the store of the lowest lane. If they need the full
    /// check, returns `false` and records nothing.
    #[inline(always)]
    pub(in crate::sanitizer) fn store_row(&mut self, row: WordRow, access: &ShadowAccess<'_>) -> bool {
        let WordRow::Consecutive(start) = row else { return false };
        let Some((words, at)) = self.words(start) else { return false };
        let Some(cells) = words.eight_mut(at) else { return false };
        let first = cells.stamps[0];
        let mut are_first = first.is_settled(access);
        for cell in &*cells.stamps {
            are_first &= cell.is_alike(&first) || cell.is_settled(access);
        }
        if !are_first {
            return false;
        }
        for (lane, cell) in (access.thread.lane..).zip(cells.stamps) {
            *cell = Cell { write: access.stamp.of_lane(lane), ..Cell::default() };
        }
        *cells.lanes = [0; 8];
        *cells.shortcut = [0; 8];
        true
    }

    /// The page of a word, if its cells are words, and the index of the word in it.
    #[inline(always)]
    fn words(&mut self, index: u64) -> Option<(&mut Cells<WORDS>, usize)> {
        match self.pages.get_mut((index / PAGE) as usize)? {
            Page::Words(words) => Some((words, (index % PAGE / 4) as usize)),
            Page::Absent | Page::Bytes(_) => None,
        }
    }
}

struct EightCells<'p> {
    stamps: &'p mut [Cell; 8],
    lanes: &'p mut [u32; 8],
    shortcut: &'p mut [u32; 8],
}

impl Cells<WORDS> {
    /// The eight cells starting at `at`, if the page contains all of them.
    #[inline(always)]
    fn eight_mut(&mut self, at: usize) -> Option<EightCells<'_>> {
        Some(EightCells {
            stamps: self.stamps.get_mut(at..at + 8)?.first_chunk_mut()?,
            lanes: self.lanes.get_mut(at..at + 8)?.first_chunk_mut()?,
            shortcut: self.shortcut.get_mut(at..at + 8)?.first_chunk_mut()?,
        })
    }

    /// Records the loads of consecutive words whose cells differ, for [`Shadow::load_row`].
    #[inline(never)]
    fn load_each(&mut self, at: usize, firsts: u32, access: ShadowAccess<'_>) -> u32 {
        let first = access.thread.lane;
        let mut unchecked = 0;
        for lane in 0..8 {
            let lanes = firsts << lane;
            let mut cell = self.cell_mut(at + lane as usize);
            unchecked |= cell.load_quickly_by(lanes, &access.of_lane(first + lane));
        }
        unchecked
    }
}

impl EightCells<'_> {
    /// Adds the lanes of several rows of eight to the readers of the cells.
    #[inline(always)]
    fn add_lanes(&mut self, firsts: u32) {
        let mut lanes = *self.lanes;
        for (lane, lanes) in lanes.iter_mut().enumerate() {
            *lanes |= firsts << lane;
        }
        *self.lanes = lanes;
    }

    /// Whether a load changes all cells alike. Consecutive words have usually been accessed together before.
    #[inline(always)]
    fn are_alike(&self) -> bool {
        let mut differences = 0;
        for (cell, shortcut) in self.stamps.iter().zip(&*self.shortcut) {
            differences |= cell.differences(&self.stamps[0]) | (shortcut ^ self.shortcut[0]);
        }
        differences == 0
    }

    /// Records a load in all cells alike, for the lanes of several rows of eight.
    #[inline(always)]
    fn record(&mut self, quick: QuickLoad, firsts: u32, access: &ShadowAccess<'_>) {
        let epoch = access.stamp.epoch;
        match quick {
            QuickLoad::Known => {}
            QuickLoad::SameWarp => {
                *self.shortcut = [epoch; 8];
                self.add_lanes(firsts);
            }
            QuickLoad::First => {
                for (lane, cell) in (access.thread.lane..).zip(&mut *self.stamps) {
                    (cell.read, cell.other) = (access.stamp.of_lane(lane), Stamp::default());
                }
                (*self.lanes, *self.shortcut) = ([0; 8], [epoch; 8]);
                self.add_lanes(firsts);
            }
            QuickLoad::SecondWarp => {
                for (lane, cell) in (access.thread.lane..).zip(&mut *self.stamps) {
                    cell.other = access.stamp.of_lane(lane);
                }
            }
            QuickLoad::ThirdWarp => *self.shortcut = [access.sync.floor(); 8],
        }
    }
}
