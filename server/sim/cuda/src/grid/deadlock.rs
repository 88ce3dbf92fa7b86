//! Findings and notes about threads that wait at barriers.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Finding, Related};

use super::barrier::{Barrier, Waiting};
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
        let missing = match self.barriers().find(|(_, barrier)| !barrier.waiting.is_empty()) {
            Some((number, barrier)) => self.missing(number, barrier, cluster),
            None => self.missing_in_cluster(cluster),
        };
        let message = format!(
            "Deadlock: {} of warp {warp} {} at a barrier that others do not reach\n{missing}. Make all threads reach it, or \
             specify the number of threads that do",
            LaneSet(mask.into()),
            LaneSet(mask.into()).verb("waits", "wait")
        );
        Some((warp, self.id(warp).finding(FindingKind::NoProgress, message, statement, mask)))
    }

    /// Who has not arrived at a barrier: `32 of 64 threads are at barrier 0; warp 0 waits at barrier 1`.
    fn missing(&self, number: usize, barrier: &Barrier<W::Wait>, cluster: &ClusterBarrier) -> String {
        let live = || self.warps.iter().map(W::live);
        let expected = barrier.expected.unwrap_or_else(|| live().map(u32::count_ones).sum());
        let absent = live().zip(&barrier.masks).enumerate().filter_map(|(warp, (live, arrived))| {
            let lanes = live & !arrived;
            match (live, arrived) {
                (0, 0) => Some((warp, u32::MAX, "has exited".to_owned())),
                _ if lanes == 0 => None,
                _ => Some((warp, lanes, self.place(warp, lanes, cluster))),
            }
        });
        let absent = in_words(absent, |warp| format!("warp {warp}"));
        let absent = if absent.is_empty() { String::new() } else { format!("; {absent}") };
        format!("{} of {expected} threads are at barrier {number}{absent}", barrier.arrived)
    }

    /// Where lanes are that have not arrived at a barrier.
    fn place(&self, warp: usize, lanes: u32, cluster: &ClusterBarrier) -> String {
        let is_here = |group: &Waiting<W::Wait>| group.warp == warp && group.mask & lanes != 0;
        let at_other = self.barriers().find(|(_, barrier)| barrier.waiting.iter().any(is_here));
        let mut at_cluster = cluster.waiting(self.warps_in_cluster());
        match at_other {
            Some((number, _)) => format!("{} at barrier {number}", verb(lanes, "waits", "wait")),
            None if at_cluster.any(|group| group.warp == warp && group.mask & lanes != 0) => {
                format!("{} at the cluster barrier", verb(lanes, "waits", "wait"))
            }
            None => verb(lanes, "does not arrive", "do not arrive").to_owned(),
        }
    }

    /// Who has not arrived at the barrier of the cluster.
    fn missing_in_cluster(&self, cluster: &ClusterBarrier) -> String {
        let warps = self.warps.len();
        let absent = cluster.absent().map(|(warp, lanes)| {
            (warp, lanes, verb(lanes, "has not arrived", "have not arrived").to_owned())
        });
        let name = |warp: usize| format!("warp {} of block {} of the cluster", warp % warps, warp / warps);
        in_words(absent, name)
    }
}

/// The most warps that have not arrived that a message names.
const MAX_ABSENT: usize = 4;

/// Lists warps, their lanes and where these are.
fn in_words(absent: impl Iterator<Item = (usize, u32, String)>, name: impl Fn(usize) -> String) -> String {
    let mut absent = absent.peekable();
    let listed = absent.by_ref().take(MAX_ABSENT).map(|(warp, lanes, place)| match lanes {
        u32::MAX => format!("{} {place}", name(warp)),
        _ => format!("{} of {} {place}", LaneSet(lanes.into()), name(warp)),
    });
    let listed: Vec<String> = listed.collect();
    let others = match absent.count() {
        0 => String::new(),
        others => format!(", and {others} more"),
    };
    listed.join(", ") + &others
}

/// The verb of a sentence about lanes of a warp, or about the warp itself, if they are all of its lanes.
fn verb<'v>(lanes: u32, singular: &'v str, plural: &'v str) -> &'v str {
    if lanes == u32::MAX { singular } else { LaneSet(lanes.into()).verb(singular, plural) }
}
