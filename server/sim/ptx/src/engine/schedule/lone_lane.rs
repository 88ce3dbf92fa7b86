//! The lanes of a warp, each in a warp of its own, and their states.

use warplens_sim_cuda::registers::lanes;

use crate::engine::exec::frame::Frame;
use crate::engine::exec::warp::Warp;
use crate::engine::launch::Launch;
use crate::program::Op;
use crate::tensor::products::Meeting;

/// For each lane that runs, a copy of the warp without what it has recorded, in which the others of the group have exited.
pub(super) fn copies(warp: &Warp, launch: &Launch<'_>) -> Option<Vec<Warp>> {
    let group = warp.groups.running()?;
    let next = warp.function(launch, group.frame)?.code.get(group.pc as usize)?.op;
    let has_products = warp.products.is_in_flight() || warp.products.meeting != Meeting::Over;
    let is_known = warp.frames.iter().flatten().all(|frame| !frame.has_unknown());
    let others_run = warp.groups.others_may_run() || warp.groups.may_end_waits();
    let running = group.mask & warp.live;
    if running == 0 || others_run || has_products || !is_known || !is_of_a_lane(next) {
        return None;
    }
    Some(lanes(running).map(|lane| copy(warp, warp.live & !running | 1 << lane, launch)).collect())
}

/// Whether what a lane does depends on no other lane of its warp.
fn is_of_a_lane(op: Op) -> bool {
    op.only_computes()
        || op.is_access()
        || matches!(
            op,
            Op::Branch(_)
                | Op::Switch(..)
                | Op::Call(..)
                | Op::Return(_)
                | Op::Carry(_)
                | Op::Clock(_)
                | Op::Sleep
                | Op::LocalAddress(_)
                | Op::AddressAdd(_)
                | Op::SharedToGeneric(_)
                | Op::GenericToShared(_)
        )
}

fn copy(warp: &Warp, live: u32, launch: &Launch<'_>) -> Warp {
    let frame = |frame: &Frame| Frame { written: None, undefined: None, ..frame.clone() };
    let mut copy = Warp::new(launch, warp.id.cta, warp.id.warp);
    copy.recorder = launch.silent_recorder();
    (copy.tracer, copy.listed) = (None, false);
    (copy.live, copy.carry) = (live, warp.carry);
    copy.groups.clone_from(&warp.groups);
    copy.groups.ignore_reconvergences();
    copy.local.clone_from(&warp.local);
    copy.frames = warp.frames.iter().map(|slot| slot.as_ref().map(frame)).collect();
    copy
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
