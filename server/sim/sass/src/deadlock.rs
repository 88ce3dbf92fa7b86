//! Explains why a block cannot make progress: which threads repeat a loop, and which wait at barriers.

use warplens_sim_cuda::grid::block::Block;
use warplens_sim_cuda::grid::cluster::Polled;
use warplens_sim_cuda::grid::cluster_barrier::ClusterBarrier;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Finding, Related};

use super::warp::Warp;

/// How many warps a finding names.
const MAX_RELATED: usize = 8;

pub(crate) fn explain(block: &Block<Warp>, barrier: &ClusterBarrier, polled: Polled) -> Option<Finding> {
    let mut spinning = block.waiting_for_memory();
    if let Some(warp) = spinning.next() {
        let others = spinning.take(MAX_RELATED).map(|warp| {
            Related::new(
                warp.stopped_at,
                format!("waiting too: {} of warp {}", LaneSet(warp.live.into()), warp.id.warp),
            )
        });
        return Some(explain_spin(warp, polled).with(others).with(block.waits(barrier)));
    }
    let (waiting, finding) = block.barrier_deadlock(barrier)?;
    let others = block.warps.iter().filter(|other| other.id.warp as usize != waiting && other.live != 0);
    let others = others.flat_map(|other| other.elsewhere(0)).take(MAX_RELATED);
    Some(finding.with(block.waits(barrier).skip(1)).with(others))
}

/// Explains lanes that poll memory or repeat a loop.
fn explain_spin(warp: &Warp, polled: Polled) -> Finding {
    let (term, what, fix) = match warp.reads {
        _ if polled == Polled::Exchanged => (
            "Deadlock",
            "poll memory that the waiting threads change, and in no order of their instructions does a wait end",
            "make one of them store the value for which another one waits",
        ),
        true => (
            "Deadlock",
            "poll memory that no live thread can change",
            "make another thread store the awaited value before it waits or exits",
        ),
        false => ("Livelock", "iterate here forever", "change the exit condition in the loop"),
    };
    let message = format!("{term}: {} of warp {} {what}\n{fix}", LaneSet(warp.live.into()), warp.id.warp);
    warp.id.finding(FindingKind::NoProgress, message, warp.stopped_at, warp.live)
}
