//! Uses of tensor maps that the device has changed.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Related;

use super::report::Report;

impl Report {
    /// A copy uses a map that was changed, without a release and an acquire of the tensormap proxy since the change.
    pub fn map_not_acquired(&mut self, changed: u32, is_released: bool, lane: usize) {
        if !self.note_new_race(FindingKind::TensorMap, Some(changed)) {
            return;
        }
        let missing = match is_released {
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
        self.add(FindingKind::TensorMap, message, 1 << lane, [related]);
    }
}
