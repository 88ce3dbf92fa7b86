//! Runs a launch under a schedule: workgroups and waves take turns as the scheduler chooses.

use warplens_sim_warp::schedule::{NextBlock, Suspended, Switch, Unstarted};

use super::{Run, WaveStatus, Workgroup};
use crate::launch_state::{POLL, RunEnd};

impl<const W: usize> Run<'_, W> {
    /// Runs workgroups until all have exited or wait for others.
    pub(super) fn run_in_schedule(&mut self) -> Result<(), RunEnd> {
        let mut unstarted = Unstarted::new(self.launch.groups);
        while let Some(group) = self.next_in_schedule(&mut unstarted) {
            self.run_group(group)?;
        }
        // What is left waits for a condition, and continues as in any other run.
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.keep_clusters());
        Ok(())
    }

    fn next_in_schedule(&mut self, unstarted: &mut Unstarted) -> Option<Workgroup<W>> {
        let scheduler = self.scheduler.as_mut()?;
        let waiting = self.suspended.iter().map(|(group, changes)| {
            let is_preempted = group.waves.iter().any(|(_, status)| *status == WaveStatus::Preempted);
            let is_ready = is_preempted || *changes != self.launch.changes;
            Suspended { number: group.number, is_preempted, is_ready }
        });
        match unstarted.next(&waiting.collect::<Vec<_>>(), scheduler)? {
            NextBlock::Start(number) => Some(self.group(number)),
            NextBlock::Resume(at) => Some(self.suspended.remove(at).0),
        }
    }

    /// A wave has paused before a statement at which the order matters. Returns the switch to others, if there is one.
    pub(super) fn preempt(
        &mut self,
        group: &mut Workgroup<W>,
        index: usize,
    ) -> Result<Option<Switch>, RunEnd> {
        if self.launch.steps >= self.poll_at {
            self.poll_at = self.launch.steps + POLL;
            self.launch.poll()?;
        }
        let Some(scheduler) = &mut self.scheduler else { return Ok(None) };
        self.lane_order = scheduler.lane_order(self.launch.geometry.width);
        let switch = scheduler.paused();
        if switch.is_some() {
            group.waves[index].1 = WaveStatus::Preempted;
            group.turns.postpone(index);
        }
        Ok(switch)
    }
}
