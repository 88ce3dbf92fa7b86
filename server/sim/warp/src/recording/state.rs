//! Registers and memory before a step. Copies share what they have in common.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::access::{Access, Space};
use super::event::{Event, Row, Write};
use super::layout::{CellId, Layout};
use crate::ids::Mask;
use crate::lane_iter::lanes;

/// Bytes of a page.
const PAGE: u64 = 64;

/// The page with an address.
pub(super) fn page_of(address: u64) -> u64 {
    address / PAGE
}

/// A register in every lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellValue {
    /// The lanes that have written it.
    pub known: Mask,
    low: Vec<u64>,
    high: Vec<u64>,
}

impl CellValue {
    /// The value of a lane; `None` if the lane never wrote it.
    pub fn of(&self, lane: u32) -> Option<u128> {
        let part = |values: &[u64]| u128::from(values.get(lane as usize).copied().unwrap_or(0));
        (self.known >> lane & 1 == 1).then(|| part(&self.low) | part(&self.high) << 64)
    }

    fn bytes(&self) -> usize {
        size_of::<CellValue>() + 16 + 8 * (self.low.len() + self.high.len())
    }

    fn merge(&mut self, write: &Write) {
        self.known |= write.low.lanes;
        merge(&mut self.low, &write.low);
        if let Some(high) = &write.high {
            merge(&mut self.high, high);
        }
    }
}

fn merge(values: &mut Vec<u64>, row: &Row) {
    let end = (Mask::BITS - row.lanes.leading_zeros()) as usize;
    if values.len() < end {
        values.resize(end, 0);
    }
    if row.values.len() == end {
        return values[..end].copy_from_slice(&row.values);
    }
    for (lane, value) in lanes(row.lanes).zip(&row.values) {
        values[lane] = *value;
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Page {
    bytes: [u8; PAGE as usize],
    /// The bytes that have been written.
    written: u64,
}

impl Default for Page {
    fn default() -> Page {
        Page { bytes: [0; PAGE as usize], written: 0 }
    }
}

/// The registers of a warp, by number.
type Cells = Vec<Option<Arc<CellValue>>>;

/// Registers and memory. Memory has only what the launch wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    warps: Vec<Option<Arc<Cells>>>,
    pages: FxHashMap<(Space, u64, u64), Arc<Page>>,
}

impl State {
    /// The value of a register; `None` if no lane has written it.
    pub fn cell(&self, warp: u32, cell: CellId) -> Option<&CellValue> {
        self.shared_cell(warp, cell).map(|value| &**value)
    }

    pub(super) fn shared_cell(&self, warp: u32, cell: CellId) -> Option<&Arc<CellValue>> {
        self.warps.get(warp as usize)?.as_ref()?.get(cell.0 as usize)?.as_ref()
    }

    /// The byte at an address, if the launch wrote it.
    pub fn byte(&self, space: Space, owner: u64, address: u64) -> Option<u8> {
        let page = self.pages.get(&(space, owner, address / PAGE))?;
        let at = address % PAGE;
        (page.written >> at & 1 == 1).then(|| page.bytes[at as usize])
    }

    /// The state with the registers that a warp has in another one.
    #[must_use]
    pub fn with_registers_of(mut self, warp: u32, other: &State) -> State {
        let at = warp as usize;
        if self.warps.len() <= at {
            self.warps.resize(at + 1, None);
        }
        self.warps[at] = other.warps.get(at).cloned().flatten();
        self
    }

    /// Whether a byte is in the same page as in another state, unchanged since.
    pub(super) fn shares_byte(&self, other: &State, (space, owner, address): (Space, u64, u64)) -> bool {
        let page = |state: &State| state.pages.get(&(space, owner, address / PAGE)).map(Arc::as_ptr);
        page(self) == page(other)
    }

    pub(super) fn shares_cell(&self, other: &State, warp: u32, cell: CellId) -> bool {
        let value = |state: &State| state.shared_cell(warp, cell).map(Arc::as_ptr);
        value(self) == value(other)
    }

    /// The registers of warps that were written between this state and a later one, in order. The states share all others.
    pub(super) fn cells_written_until(&self, later: &State) -> Vec<(u32, CellId)> {
        let pointer = |cell: Option<&Option<Arc<CellValue>>>| cell.and_then(Option::as_ref).map(Arc::as_ptr);
        let mut cells = Vec::new();
        for (warp, now) in (0..).zip(&later.warps) {
            let Some(now) = now else { continue };
            let before = self.warps.get(warp as usize).and_then(Option::as_ref);
            if before.is_some_and(|before| Arc::ptr_eq(before, now)) {
                continue;
            }
            let held = |number: usize| pointer(before.and_then(|before| before.get(number)));
            let written = (0..now.len()).filter(|number| pointer(now.get(*number)) != held(*number));
            cells.extend(written.map(|number| (warp, CellId(number as u32))));
        }
        cells
    }

    /// The pages that were written between this state and a later one, in order. The states share all others.
    pub(super) fn pages_written_until(&self, later: &State) -> Vec<(Space, u64, u64)> {
        let is_shared = |page: &(Space, u64, u64), now: &Arc<Page>| {
            self.pages.get(page).is_some_and(|before| Arc::ptr_eq(before, now))
        };
        let written = later.pages.iter().filter(|(page, now)| !is_shared(page, now));
        let mut pages: Vec<_> = written.map(|(page, _)| *page).collect();
        pages.sort_unstable();
        pages
    }

    /// About how many bytes a copy has that shares all registers and pages.
    pub(super) fn own_bytes(&self) -> usize {
        8 * self.warps.len() + 40 * self.pages.len()
    }

    /// About how much it takes to copy the state.
    pub(super) fn size(&self) -> usize {
        self.warps.len() + 3 * self.pages.len()
    }

    /// Applies an event. Returns how many bytes it copied because another state shares them.
    pub(super) fn apply(&mut self, event: &Event<'_>, layout: &Layout) -> usize {
        let mut copied = 0;
        if let Some(activation) = event.enters {
            self.enter(event.warp, activation, event.executed, layout);
        }
        if !event.writes.is_empty() {
            for write in event.writes() {
                copied += self.write(event.warp, &write, layout.len());
            }
        }
        if event.has_accesses() {
            for access in event.accesses() {
                copied += self.store(event.warp, &access);
            }
        }
        copied
    }

    /// The registers of an activation have no values in lanes that enter it.
    pub(super) fn enter(&mut self, warp: u32, (function, depth): (u32, u32), lanes: Mask, layout: &Layout) {
        let Some(Some(registers)) = self.warps.get_mut(warp as usize) else { return };
        for (cell, _) in layout.cells().filter(|(_, cell)| cell.function == function) {
            let number = layout.at_depth(cell, depth).0 as usize;
            let holds = |value: &Arc<CellValue>| value.known & lanes != 0;
            if registers.get(number).is_some_and(|value| value.as_ref().is_some_and(holds))
                && let Some(value) = &mut Arc::make_mut(registers)[number]
            {
                Arc::make_mut(value).known &= !lanes;
            }
        }
    }

    /// Sets a register.
    pub(super) fn write(&mut self, warp: u32, write: &Write, cells: usize) -> usize {
        let mut copied = 0;
        if self.warps.len() <= warp as usize {
            self.warps.resize(warp as usize + 1, None);
        }
        let registers = self.warps[warp as usize].get_or_insert_with(|| {
            copied += 8 * cells;
            Arc::new(vec![None; cells])
        });
        if Arc::strong_count(registers) > 1 {
            copied += 8 * registers.len();
        }
        let (registers, number) = (Arc::make_mut(registers), write.cell.0 as usize);
        if registers.len() <= number {
            // The first register of a deeper activation.
            let len = (number / cells.max(1) + 1) * cells;
            copied += 8 * (len - registers.len());
            registers.resize(len, None);
        }
        let value = registers[number].get_or_insert_default();
        if Arc::strong_count(value) > 1 || value.known == 0 {
            copied += value.bytes() + 8 * write.low.values.len();
        }
        Arc::make_mut(value).merge(write);
        copied
    }

    /// Stores the data of an access.
    pub(super) fn store(&mut self, warp: u32, access: &Access) -> usize {
        let mut copied = 0;
        if access.data.is_empty() {
            return copied;
        }
        let each = access.data.chunks(access.bytes.max(1) as usize);
        for ((lane, address), data) in access.lanes.iter().zip(each) {
            let owner = access.owner_of(warp, *lane);
            copied += self.store_bytes(access.space, owner, *address, data);
        }
        copied
    }

    /// Sets the pages of memory from an address on that differ from what they held at the start of the launch.
    pub(super) fn differs(
        &mut self,
        (space, owner, address): (Space, u64, u64),
        initial: &[u8],
        bytes: &[u8],
    ) -> usize {
        let (mut at, mut copied) = (0, 0);
        while at < bytes.len() {
            let left = (PAGE - (address + at as u64) % PAGE) as usize;
            let end = bytes.len().min(at + left);
            let before = initial.get(at..end).unwrap_or_default();
            let is_same = match before.len() == end - at {
                true => before == &bytes[at..end],
                false => bytes[at..end].iter().all(|byte| *byte == 0),
            };
            if !is_same {
                copied += self.store_bytes(space, owner, address + at as u64, &bytes[at..end]);
            }
            at = end;
        }
        copied
    }

    fn store_bytes(&mut self, space: Space, owner: u64, address: u64, mut data: &[u8]) -> usize {
        let (mut at, mut copied) = (address, 0);
        while !data.is_empty() {
            let (offset, len) = ((at % PAGE) as usize, data.len().min((PAGE - at % PAGE) as usize));
            let page = self.pages.entry((space, owner, at / PAGE)).or_default();
            if Arc::strong_count(page) > 1 || page.written == 0 {
                copied += size_of::<Page>() + 48;
            }
            let page = Arc::make_mut(page);
            page.bytes[offset..offset + len].copy_from_slice(&data[..len]);
            page.written |= (u64::MAX >> (64 - len)) << offset;
            (at, data) = (at + len as u64, &data[len..]);
        }
        copied
    }
}
