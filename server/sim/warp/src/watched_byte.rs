//! Watches a byte of device memory for the last store to it.

use crate::ids::{StatementId, WarpId};
use crate::trace::LaneStore;

#[derive(Clone, Copy, Debug)]
pub struct WatchedByte {
    address: u64,
    pub last: Option<LaneStore>,
    /// Whether the byte was stored to since the last call of `take_hit`.
    is_hit: bool,
}

impl WatchedByte {
    pub fn new(address: u64) -> WatchedByte {
        WatchedByte { address, last: None, is_hit: false }
    }

    /// Whether the byte was stored to since the last call.
    pub fn take_hit(&mut self) -> bool {
        std::mem::take(&mut self.is_hit)
    }

    /// The lanes of a warp store `bytes` bytes each; `stores` has the lane and the address of each, in order.
    pub fn stored(
        &mut self,
        statement: StatementId,
        warp: WarpId,
        bytes: u64,
        stores: impl IntoIterator<Item = (u32, u64)>,
    ) {
        let is_watched = |&(_, address): &(u32, u64)| {
            self.address.checked_sub(address).is_some_and(|offset| offset < bytes)
        };
        if let Some((lane, _)) = stores.into_iter().filter(is_watched).last() {
            self.last = Some(LaneStore { statement, warp, lane });
            self.is_hit = true;
        }
    }
}
