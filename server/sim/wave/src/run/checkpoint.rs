//! Checkpoints of a run for a recording: where another run goes on.

use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::Tap;
use warplens_sim_warp::trace::Finding;

use super::{Run, Workgroup, wave_bytes};

/// A run of a workgroup that has not been suspended yet.
#[derive(Clone)]
struct Checkpoint<const W: usize> {
    group: Workgroup<W>,
    suspended: Vec<(Workgroup<W>, u64)>,
    memory: DeviceMemory,
    steps: u64,
    max_steps: u64,
    changes: u64,
    findings: Vec<Finding>,
    groups_done: u64,
}

impl<const W: usize> Run<'_, W> {
    /// Leaves a checkpoint in a turn of a wave if one is due. Only the default order of workgroups can go on in the middle.
    pub(super) fn leave_checkpoint(&mut self, group: &mut Workgroup<W>, wave: usize) {
        let launch = &self.launch;
        let is_due = |tap: &&Tap| tap.next_checkpoint().is_some_and(|next| next <= launch.steps);
        let Some(tap) = launch.awaited_recording().filter(is_due) else { return };
        if !group.is_first_turn || self.scheduler.is_some() {
            return;
        }
        let groups = 1 + self.suspended.len() as u64;
        let each_wave = wave_bytes::<W>(self.program) + Recorder::bytes(self.program.statements());
        let each = group.waves.len() as u64 * each_wave + group.local.len() as u64;
        let bytes = launch.memory.size() + groups * each;
        if !tap.admits_checkpoint(bytes) {
            return;
        }
        group.resumed_at = wave;
        let checkpoint = Checkpoint {
            group: group.clone(),
            suspended: self.suspended.clone(),
            memory: launch.memory.clone(),
            steps: launch.steps,
            max_steps: self.max_steps,
            changes: launch.changes,
            findings: launch.findings.clone(),
            groups_done: launch.groups_done,
        };
        group.resumed_at = 0;
        tap.leave_checkpoint(launch.steps, bytes, checkpoint);
    }

    /// The workgroup in whose turn the run goes on, if it does not start at the first one.
    pub(super) fn resumed(&mut self) -> Option<Workgroup<W>> {
        let Checkpoint { group, suspended, memory, steps, max_steps, changes, findings, groups_done } =
            self.launch.awaited_recording()?.resumed::<Checkpoint<W>>()?;
        let launch = &mut self.launch;
        (launch.memory, launch.steps, launch.changes) = (memory, steps, changes);
        (launch.findings, launch.groups_done) = (findings, groups_done);
        self.max_steps = max_steps;
        (self.suspended, self.started) = (suspended, group.number + 1);
        Some(group)
    }
}
