//! Accesses before `griddepcontrol.wait` to memory that the prerequisite grid writes.

use warplens_sim_warp::finding_kind::FindingKind;

use super::event::{AccessEvent, AccessKind};
use super::happens_before::{HappensBefore, Thread};
use super::report::Report;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::registers::lanes;

/// Checks an access by threads that may not know that the prerequisite grid is complete. `writes` are the ranges that this grid
/// writes. `griddepcontrol.wait` makes the executing thread wait (PTX ISA, `griddepcontrol`), so it covers that thread and the
/// threads that synchronize with it.
#[cold]
pub(super) fn check(
    writes: &[(u64, u64)],
    event: &AccessEvent<'_>,
    sync: &HappensBefore,
    report: &mut Report,
    spaces: &Spaces,
) {
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
        let thread = Thread { warp: report.visit.warp, lane: lane as u32 };
        if !writes.iter().any(touches)
            || sync.knows_prerequisite(thread)
            || !report.note_new_race(FindingKind::PrerequisiteGrid, None)
        {
            continue;
        }
        let object = spaces.common_element(extent.region, index, event.size.into());
        let verb = if event.kind.reads() { "read" } else { "written" };
        let message = format!(
            "{object} is {verb} before `griddepcontrol.wait`\nthe prerequisite grid writes it and may still run. Execute \
                 `griddepcontrol.wait` before the access, in this thread or in one with which it synchronizes afterwards"
        );
        report.add(FindingKind::PrerequisiteGrid, message, event.mask, None);
    }
}
