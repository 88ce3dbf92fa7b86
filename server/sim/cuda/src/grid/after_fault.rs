//! Goes on after an invalid access, without it, to find the statements that access memory invalidly, too.
//!
//! Only findings are added: what the run shows, its memory and its output are as of its first fault.

use warplens_sim_warp::trace::Cancelled;

use super::block::BlockPause;
use super::cluster::{Cluster, ClusterReports};
use super::sequential_blocks::SequentialBlocks;
use crate::further_faults::FurtherFaults;
use crate::memory::print_buffer::PrintBuffer;

/// Maximum warp instructions of the search.
const MAX_STEPS: u64 = 300_000;
/// Maximum bytes of device memory, which is copied.
const MAX_COPY: u64 = 64 << 20;

/// How far a cluster ran.
enum Progress {
    Ended,
    /// It waits for other clusters.
    Waits,
    SearchOver,
}

impl<W: ClusterReports> SequentialBlocks<'_, '_, W> {
    /// Called when a cluster has stopped the run, after its traces were collected.
    pub(super) fn find_further_faults(&mut self, stopped: Cluster<W>) -> Result<(), Cancelled> {
        let options = &self.launch.options;
        let is_observed = options.trace.is_some()
            || options.watch.is_some()
            || options.schedule.is_some()
            || self.launch.steps.is_some();
        if is_observed || options.ends_at_fault || self.grid.spaces.launch.size() > MAX_COPY {
            return Ok(());
        }
        let Some(further) = FurtherFaults::after(&self.grid.state.findings) else { return Ok(()) };
        let mut clusters: Vec<Cluster<W>> = vec![stopped];
        for (_, mut cluster) in std::mem::take(&mut self.suspended) {
            self.collect(&mut cluster);
            clusters.push(cluster);
        }
        for block in clusters.iter_mut().flat_map(|cluster| &mut cluster.blocks) {
            block.warps.iter_mut().for_each(|warp| *warp.recorder() = self.launch.silent_recorder());
        }
        let state = &mut self.grid.state;
        let sanitizer = state.sanitizer.take();
        state.further = Some(Box::new(further));
        state.limit = state.limit.min(state.steps.saturating_add(MAX_STEPS));
        let (memory, extra) = (self.grid.spaces.launch.clone(), self.grid.extra.clone());
        let printed = std::mem::replace(&mut self.grid.spaces.printed, PrintBuffer::new(0));
        let outcome = self.search(clusters);
        self.grid.spaces.is_silent = false;
        (self.grid.spaces.launch, self.grid.spaces.printed) = (memory, printed);
        (self.grid.state.sanitizer, self.grid.extra) = (sanitizer, extra);
        outcome
    }

    /// Runs these clusters and those that have not started, as long as memory changes.
    fn search(&mut self, mut clusters: Vec<Cluster<W>>) -> Result<(), Cancelled> {
        loop {
            let (before, waiting) = (self.grid.spaces.changes, clusters.len());
            let mut started = std::mem::take(&mut clusters).into_iter();
            let mut bytes = 0;
            while let Some(mut cluster) = started.next().or_else(|| self.start_cluster()) {
                match self.advance(&mut cluster)? {
                    Progress::Ended => {}
                    Progress::Waits => {
                        cluster.measure();
                        bytes += cluster.bytes;
                        clusters.push(cluster);
                    }
                    Progress::SearchOver => return Ok(()),
                }
                if bytes > self.max_bytes {
                    return Ok(());
                }
            }
            if clusters.is_empty() || self.grid.spaces.changes == before && clusters.len() == waiting {
                return Ok(());
            }
        }
    }

    fn start_cluster(&mut self) -> Option<Cluster<W>> {
        let number = self.started;
        (number < self.launch.clusters()).then(|| {
            self.started += 1;
            Cluster::new(self.launch, number, None, self.launch.options.eager)
        })
    }

    fn advance(&mut self, cluster: &mut Cluster<W>) -> Result<Progress, Cancelled> {
        self.grid.state.turn_end = self.grid.state.steps.saturating_add(self.turn);
        loop {
            let pause = cluster.run(self.launch, &mut self.grid);
            if (self.control.cancelled)() {
                return Err(Cancelled);
            }
            let state = &mut self.grid.state;
            if state.steps >= state.limit || state.further.as_ref().is_none_or(|further| further.is_over()) {
                return Ok(Progress::SearchOver);
            }
            match pause {
                BlockPause::Ended => return Ok(Progress::Ended),
                BlockPause::Stuck | BlockPause::TurnOver => return Ok(Progress::Waits),
                BlockPause::Stopped(_) => return Ok(Progress::SearchOver),
                BlockPause::Due | BlockPause::Preempted(_) => {
                    state.pause_at = (state.steps + W::SLICE).min(state.limit)
                }
            }
        }
    }
}
