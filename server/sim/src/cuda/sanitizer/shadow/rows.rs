//! Accesses of eight lanes to words in a row, which are checked together where they have been accessed together before.

use super::{Access, Cell, PAGE, QuickLoad, Shadow};
use crate::cuda::sanitizer::row::Row;
use crate::cuda::sanitizer::stamp::Stamp;

impl Shadow {
    /// Weak word loads by eight lanes, the lowest of which is that of `access`; returns the lanes that need the full check.
    #[inline(always)]
    pub(in crate::cuda::sanitizer) fn load_eight(&mut self, indexes: &[u64; 8], access: &Access<'_>) -> u32 {
        let start = indexes[0];
        let (mut differences, mut gaps) = (0, 0);
        for (lane, &index) in indexes.iter().enumerate() {
            differences |= index ^ start;
            gaps |= index ^ (start + 4 * lane as u64);
        }
        match (differences, gaps) {
            (0, _) => self.load_row(Row::Same(start), access),
            (_, 0) => self.load_row(Row::Consecutive(start), access),
            _ => 0xff << access.thread.lane,
        }
    }

    /// As [`Self::load_eight`], of words in a row.
    #[inline(always)]
    pub(in crate::cuda::sanitizer) fn load_row(&mut self, row: Row, access: &Access<'_>) -> u32 {
        let (Row::Same(start) | Row::Consecutive(start)) = row;
        let first = access.thread.lane;
        let all = 0xff << first;
        let Some(page) = self.page(start).filter(|page| !page.narrow) else { return all };
        let at = (start % PAGE / 4) as usize;
        if matches!(row, Row::Same(_)) {
            return page.cell_mut(at).load_quickly_by(all, access);
        }
        if at + 8 > page.shortcut.len() {
            return all;
        }
        let (epoch, floor) = (access.stamp.epoch, access.sync.floor());
        let shortcut = &page.shortcut[at..at + 8];
        // All eight in one comparison.
        let differs = |shortcut: u32| u32::from(shortcut != epoch) & u32::from(shortcut != floor);
        if shortcut.iter().fold(0, |any, &shortcut| any | differs(shortcut)) == 0 {
            let lanes = &mut page.lanes[at..at + 8];
            for lane in 0..8 {
                lanes[lane] |= u32::from(shortcut[lane] == epoch) << first << lane;
            }
            return 0;
        }
        let of_lane = |lane: usize| access.of_lane(first + lane as u32);
        let (cells, value) = (&page.cells[at..at + 8], page.shortcut[at]);
        // Words in a row have usually been accessed together before.
        let are_alike = shortcut.iter().all(|&shortcut| shortcut == value)
            && cells.iter().all(|cell| cell.is_alike(&cells[0]));
        if are_alike {
            let Some(quick) = QuickLoad::of(&cells[0], value, access) else { return all };
            (0..8).for_each(|lane| page.cell_mut(at + lane).record(quick, &of_lane(lane)));
            return 0;
        }
        let mut unchecked = |lane: usize| !page.cell_mut(at + lane).load_quickly(&of_lane(lane));
        (0..8).fold(0, |lanes, lane| lanes | u32::from(unchecked(lane)) << (first + lane as u32))
    }

    /// Weak stores of eight lanes to words in a row, the lowest of which is that of `access`; `false`, without a record, if they
    /// need the full check.
    #[inline(always)]
    pub(in crate::cuda::sanitizer) fn store_row(&mut self, row: Row, access: &Access<'_>) -> bool {
        let Row::Consecutive(start) = row else { return false };
        let Some(page) = self.page(start).filter(|page| !page.narrow) else { return false };
        let at = (start % PAGE / 4) as usize;
        let Some(cells) = page.cells.get_mut(at..at + 8) else { return false };
        let irrelevant = |stamp: Stamp| !stamp.is_there() || access.sync.settled(stamp.epoch);
        let is_first = |cell: &Cell| [cell.write, cell.read, cell.other].into_iter().all(irrelevant);
        if !is_first(&cells[0]) || !cells.iter().all(|cell| cell.is_alike(&cells[0]) || is_first(cell)) {
            return false;
        }
        for (lane, cell) in (access.thread.lane..).zip(cells) {
            *cell = Cell { write: access.stamp.of_lane(lane), ..Cell::default() };
        }
        page.lanes[at..at + 8].fill(0);
        page.shortcut[at..at + 8].fill(0);
        true
    }
}
