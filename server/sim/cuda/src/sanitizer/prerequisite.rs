//! Accesses before `griddepcontrol.wait` to memory that the prerequisite grid writes.

use warplens_sim_warp::finding_kind::FindingKind;

use super::Sanitizer;
use super::event::{AccessEvent, AccessKind};
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::registers::lanes;

impl Sanitizer {
    /// Sets the ranges that the prerequisite grid writes: addresses and lengths.
    pub fn set_prerequisite_writes(&mut self, ranges: &[(u64, u64)]) {
        self.prerequisite_writes = ranges.to_vec();
    }

    /// Checks an access before any thread of the block has waited for the prerequisite grid.
    #[cold]
    pub(super) fn check_prerequisite(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        if event.kind == AccessKind::Completion || !self.checks.races {
            return;
        }
        let (origin, _) = spaces.launch.raw();
        for lane in lanes(event.mask) {
            let Some(extent) = event.extent(lane).filter(|extent| extent.region == MemoryRegion::Launch)
            else {
                continue;
            };
            let index = extent.index(event.addresses[lane]) as u64;
            let address = origin + index;
            let touches =
                |&(start, len): &(u64, u64)| address < start + len && address + event.span() > start;
            if !self.prerequisite_writes.iter().any(touches)
                || !self.reported.insert((FindingKind::PrerequisiteGrid, self.visit.statement, u32::MAX))
            {
                continue;
            }
            let object = spaces.common_element(extent.region, index, event.size.into());
            let verb = if event.kind.reads() { "read" } else { "written" };
            let message = format!(
                "{object} is {verb} before `griddepcontrol.wait`\nthe prerequisite grid writes it and may still run. Execute \
                 `griddepcontrol.wait` before the access"
            );
            self.report(FindingKind::PrerequisiteGrid, message, self.visit.statement, event.mask, None);
        }
    }
}
