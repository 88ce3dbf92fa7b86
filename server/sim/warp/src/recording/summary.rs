//! What the steps of a recording did, in brief. Searches skip steps that cannot have what they look for.

use std::ops::Range;

use super::access::Space;
use super::layout::CellId;
use super::search::Place;
use super::segments::Recording;
use super::state::page_of;
use super::statements::Statements;
use crate::ids::StatementId;

/// The warps, the statements and the written registers and memory of some steps.
#[derive(Debug, Default)]
pub struct Summary {
    /// In ascending order, as are the others.
    warps: Box<[u32]>,
    statements: Statements,
    /// `None` if there are too many.
    cells: Option<Box<[(u32, CellId)]>>,
    pages: Option<Box<[(Space, u64, u64)]>>,
}

/// The most written registers, and pages, that a summary lists.
const MAX_LISTED: usize = 512;

impl Summary {
    pub fn has_warp(&self, warp: u32) -> bool {
        self.warps.binary_search(&warp).is_ok()
    }

    pub fn visits(&self, statement: StatementId) -> bool {
        self.statements.has(statement)
    }

    /// Whether a register may have been written, in any lane, or a byte.
    pub fn may_write(&self, place: Place) -> bool {
        match place {
            Place::Register { warp, cell, .. } => {
                self.cells.as_ref().is_none_or(|cells| cells.binary_search(&(warp, cell)).is_ok())
            }
            Place::Byte { space, owner, address } => self.may_write_bytes((space, owner, address), 1),
        }
    }

    /// Whether any of these bytes may have been written.
    pub fn may_write_bytes(&self, (space, owner, address): (Space, u64, u64), len: u64) -> bool {
        let last = address.saturating_add(len.max(1) - 1);
        let page = |address: u64| (space, owner, page_of(address));
        let Some(pages) = &self.pages else { return true };
        let at = pages.partition_point(|written| *written < page(address));
        pages.get(at).is_some_and(|written| *written <= page(last))
    }
}

impl Recording {
    /// A summary of the segments that have any of these steps.
    pub fn summary(&self, steps: Range<u64>) -> Summary {
        let first = self.segment_of(steps.start).unwrap_or(0);
        let end = self.segments.partition_point(|segment| segment.first < steps.end).max(first);
        let segments = &self.segments[first..end];
        let Some(before) = segments.first().map(|segment| &segment.state) else { return Summary::default() };
        let after = self.segments.get(end).map_or(&self.last, |next| &next.state);
        let mut warps: Vec<u32> = segments.iter().flat_map(|segment| &segment.warps).copied().collect();
        warps.sort_unstable();
        warps.dedup();
        let mut statements = Statements::default();
        segments.iter().for_each(|segment| statements.add_all(&segment.statements));
        let (cells, pages) = (before.cells_written_until(after), before.pages_written_until(after));
        let cells = (cells.len() <= MAX_LISTED).then(|| cells.into());
        let pages = (pages.len() <= MAX_LISTED).then(|| pages.into());
        Summary { warps: warps.into(), statements, cells, pages }
    }
}
