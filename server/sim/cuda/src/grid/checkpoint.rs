//! Checkpoints of a run for a recording: where another run goes on.

use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::Tap;

use super::cluster::{Cluster, ClusterReports};
use super::early_wait::EarlyWait;
use super::sequential_blocks::{SequentialBlocks, Turn};
use super::warp::CudaWarp;
use crate::memory::spaces::Spaces;
use crate::run_state::RunState;

/// A run in the first turn of a cluster.
#[derive(Clone)]
struct Checkpoint<W: CudaWarp> {
    turn: Turn<W>,
    spaces: Spaces,
    state: RunState,
    extra: W::Extra,
    suspended: Vec<(u64, Cluster<W>)>,
    early_wait: Option<EarlyWait>,
    search_at: u64,
    waiting: (u64, u64),
    blocks_done: u64,
}

impl<W: ClusterReports> SequentialBlocks<'_, '_, W> {
    /// Leaves a checkpoint if one is due. Only the default order of clusters can go on in the middle.
    pub(super) fn leave_checkpoint(&mut self, turn: &mut Turn<W>) {
        let step = self.grid.state.steps;
        let is_due = |tap: &&Tap| tap.next_checkpoint().is_some_and(|next| next <= step);
        let Some(tap) = self.launch.tap.as_ref().filter(is_due) else { return };
        if !turn.is_first || self.grid.state.scheduler.is_some() {
            return;
        }
        turn.cluster.measure();
        let spaces = &mut self.grid.spaces;
        let memory = spaces.launch.size() + spaces.globals.size() + spaces.constants.size();
        let blocks = (1 + self.suspended.len() as u64) * turn.cluster.blocks.len() as u64;
        let records = blocks * u64::from(self.launch.warps()) * Recorder::bytes(self.launch.statements);
        let bytes = memory + turn.cluster.bytes + self.waiting_bytes + records;
        if !tap.admits_checkpoint(bytes) {
            return;
        }
        // It would hold this checkpoint itself.
        let log = spaces.write_log.take();
        let checkpoint = Checkpoint {
            turn: turn.clone(),
            spaces: spaces.clone(),
            state: self.grid.state.clone(),
            extra: self.grid.extra.clone(),
            suspended: self.suspended.clone(),
            early_wait: self.early_wait.clone(),
            search_at: self.search_at,
            waiting: (self.waiting, self.waiting_bytes),
            blocks_done: self.blocks_done,
        };
        spaces.write_log = log;
        tap.leave_checkpoint(step, bytes, checkpoint);
    }

    /// The turn in which the run goes on, if it does not start at the first cluster.
    pub(super) fn resumed(&mut self) -> Option<Turn<W>> {
        let checkpoint = self.launch.tap.as_ref()?.resumed::<Checkpoint<W>>()?;
        let Checkpoint { turn, spaces, state, extra, suspended, early_wait, search_at, waiting, blocks_done } =
            checkpoint;
        let write_log = self.grid.spaces.write_log.take();
        self.grid.spaces = Spaces { write_log, ..spaces };
        (self.grid.state, self.grid.extra) = (state, extra);
        (self.suspended, self.early_wait, self.search_at) = (suspended, early_wait, search_at);
        (self.waiting, self.waiting_bytes) = waiting;
        (self.blocks_done, self.started) = (blocks_done, turn.number + 1);
        self.pause_for_recording();
        Some(turn)
    }
}
