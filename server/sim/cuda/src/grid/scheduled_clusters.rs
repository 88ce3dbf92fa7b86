//! Runs clusters under a schedule.

use warplens_sim_warp::schedule::{NextBlock, Suspended, Unstarted};
use warplens_sim_warp::trace::{Cancelled, Status};

use super::cluster::{Cluster, ClusterReports};
use super::sequential_blocks::SequentialBlocks;

impl<W: ClusterReports> SequentialBlocks<'_, '_, W> {
    /// Runs clusters until all have exited or wait for others; returns a status if the run is over.
    pub(super) fn run_in_schedule(&mut self) -> Result<Option<Status>, Cancelled> {
        let mut unstarted = Unstarted::new(self.launch.clusters());
        while let Some((number, cluster)) = self.next_in_schedule(&mut unstarted) {
            if let Some(status) = self.run_cluster(number, cluster)? {
                return Ok(Some(status));
            }
            if self.traces.values.is_some() {
                return Ok(Some(Status::Finished));
            }
        }
        // What is left waits for a condition, and continues as in any other run.
        self.grid.state.scheduler.iter_mut().for_each(|scheduler| scheduler.keep_clusters());
        Ok(None)
    }

    fn next_in_schedule(&mut self, unstarted: &mut Unstarted) -> Option<(u64, Cluster<W>)> {
        let scheduler = self.grid.state.scheduler.as_mut()?;
        let changes = self.grid.spaces.changes;
        let suspended = self.suspended.iter().map(|(number, cluster)| Suspended {
            number: *number,
            is_preempted: cluster.is_preempted(),
            is_ready: cluster.may_continue(changes),
        });
        match unstarted.next(&suspended.collect::<Vec<_>>(), scheduler)? {
            NextBlock::Start(number) => {
                let eager = scheduler.eager || self.launch.options.eager;
                self.started += 1;
                Some((number, Cluster::new(self.launch, number, self.left.take(), eager)))
            }
            NextBlock::Resume(at) => Some(self.resume(at)),
        }
    }
}
