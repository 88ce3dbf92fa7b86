//! Accesses before `griddepcontrol.wait` to memory that the prerequisite grid writes.

use warplens_sim_warp::finding_kind::FindingKind;

use super::event::{AccessEvent, AccessKind};
use super::report::Report;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::registers::lanes;

/// Checks an access of a block none of whose threads has waited for the prerequisite grid yet. `writes` are the ranges that this grid
/// writes.
#[cold]
pub(super) fn check(writes: &[(u64, u64)], event: &AccessEvent<'_>, report: &mut Report, spaces: &Spaces) {
    if event.kind == AccessKind::Completion {
        return;
    }
    let (origin, _) = spaces.launch.raw();
    for lane in lanes(event.mask) {
        let Some(extent) = event.extent(lane).filter(|extent| extent.region == MemoryRegion::Launch) else {
            continue;
        };
        let index = extent.index(event.addresses[lane]) as u64;
        let address = origin + index;
        let touches = |&(start, len): &(u64, u64)| address < start + len && address + event.span() > start;
        if !writes.iter().any(touches) || !report.note_new_race(FindingKind::PrerequisiteGrid, None) {
            continue;
        }
        let object = spaces.common_element(extent.region, index, event.size.into());
        let verb = if event.kind.reads() { "read" } else { "written" };
        let message = format!(
            "{object} is {verb} before `griddepcontrol.wait`\nthe prerequisite grid writes it and may still run. Execute \
                 `griddepcontrol.wait` before the access"
        );
        report.add(FindingKind::PrerequisiteGrid, message, event.mask, None);
    }
}
