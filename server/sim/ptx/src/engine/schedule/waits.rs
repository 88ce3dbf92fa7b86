//! The waits of a cluster's threads for each other: who would complete a phase of an mbarrier if it did not wait itself.

use rustc_hash::FxHashMap;
use warplens_sim_cuda::async_ops::operation::Issuer;
use warplens_sim_cuda::grid::block::Block;
use warplens_sim_cuda::grid::cluster::{Cluster, Polled};

use super::contributions::{Contribution, Contributions, Part};
use super::mbarriers::Mbarriers;
use crate::engine::exec::warp::Warp;
use crate::engine::launch::Launch;

/// Lanes of a warp that wait or are about to execute a statement.
struct Group<'a> {
    warp: &'a Warp,
    threads: Issuer,
    statement: u32,
    /// The mbarrier for which they wait.
    awaits: Option<usize>,
}

pub(super) struct Waits<'a> {
    pub(super) mbarriers: Mbarriers<'a>,
    contributions: Contributions<'a>,
    groups: Vec<Group<'a>>,
    pub(super) polled: Polled,
}

impl<'a> Waits<'a> {
    pub(super) fn of(cluster: &'a Cluster<Warp>, launch: &Launch<'a>, polled: Polled) -> Waits<'a> {
        let mut groups = Vec::new();
        for (rank, block) in (0..).zip(&cluster.blocks) {
            for warp in block.warps.iter().filter(|warp| warp.live != 0) {
                let polls_at = warp.polls_at();
                let group = |(statement, lanes), awaits| Group {
                    warp,
                    threads: Issuer { rank, warp: warp.id.warp, lanes },
                    statement,
                    awaits,
                };
                let elsewhere = warp.elsewhere(launch, polls_at.map_or(0, |(_, lanes)| lanes));
                groups.extend(polls_at.map(|polls_at| group(polls_at, warp.first_test())));
                groups.extend(elsewhere.into_iter().map(|place| group(place, None)));
            }
            groups.extend(block.waiting(&cluster.barrier).filter_map(|(warp, lanes, statement)| {
                let warp = block.warps.get(warp)?;
                let threads = Issuer { rank, warp: warp.id.warp, lanes };
                Some(Group { warp, threads, statement, awaits: None })
            }));
        }
        let contributions = Contributions::of(launch.program);
        Waits { mbarriers: Mbarriers::of(cluster), contributions, groups, polled }
    }

    /// The other warps that would contribute to what the phase for which a warp waits still needs.
    pub(super) fn helpers(&self, waiting: &Warp) -> Vec<&'a Warp> {
        let Some(index) = waiting.first_test() else { return Vec::new() };
        let Some((rank, offset)) = self.mbarriers.position(index) else { return Vec::new() };
        let needs = self.mbarriers.needs(index);
        let mut reachable: FxHashMap<u32, Vec<&Contribution>> = FxHashMap::default();
        let mut helpers: Vec<&Warp> = Vec::new();
        for group in self.groups.iter().filter(|group| group.awaits != Some(index)) {
            let has_arrived = self.mbarriers.have_arrived(index, group.threads);
            let helps = |found: &&Contribution| {
                needs.contains(&found.part)
                    && (found.in_cluster || group.threads.rank == rank)
                    && !(found.part == Part::Arrivals && has_arrived)
                    && found.may_be_at(offset)
            };
            let found =
                reachable.entry(group.statement).or_insert_with(|| self.contributions.from(group.statement));
            if found.iter().any(helps) && helpers.iter().all(|warp| warp.id != group.warp.id) {
                helpers.push(group.warp);
            }
        }
        helpers
    }

    /// Whether the wait of a warp ends if that of another one does, directly or through the waits of others.
    pub(super) fn leads_to(&self, from: &Warp, to: &Warp) -> bool {
        let (mut work, mut seen) = (vec![from.id], vec![from.id]);
        while let Some(id) = work.pop() {
            let Some(group) = self.groups.iter().find(|group| group.warp.id == id) else { continue };
            for helper in self.helpers(group.warp) {
                if helper.id == to.id {
                    return true;
                }
                if !seen.contains(&helper.id) {
                    seen.push(helper.id);
                    work.push(helper.id);
                }
            }
        }
        false
    }

    /// How far a wait is from the cause of the deadlock, the cause first: a wait that should pass although others would complete the phase, a
    /// phase that was overtaken, a phase that nobody completes, a first one with all arrivals but not all bytes, one with some arrivals or bytes.
    pub(super) fn distance(&self, warp: &Warp, launch: &Launch<'_>) -> [bool; 5] {
        let tested = warp.first_test();
        let wrong = tested.zip(warp.polls_at());
        let wrong = wrong.and_then(|(index, (_, lanes))| self.mbarriers.wrong_phase(index, warp, lanes));
        let has_helpers = !self.helpers(warp).is_empty();
        let lacks_bytes = tested.is_some_and(|index| self.mbarriers.lacks_bytes(index));
        [
            warp.should_pass(launch, self.mbarriers) && has_helpers,
            wrong.is_some(),
            tested.is_some() && !has_helpers,
            lacks_bytes,
            tested.is_some_and(|index| self.mbarriers.is_partial(index)),
        ]
        .map(|is_cause| !is_cause)
    }

    /// The rank of a block in the cluster.
    pub(super) fn rank(&self, block: &Block<Warp>) -> Option<u32> {
        self.groups.iter().find(|group| group.warp.id.cta == block.cta).map(|group| group.threads.rank)
    }
}
