//! Warps of which a single lane can run: copies and their states.

use crate::engine::exec::frame::Frame;
use crate::engine::exec::warp::Warp;
use crate::engine::launch::Launch;
use crate::tensor::products::Meeting;

/// A copy of the warp without what it has recorded, if a single lane can run.
pub(super) fn copy(warp: &Warp, launch: &Launch<'_>) -> Option<Warp> {
    let running = warp.groups.running()?;
    let is_alone = (running.mask & warp.live).count_ones() == 1 && !warp.groups.others_may_run();
    let has_products = warp.products.is_in_flight() || warp.products.meeting != Meeting::Over;
    let is_known = warp.frames.iter().flatten().all(|frame| !frame.has_unknown());
    if !is_alone || has_products || !is_known || warp.groups.may_end_waits() {
        return None;
    }
    let frame = |frame: &Frame| Frame { written: None, undefined: None, ..frame.clone() };
    let mut copy = Warp::new(launch, warp.id.cta, warp.id.warp);
    copy.recorder = launch.silent_recorder();
    (copy.tracer, copy.listed) = (None, false);
    (copy.live, copy.carry) = (warp.live, warp.carry);
    copy.groups.clone_from(&warp.groups);
    copy.groups.ignore_reconvergences();
    copy.local.clone_from(&warp.local);
    copy.frames = warp.frames.iter().map(|slot| slot.as_ref().map(frame)).collect();
    Some(copy)
}

/// Whether two copies of a warp execute the same from now on, as long as they read the same memory.
pub(super) fn is_in_state_of(warp: &Warp, other: &Warp) -> bool {
    let frame = |frame: &Frame| (frame.function, frame.local_base, frame.caller, frame.dynamic.clone());
    let is_same = |(one, other): (&Option<Frame>, &Option<Frame>)| match (one, other) {
        (Some(one), Some(other)) => frame(one) == frame(other) && one.registers == other.registers,
        (one, other) => one.is_none() && other.is_none(),
    };
    (warp.live, warp.carry) == (other.live, other.carry)
        && warp.groups.is_where(&other.groups)
        && warp.frames.len() == other.frames.len()
        && warp.frames.iter().zip(&other.frames).all(is_same)
        && warp.local.differing(&other.local).is_empty()
}
