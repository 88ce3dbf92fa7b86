//! Blocks that wait for blocks that start later. A GPU starts blocks in order, and holds only so many at once: if all of these
//! wait, no other can start.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::severity::Severity;
use warplens_sim_warp::trace::{Finding, Status};

use super::cluster::{Cluster, ClusterReports, Polled};
use super::launch::GridLaunch;
use crate::memory::polled::PolledValue;
use crate::memory::spaces::Spaces;

/// The first block that waits although all earlier ones have run, so that it waits for one that starts later.
pub(super) struct EarlyWait {
    /// Where it waits.
    finding: Finding,
    /// The device memory that it polls, with the values of the last look; `None` if unknown.
    polled: Option<Vec<PolledValue>>,
    /// The last cluster that changed this memory.
    changed_by: Option<u64>,
    /// Whether the resident blocks all waited while others had not started.
    pub(super) is_starved: bool,
}

impl EarlyWait {
    /// The wait of this suspended cluster; `None` if the language cannot locate it.
    pub(super) fn new<W: ClusterReports>(
        cluster: &Cluster<W>,
        launch: &W::Launch<'_>,
        spaces: &Spaces,
        is_starved: bool,
    ) -> Option<EarlyWait> {
        let finding = W::explain_deadlock(cluster, launch, spaces, Polled::Unchanged).into_iter().next()?;
        let warps = || cluster.unfinished_blocks().flat_map(|block| block.waiting_for_memory());
        let values = || warps().filter_map(W::polled).flat_map(|polled| &polled.values);
        let in_device_memory = |value: &&PolledValue| value.region.is_device();
        let is_known = warps().all(|warp| warp.polled().is_some());
        let polled = is_known.then(|| values().filter(in_device_memory).copied().collect());
        Some(EarlyWait { finding, polled, changed_by: None, is_starved })
    }

    /// Notes whether the cluster that has just run changed what the block polls.
    pub(super) fn observe(&mut self, cluster: u64, spaces: &Spaces) {
        for value in self.polled.iter_mut().flatten() {
            let now = spaces.polled(value);
            if value.value != now {
                (value.value, self.changed_by) = (now, Some(cluster));
            }
        }
    }

    /// What to report about a run that ended with this status.
    pub(super) fn report(self, launch: &GridLaunch, status: Status) -> Option<Finding> {
        let waits_for = self.changed_by.map(|cluster| launch.name(launch.ctas(cluster)[0]));
        // A wait that ended although nobody changed the memory was one for time.
        let ends_alone = status == Status::Finished && waits_for.is_none() && self.polled.is_some();
        if ends_alone || status == Status::NoProgress {
            return None;
        }
        let block = launch.name(self.finding.cta);
        let (message, severity) = match launch.residency.filter(|_| self.is_starved) {
            Some(residency) => {
                let other = waits_for.unwrap_or_else(|| "another one".to_owned());
                let message = format!(
                    "{block} waits for {other}, which cannot start\n{}, and all of them wait; launch at most {} blocks, \
                     cooperatively, or let blocks wait only for earlier ones",
                    residency.capacity(),
                    residency.blocks()
                );
                (message, Severity::Error)
            }
            None if launch.is_cooperative || status != Status::Finished => return None,
            None => {
                let message = format!(
                    "{block} waits for {}, which starts later\nonly a cooperative launch promises that both are resident; \
                     launch cooperatively, or let blocks wait only for earlier ones",
                    waits_for?
                );
                (message, Severity::Information)
            }
        };
        let finding = Finding { kind: FindingKind::Residency, message, related: Vec::new(), ..self.finding };
        Some(finding.with_severity(severity))
    }
}
