//! Explanation of deadlocks and livelocks: spinning and waiting warps, and what might help.

use super::block::Block;
use super::cluster_barrier::ClusterBarrier;
use crate::lanes::Lanes;
use crate::ptx::engine::divergence::model::Model;
use crate::ptx::engine::exec::warp::{Warp, next_statements};
use crate::ptx::engine::fault::PendingBarrier;
use crate::ptx::engine::launch::Launch;
use crate::trace::{Finding, Related};

impl Block {
    /// Explains why the block cannot make progress: which threads spin and which wait.
    pub(crate) fn explain(&self, launch: &Launch<'_>, cluster: &ClusterBarrier) -> Option<Finding> {
        let wants = self.warps.iter().find_map(|warp| warp.explain_members(launch));
        let mut finding = wants.or_else(|| self.spinning().map(|warp| warp.explain_spin(launch)));
        if finding.is_none() {
            let (warp, mask, statement) = self.waiting(cluster).next()?;
            let message = "deadlock: threads wait at a barrier that the other threads do not reach; make \
             all threads reach it, or specify the number of threads that do"
                .to_owned();
            finding = Some(self.warps[warp].id.error("no-progress", message, statement, mask));
        }
        let waits = self.waiting(cluster).map(|(warp, mask, statement)| {
            Related::new(statement, format!("waiting at a barrier: {} of warp {warp}", Lanes(mask.into())))
        });
        finding.map(|finding| finding.with(waits))
    }
}

impl Warp {
    fn explain_spin(&self, launch: &Launch<'_>) -> Finding {
        let lanes = self.groups.running().map_or(0, |group| group.mask & self.live);
        let others = self.elsewhere(launch, lanes);
        let mut message = format!(
            "livelock: {} would iterate here forever, because the state does not change",
            Lanes(lanes.into())
        );
        if !others.is_empty() && launch.plan.model != Model::Its {
            message += "; the other lanes of the warp wait; run the launch under the model `its`, which \
             guarantees forward progress for every lane";
        }
        let mbarrier = self.pending_barrier.map(|(statement, pending)| {
            let PendingBarrier { address, arrivals, bytes } = pending;
            Related::new(
                statement,
                format!(
                    "the mbarrier at {address:#x} has {arrivals} pending arrivals and {bytes} pending bytes"
                ),
            )
        });
        let finding = self.id.error("no-progress", message, self.stopped_at, lanes);
        finding.with(next_statements(others)).with(mbarrier)
    }

    /// Of lanes that wait for named lanes.
    fn explain_members(&self, launch: &Launch<'_>) -> Option<Finding> {
        let (at, wanted) = self.groups.waiting_for_lanes().into_iter().next()?;
        let statement = self.function(launch, at.frame)?.first_statement + at.pc;
        let missing = wanted & self.live & !at.mask;
        let message = format!(
            "deadlock: {} would wait here forever for {}: every lane in the member mask must execute the \
             instruction; remove the missing lanes from the mask, or make them execute it",
            Lanes(at.mask.into()),
            Lanes(missing.into())
        );
        let current = self.elsewhere(launch, !missing).into_iter().map(|(statement, lanes)| {
            Related::new(statement, format!("current statement of {}", Lanes(lanes.into())))
        });
        Some(self.id.error("absent-members", message, statement, at.mask).with(current))
    }
}
