//! Runs clusters under a schedule: they start in another order, and take turns when the scheduler switches.

use warplens_sim_warp::trace::{Cancelled, Status};

use super::cluster::{Cluster, ClusterReports};
use super::sequential_blocks::SequentialBlocks;

/// How many of the clusters that have not started the next one is chosen from.
const CANDIDATES: usize = 64;
/// Preempted clusters; beyond it, no further one starts.
const MAX_RESIDENT: usize = 64;

/// The clusters that have not started.
struct Unstarted {
    candidates: Vec<u64>,
    rest: std::ops::Range<u64>,
}

impl Unstarted {
    fn new(clusters: u64) -> Unstarted {
        let candidates = clusters.min(CANDIDATES as u64);
        Unstarted { candidates: (0..candidates).collect(), rest: candidates..clusters }
    }

    fn take(&mut self, choice: usize) -> u64 {
        let number = self.candidates.remove(choice);
        self.candidates.extend(self.rest.next());
        number
    }
}

impl<W: ClusterReports> SequentialBlocks<'_, '_, W> {
    /// Runs clusters until all have exited or wait for others; returns a status if the run is over.
    pub(super) fn run_in_schedule(&mut self) -> Result<Option<Status>, Cancelled> {
        let mut unstarted = Unstarted::new(self.launch.clusters());
        let mut last = None;
        while let Some((number, cluster)) = self.next_in_schedule(&mut unstarted, last) {
            last = Some(number);
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

    /// A cluster that can run, preferably not the one that ran last.
    fn next_in_schedule(
        &mut self,
        unstarted: &mut Unstarted,
        last: Option<u64>,
    ) -> Option<(u64, Cluster<W>)> {
        let scheduler = self.grid.state.scheduler.as_mut()?;
        let changes = self.grid.spaces.changes;
        let mut ready: Vec<usize> =
            (0..self.suspended.len()).filter(|at| self.suspended[*at].1.may_continue(changes)).collect();
        let preempted = ready.iter().filter(|at| self.suspended[**at].1.is_preempted()).count();
        let may_start = !unstarted.candidates.is_empty() && preempted < MAX_RESIDENT;
        if ready.len() + usize::from(may_start) > 1 {
            ready.retain(|at| Some(self.suspended[*at].0) != last);
        }
        if may_start && (ready.is_empty() || scheduler.choose(2) == 1) {
            let number = unstarted.take(scheduler.choose(unstarted.candidates.len()));
            let eager = scheduler.eager || self.launch.options.eager;
            self.started += 1;
            return Some((number, Cluster::new(self.launch, number, self.left.take(), eager)));
        }
        let choice = *ready.get(scheduler.choose(ready.len()))?;
        Some(self.resume(choice))
    }
}
