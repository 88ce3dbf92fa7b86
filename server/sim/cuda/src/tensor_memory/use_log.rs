//! What a block allocated in its tensor memory and how it used the cells, for hovers.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::cells::{Allocation, CellRange};

/// Maximum number of allocations, and of uses, to keep per block; the first ones are kept.
const MAX_ENTRIES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellRole {
    /// The result of a product.
    D,
    /// A factor of a product.
    A,
    Metadata,
    ScaleOfA,
    ScaleOfB,
    Copied,
    Loaded,
    Stored,
}

impl CellRole {
    pub fn name(self) -> &'static str {
        match self {
            CellRole::D => "D",
            CellRole::A => "A",
            CellRole::Metadata => "the metadata",
            CellRole::ScaleOfA => "the scale factors of A",
            CellRole::ScaleOfB => "the scale factors of B",
            CellRole::Copied | CellRole::Stored => "the destination",
            CellRole::Loaded => "the source",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellUse {
    pub role: CellRole,
    pub range: CellRange,
    pub statement: u32,
}

impl CellUse {
    /// The lanes of the cells. Scale factors are in all four groups of 32 lanes; checks look only at the first group.
    pub fn lanes(&self) -> u128 {
        let lanes = self.range.lanes;
        match self.role {
            CellRole::ScaleOfA | CellRole::ScaleOfB => lanes | lanes << 32 | lanes << 64 | lanes << 96,
            _ => lanes,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedAllocation {
    pub allocation: Allocation,
    pub freed: Option<u32>,
}

impl LoggedAllocation {
    pub fn columns(&self) -> Range<u32> {
        self.allocation.first..self.allocation.first + self.allocation.count
    }
}

#[derive(Clone, Debug, Default)]
pub struct UseLog {
    /// In program order.
    pub allocations: Vec<LoggedAllocation>,
    /// The uses, with the number of times that each occurred.
    uses: FxHashMap<CellUse, u64>,
    pub is_truncated: bool,
}

impl UseLog {
    pub fn allocated(&mut self, allocation: Allocation) {
        match self.allocations.len() < MAX_ENTRIES {
            true => self.allocations.push(LoggedAllocation { allocation, freed: None }),
            false => self.is_truncated = true,
        }
    }

    /// A statement frees the allocation that starts at this column.
    pub fn freed(&mut self, first: u32, statement: u32) {
        let mut last = self.allocations.iter_mut().rev();
        if let Some(logged) = last.find(|it| it.allocation.first == first && it.freed.is_none()) {
            logged.freed = Some(statement);
        }
    }

    pub fn used(&mut self, cells: CellUse) {
        let is_full = self.uses.len() >= MAX_ENTRIES;
        match self.uses.get_mut(&cells) {
            Some(count) => *count += 1,
            None if is_full => self.is_truncated = true,
            None => drop(self.uses.insert(cells, 1)),
        }
    }

    /// The uses with the number of times that each occurred, sorted by role and position.
    pub fn uses(&self) -> Vec<(CellUse, u64)> {
        let mut uses: Vec<_> = self.uses.iter().map(|(cells, count)| (*cells, *count)).collect();
        uses.sort_unstable();
        uses
    }

    /// The statements that allocate, free or use cells, in program order.
    pub fn statements(&self) -> Vec<u32> {
        let allocations = self.allocations.iter().flat_map(|it| [Some(it.allocation.statement), it.freed]);
        let used = self.uses.keys().map(|cells| Some(cells.statement));
        let mut all: Vec<u32> = allocations.chain(used).flatten().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
