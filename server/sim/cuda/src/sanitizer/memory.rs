//! The shadows of the memory that several threads access.

use warplens_sim_warp::finding_kind::FindingKind;

use super::report::Report;
use super::shadow::Shadow;
use crate::memory::region::MemoryRegion;

#[derive(Default)]
pub(crate) struct ShadowMemory {
    pub(super) shared: Shadow,
    pub(super) launch: Shadow,
    pub(super) globals: Shadow,
    pub(crate) budget: u64,
    /// Whether it was reported that the budget is exhausted.
    pub(super) exhausted: bool,
}

impl ShadowMemory {
    /// The shadow of a region, and the bytes left for shadow memory.
    #[inline(always)]
    pub(super) fn of(&mut self, region: MemoryRegion) -> Option<(&mut Shadow, &mut u64)> {
        let shadow = match region {
            MemoryRegion::Shared => &mut self.shared,
            MemoryRegion::Launch => &mut self.launch,
            MemoryRegion::Globals => &mut self.globals,
            MemoryRegion::Constants | MemoryRegion::Params | MemoryRegion::Local => return None,
        };
        Some((shadow, &mut self.budget))
    }

    #[cold]
    pub(super) fn exhaust(&mut self, report: &mut Report) {
        if !std::mem::replace(&mut self.exhausted, true) {
            let message = "from here on, races and uninitialized reads may be missed\n\
                           memory that was not accessed before is not checked; use a smaller launch";
            report.add(FindingKind::ShadowLimit, message, 0, None);
        }
    }

    /// Bytes left for shadow memory; `None` if the budget was exhausted.
    pub(crate) fn left(&self) -> Option<u64> {
        (!self.exhausted).then_some(self.budget)
    }
}
