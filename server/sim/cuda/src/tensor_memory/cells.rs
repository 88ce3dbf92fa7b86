//! The tensor memory of the blocks of a cluster: cells, allocations, and loads in flight.
//!
//! A block has 128 lanes of 512 columns. A cell has 32 bits. The upper half of an address is the lane, the lower half
//! the column.

use crate::grown::grown;

pub const LANES: u32 = 128;
pub const COLUMNS: u32 = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRange {
    pub rank: u32,
    pub lanes: u128,
    pub first: u32,
    pub end: u32,
}

impl CellRange {
    pub fn overlaps(&self, other: &CellRange) -> bool {
        self.rank == other.rank
            && self.lanes & other.lanes != 0
            && self.first < other.end
            && other.first < self.end
    }

    /// The parts of the range that are not in another one.
    fn without(self, other: &CellRange) -> impl Iterator<Item = CellRange> + use<> {
        let other = if self.overlaps(other) { *other } else { CellRange { lanes: 0, ..self } };
        let (first, end) = (other.first.clamp(self.first, self.end), other.end.clamp(self.first, self.end));
        let parts = [
            CellRange { end: first, ..self },
            CellRange { first: end, ..self },
            CellRange { lanes: self.lanes & !other.lanes, first, end, ..self },
        ];
        parts.into_iter().filter(|part| part.lanes != 0 && part.first < part.end)
    }
}

pub fn lane_mask(first: u32, count: u32) -> u128 {
    let ones = if count >= LANES { u128::MAX } else { (1 << count) - 1 };
    ones.checked_shl(first).unwrap_or(0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub first: u32,
    pub count: u32,
    pub warp: u32,
    pub statement: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct PendingLoad {
    pub range: CellRange,
    pub warp: u32,
    pub statement: u32,
}

/// Why a cell has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Unwritten,
    /// The product of this statement read memory that nobody has written.
    Product(u32),
}

#[derive(Clone, Debug, Default)]
pub struct BlockCells {
    /// Indexed by column, then by lane; empty until the first allocation.
    cells: Vec<u32>,
    /// For each column, the lanes that were written since the allocation.
    written: Vec<u128>,
    /// Written cells whose value depends on memory that nobody has written, each range with the statement of the product.
    undefined: Vec<(CellRange, u32)>,
    pub allocations: Vec<Allocation>,
    /// Columns that the other block of the pair allocated for both, and that this block has not allocated yet.
    pub offered: Vec<(u32, u32)>,
    /// The first allocation, and the smallest number of columns that was ever allocated.
    pub earlier: Option<(Allocation, u32)>,
    /// The statement that gave up the right to allocate.
    pub relinquished: Option<u32>,
    /// Whether the first instruction had `cta_group::2`, and the statement of that instruction.
    pub group: Option<(bool, u32)>,
    pub loads: Vec<PendingLoad>,
}

impl BlockCells {
    pub fn is_free(&self, first: u32, count: u32) -> bool {
        let taken = self.allocations.iter().map(|one| (one.first, one.count));
        taken
            .chain(self.offered.iter().copied())
            .all(|(other, columns)| first >= other + columns || other >= first + count)
    }

    /// Allocates columns, whose contents are undefined.
    pub fn allocate(&mut self, allocation: Allocation) {
        self.cells.resize((LANES * COLUMNS) as usize, 0);
        self.written.resize(COLUMNS as usize, 0);
        self.written[allocation.first as usize..][..allocation.count as usize].fill(0);
        let end = allocation.first + allocation.count;
        self.undefined.retain(|(range, _)| range.end <= allocation.first || range.first >= end);
        self.allocations.push(allocation);
        let least = self.earlier.map_or(allocation.count, |(_, least)| least.min(allocation.count));
        let first = self.earlier.map_or(allocation, |(first, _)| first);
        self.earlier = Some((first, least));
    }

    fn bytes(&self) -> u64 {
        (size_of_val(self.cells.as_slice()) + size_of_val(self.written.as_slice())) as u64
    }

    pub fn is_allocated(&self, first: u32, end: u32) -> bool {
        let holds = |column: u32| {
            self.allocations.iter().any(|one| (one.first..one.first + one.count).contains(&column))
        };
        end <= COLUMNS && (first..end).all(holds)
    }

    /// The value of a cell; 0 before the first allocation.
    pub fn get(&self, lane: u32, column: u32) -> u32 {
        self.cells.get((column * LANES + lane) as usize).copied().unwrap_or(0)
    }

    pub fn set(&mut self, lane: u32, column: u32, value: u32) {
        if let Some(cell) = self.cells.get_mut((column * LANES + lane) as usize) {
            *cell = value;
        }
    }

    /// An operation gives cells a value that depends on memory that nobody has written.
    pub fn note_undefined(&mut self, range: CellRange, statement: u32) {
        self.undefined.push((range, statement));
    }

    /// An operation gives cells a value that does not depend on their old one.
    pub fn note_defined(&mut self, range: &CellRange) {
        if self.undefined.iter().any(|(undefined, _)| undefined.overlaps(range)) {
            let old = std::mem::take(&mut self.undefined);
            self.undefined = old
                .into_iter()
                .flat_map(|(undefined, statement)| {
                    undefined.without(range).map(move |rest| (rest, statement))
                })
                .collect();
        }
    }

    /// The product that made a cell undefined.
    pub fn undefined_by(&self, lane: u32, column: u32) -> Option<u32> {
        let holds = |range: &CellRange| {
            range.lanes.checked_shr(lane).is_some_and(|lanes| lanes & 1 == 1)
                && (range.first..range.end).contains(&column)
        };
        self.undefined.iter().find(|(range, _)| holds(range)).map(|(_, statement)| *statement)
    }

    pub fn has_undefined(&self) -> bool {
        !self.undefined.is_empty()
    }

    pub fn note_written(&mut self, range: &CellRange) {
        for column in range.first..range.end {
            if let Some(written) = self.written.get_mut(column as usize) {
                *written |= range.lanes;
            }
        }
    }

    fn is_written(&self, lane: u32, column: u32) -> bool {
        self.written
            .get(column as usize)
            .is_some_and(|lanes| lanes.checked_shr(lane).is_some_and(|lanes| lanes & 1 == 1))
    }

    /// Why a cell has no value.
    pub fn lack(&self, lane: u32, column: u32) -> Option<Lack> {
        match self.is_written(lane, column) {
            true => self.undefined_by(lane, column).map(Lack::Product),
            false => Some(Lack::Unwritten),
        }
    }

    /// The first cell in a range that no operation has written.
    pub fn unwritten(&self, range: &CellRange) -> Option<(u32, u32)> {
        (range.first..range.end).find_map(|column| {
            let missing = range.lanes & !self.written.get(column as usize).copied().unwrap_or(0);
            (missing != 0).then(|| (missing.trailing_zeros(), column))
        })
    }
}

#[derive(Clone, Debug, Default)]
pub struct TensorMemory(Vec<BlockCells>);

impl TensorMemory {
    pub fn block(&mut self, rank: u32) -> &mut BlockCells {
        grown(&mut self.0, rank)
    }

    /// The blocks, up to the last one that has used its tensor memory.
    pub fn blocks(&self) -> &[BlockCells] {
        &self.0
    }

    /// Bytes of host memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(BlockCells::bytes).sum()
    }

    /// A load in flight that overlaps the range.
    pub fn load_of(&self, range: &CellRange) -> Option<&PendingLoad> {
        self.0.get(range.rank as usize)?.loads.iter().find(|load| load.range.overlaps(range))
    }
}
