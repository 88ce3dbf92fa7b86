//! A running group: what the interpreter loop keeps between instructions, and why it stops.

use warplens_sim_cuda::meter::Meter;
use warplens_sim_cuda::visits::Visits;
use warplens_sim_warp::reconvergences::ReconvergenceList;
use warplens_sim_warp::trace::Finding;

use super::exec::{ExecContext, Fault};
use super::machine::{Group, Machine};
use super::observer::Observer;
use super::pause::Pause;
use super::program::Program;
use super::registers::Registers;
use super::spin::SpinWatch;

/// Why groups stop running.
pub(super) enum Stop {
    NoGroup,
    Due,
    /// In a run under a schedule: before a statement that synchronizes.
    Preempted,
    /// The group ran past the last instruction.
    FellOff,
    /// A control instruction, with the lanes that execute it.
    Control(u32),
    /// An instruction was executed that makes its lanes wait: these lanes.
    Joined(u32),
    Fault(Box<Fault>),
    /// The instruction needs an unknown value.
    Unknown(Box<Finding>),
    Repeats(Pause),
}

/// What happens after a control instruction.
pub(super) enum Next {
    Continue,
    Choose,
    /// The instruction needs the whole warp.
    Stop(Stop),
}

pub(super) struct Running<'w> {
    pub(super) program: &'w Program,
    /// Whether instructions are reported to the observer.
    pub(super) observed: bool,
    /// Whether the run has a schedule, so that the group pauses before statements that synchronize.
    pub(super) pauses: bool,
    /// Whether the machine uses convergence barriers.
    pub(super) barriers: bool,
    pub(super) registers: &'w mut Registers,
    pub(super) machine: &'w mut Machine,
    pub(super) spin: &'w mut SpinWatch,
    pub(super) reconvergences: &'w mut ReconvergenceList,
    pub(super) visits: Visits<'w>,
    pub(super) group: Group,
    pub(super) ctx: ExecContext<'w>,
    pub(super) observer: Observer<'w>,
    pub(super) meter: Meter<'w>,
}

impl Running<'_> {
    #[inline(always)]
    pub(super) fn is_observed(&self) -> bool {
        let (ctx, observer) = (&self.ctx, &self.observer);
        ctx.sanitizer.is_some()
            || observer.written.is_some()
            || observer.follows_undefined()
            || observer.state.further.is_some()
            || observer.state.order_log.is_some()
    }

    /// The position at which the group stops, if no control instruction stops it earlier. A pause waits for
    /// the next control instruction, so that it does not split runs of statements; the limit cannot wait.
    #[inline(always)]
    pub(super) fn stop(&self) -> u32 {
        let (state, clock) = (&self.observer.state, self.ctx.clock);
        let pc = u64::from(self.group.pc);
        let due = match clock >= state.pause_at {
            true => pc,
            false => state.limit.saturating_sub(clock).saturating_add(pc),
        };
        due.min(self.program.code.len() as u64) as u32
    }

    /// The group has reached the position where it stops.
    #[inline(always)]
    pub(super) fn stopped(&mut self) -> Stop {
        let pc = self.group.pc;
        self.visits.up_to(pc);
        if pc as usize >= self.program.code.len() { Stop::FellOff } else { Stop::Due }
    }

    /// The machine chooses the next group. Returns whether there is one.
    #[inline(always)]
    pub(super) fn choose(&mut self) -> bool {
        let next = self.machine.next();
        if self.machine.has_joined() {
            self.machine.record_joined(self.reconvergences);
        }
        let Some(group) = next else { return false };
        self.group = group;
        self.visits.continue_with(group.mask, group.pc);
        true
    }
}
