//! Names the uninitialized memory that is read.

use warplens_sim_warp::finding_kind::FindingKind;

use super::event::AccessEvent;
use super::report::Report;
use super::undefined_access::UndefinedAccess;
use super::units::Units;
use crate::address::Space;
use crate::memory::local::Local;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::order::SpecialOrder;

impl UndefinedAccess {
    /// Records the name of uninitialized memory that a statement reads, in case the value turns out to matter.
    #[cold]
    pub(super) fn note(
        &mut self,
        event: &AccessEvent<'_>,
        statement: u32,
        units: &mut Units<'_>,
        spaces: &Spaces,
        local: &Local,
    ) {
        let unit = |region, index| units.of(statement, region, index, event.size);
        if !self.memory.contains_key(&statement)
            && let Some((_, title)) = self.title(event, unit, spaces, local)
        {
            self.memory.insert(statement, title);
        }
    }

    /// An instruction reads uninitialized memory, and its result is not tracked.
    pub(super) fn report(
        &self,
        event: &AccessEvent<'_>,
        report: &mut Report,
        units: &mut Units<'_>,
        spaces: &Spaces,
        local: &Local,
    ) {
        let statement = report.visit.statement;
        let unit = |region, index| units.of(statement, region, index, event.size);
        if report.note_new(FindingKind::UninitializedRead, None)
            && let Some((mask, title)) = self.title(event, unit, spaces, local)
        {
            let (kind, fix) = match report.visit.order.special {
                SpecialOrder::AsyncProduct | SpecialOrder::AsyncMatrixCopy if !self.is_passed_on => (
                    FindingKind::MatrixDescriptor,
                    "the matrix descriptor leads there; check its offsets, or write the whole matrix first",
                ),
                _ => (FindingKind::UninitializedRead, "initialize it first"),
            };
            report.add(kind, format!("{title}\n{fix}"), mask, None);
        }
    }

    /// Names the lanes that read uninitialized memory, and the memory; `unit` gives the size of an element at an offset of a region.
    fn title(
        &self,
        event: &AccessEvent<'_>,
        unit: impl FnOnce(MemoryRegion, u64) -> u64,
        spaces: &Spaces,
        local: &Local,
    ) -> Option<(u32, String)> {
        let elements = &self.uninitialized[..event.count];
        let mask = elements.iter().fold(0, |all, &mask| all | mask);
        let lane = mask.trailing_zeros();
        let element = elements.iter().position(|mask| mask >> lane & 1 == 1)?;
        let extent = event.extent(lane as usize)?;
        let size = u64::from(event.size);
        let index = extent.index(event.addresses[lane as usize]) as u64 + element as u64 * size;
        let title = match extent.region {
            MemoryRegion::Local => {
                let object = spaces.element(Space::Local, index, size, local);
                format!("{object} (local), before the thread writes it")
            }
            region => {
                let object = spaces.common_element(region, index, unit(region, index));
                match region {
                    MemoryRegion::Shared if self.is_passed_on => {
                        format!("{object} (shared), whose value comes from uninitialized memory")
                    }
                    MemoryRegion::Shared => format!("{object} (shared), before any thread writes it"),
                    _ => format!("{object} (global), before any thread writes it"),
                }
            }
        };
        Some((mask, title))
    }
}
