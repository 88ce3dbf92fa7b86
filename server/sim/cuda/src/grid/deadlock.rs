//! Findings and notes about threads that wait at barriers.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Finding, Related};

use super::block::Block;
use super::cluster_barrier::ClusterBarrier;
use super::warp::CudaWarp;

impl<W: CudaWarp> Block<W> {
    /// The groups that wait at barriers, as warp, lanes and statement.
    pub fn waiting(&self, cluster: &ClusterBarrier) -> impl Iterator<Item = (usize, u32, u32)> {
        let at_cluster = cluster.waiting(self.warps_in_cluster());
        self.waiting_in_block().chain(at_cluster.map(|group| (group.warp, group.mask, group.statement)))
    }

    /// The groups that wait at barriers, for a finding about others.
    pub fn waits(&self, cluster: &ClusterBarrier) -> impl Iterator<Item = Related> {
        self.waiting(cluster).map(|(warp, mask, statement)| {
            Related::new(statement, format!("waiting at a barrier: {} of warp {warp}", LaneSet(mask.into())))
        })
    }

    /// A finding about the first group that waits at a barrier, and the group's warp.
    pub fn barrier_deadlock(&self, cluster: &ClusterBarrier) -> Option<(usize, Finding)> {
        let (warp, mask, statement) = self.waiting(cluster).next()?;
        let message = format!(
            "Deadlock: {} of warp {warp} {} at a barrier that others do not reach\nmake all threads reach it, or \
             specify the number of threads that do",
            LaneSet(mask.into()),
            verb("wait", mask)
        );
        Some((warp, self.id(warp).finding(FindingKind::NoProgress, message, statement, mask)))
    }
}

/// Conjugates a verb for its lanes: `polls` for one, `poll` for several.
pub fn verb(verb: &str, lanes: u32) -> String {
    if lanes.count_ones() == 1 { format!("{verb}s") } else { verb.to_owned() }
}
