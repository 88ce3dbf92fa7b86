//! Warps of which a single lane can run: copies and their states.

use super::launch::Launch;
use super::warp::Warp;

/// A copy of the warp without what it has recorded, if a single lane can run.
pub(super) fn copy(warp: &Warp, launch: &Launch<'_>) -> Option<Warp> {
    if !warp.machine.has_lone_lane() {
        return None;
    }
    let mut copy = Warp::new(launch, warp.id.cta, warp.id.warp, None);
    copy.recorder = launch.silent_recorder();
    (copy.tracer, copy.listed, copy.written) = (None, false, None);
    (copy.live, copy.calls, copy.reduced) = (warp.live, warp.calls, warp.reduced);
    copy.machine.clone_from(&warp.machine);
    copy.registers.clone_from(&warp.registers);
    copy.local.clone_from(&warp.local);
    copy.undefined.clone_from(&warp.undefined);
    Some(copy)
}

/// Whether two copies of a warp execute the same from now on, as long as they read the same memory.
pub(super) fn is_in_state_of(warp: &Warp, other: &Warp) -> bool {
    (warp.live, warp.calls, warp.reduced) == (other.live, other.calls, other.reduced)
        && warp.machine.is_where(&other.machine)
        && warp.registers == other.registers
        && warp.local.differing(&other.local).is_empty()
}
