//! The accesses of the running statement, for a recording.

use super::event::{AccessEvent, AccessKind};
use crate::memory::region::MemoryRegion;
use crate::registers::lanes;

/// An access of lanes to one region.
#[derive(Clone, Debug)]
pub struct ListedAccess {
    pub region: MemoryRegion,
    pub reads: bool,
    pub writes: bool,
    pub bytes: u64,
    /// Lanes and offsets in the region.
    pub lanes: Vec<(u32, usize)>,
}

/// Appends an access, separately for each region.
pub(super) fn list(listed: &mut Vec<ListedAccess>, event: &AccessEvent<'_>) {
    let (reads, bytes) = (event.kind.reads(), event.span());
    let writes = !reads;
    let reads =
        reads || matches!(event.kind, AccessKind::Atomic | AccessKind::Exchange | AccessKind::Completion);
    let before = listed.len();
    for lane in lanes(event.mask) {
        let Some(extent) = event.extent(lane) else { continue };
        let at = (lane as u32, extent.index(event.addresses[lane]));
        match listed[before..].iter_mut().find(|access| access.region == extent.region) {
            Some(access) => access.lanes.push(at),
            None => {
                listed.push(ListedAccess { region: extent.region, reads, writes, bytes, lanes: vec![at] });
            }
        }
    }
}
