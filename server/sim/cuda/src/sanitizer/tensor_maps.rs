//! Uses of tensor maps that the device has changed.
//!
//! Copies read maps through the tensormap proxy. After a change, a release and an acquire of that proxy must precede the use. A
//! change in the epoch of the fence itself does not count as later: a missing fence may be overlooked, but none is invented.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Related;

use super::Sanitizer;
use super::stamp::{IN_FLIGHT, Stamp};
use crate::async_ops::operation::MemoryPosition;
use crate::tensor::map;

impl Sanitizer {
    pub fn released_maps(&mut self) {
        self.maps.released = self.sync.latest();
    }

    pub fn acquired_map(&mut self, map: MemoryPosition) {
        self.maps.acquired.insert((map.region, map.index as u64), self.maps.released);
    }

    /// A copy uses a map in global memory.
    pub fn used_map(&mut self, map: MemoryPosition, lane: usize) {
        let (region, index) = (map.region, map.index as u64);
        let acquired = self.maps.acquired.get(&(region, index)).copied().unwrap_or(0);
        let Some((shadow, _)) = self.memory.of(region) else { return };
        let is_pending = |write: Stamp| (acquired + 1..IN_FLIGHT).contains(&write.epoch);
        let Some((change, _)) = shadow.find_write(index, map::BYTES as u64, is_pending) else { return };
        let changed = change.statement();
        if !self.report.note_new_race(FindingKind::TensorMap, Some(changed)) {
            return;
        }
        let missing = match change.epoch <= self.maps.released {
            true => "`fence.proxy.tensormap::generic.acquire` of the map is missing before the copy",
            false => {
                "`fence.proxy.tensormap::generic.release` is missing after the change, and \
                 `fence.proxy.tensormap::generic.acquire` of the map before the copy"
            }
        };
        let message = format!(
            "a copy uses a tensor map that was changed, without a fence of its proxy\ncopies read maps through the tensormap \
             proxy and may see the old map: {missing}"
        );
        let related = Related::new(changed, "the map is changed here");
        self.report.add(FindingKind::TensorMap, message, 1 << lane, [related]);
    }
}
