//! The size of an element in a message about memory whose declaration has no type, as compilers declare arrays.

use super::memory::ShadowMemory;
use super::patterns::ProgramPatterns;
use crate::memory::region::MemoryRegion;

/// How far from an element to look for a store that tells its type, in bytes.
const REACH: u64 = 256;

/// Names bytes, because no element has this size.
const NO_UNIT: u64 = u64::MAX;

pub(super) struct Units<'s> {
    pub(super) patterns: &'s ProgramPatterns,
    pub(super) memory: &'s mut ShadowMemory,
}

impl Units<'_> {
    /// The bytes of an element at an offset of a region, which a statement accesses `size` bytes at a time. A copy does not tell its type, so
    /// the stores to the bytes around it do.
    #[cold]
    pub(super) fn of(&mut self, statement: u32, region: MemoryRegion, index: u64, size: u32) -> u64 {
        let Units { patterns: ProgramPatterns { units, .. }, memory } = self;
        if units.is_empty() {
            return size.into();
        }
        if let Some(unit) = units.get(&statement) {
            return (*unit).into();
        }
        let Some((shadow, _)) = memory.of(region) else { return NO_UNIT };
        let around = (1..=REACH).flat_map(|distance| [index.checked_sub(distance), Some(index + distance)]);
        let unit = around.flatten().find_map(|at| units.get(&shadow.writer_of(at)?).copied());
        unit.map_or(NO_UNIT, u64::from)
    }
}
