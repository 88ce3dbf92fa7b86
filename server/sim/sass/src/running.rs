//! A running group: what the interpreter loop keeps between instructions, and why it ends.

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

/// Why groups no longer run.
pub(super) enum Stop {
    /// No group can run.
    NoGroup,
    /// The caller's control is due.
    Due,
    /// Beyond the last instruction.
    FellOff,
    /// A control instruction, with the lanes whose guard is true.
    Control(u32),
    /// After an instruction whose lanes then wait, those that executed it.
    Joined(u32),
    /// The instruction failed.
    Fault(Box<Fault>),
    /// The instruction needs a value that is not known.
    Unknown(Box<Finding>),
    /// The warp repeats a state.
    Repeats(Pause),
}

/// What follows a control instruction.
pub(super) enum Next {
    /// The group continues at its position.
    Continue,
    /// The machine chooses a group.
    Choose,
    /// The instruction requires the whole warp.
    Stop(Stop),
}

/// A running group and its context.
pub(super) struct Running<'w> {
    pub(super) program: &'w Program,
    /// Whether instructions are reported to the observer.
    pub(super) observed: bool,
    /// Whether the machine is that of convergence barriers.
    pub(super) barriers: bool,
    pub(super) registers: &'w mut Registers,
    pub(super) machine: &'w mut Machine,
    pub(super) spin: &'w mut SpinWatch,
    pub(super) reconvergences: &'w mut ReconvergenceList,
    pub(super) visits: Visits<'w>,
    pub(super) group: Group,
    pub(super) ctx: ExecContext<'w>,
    pub(super) observer: Observer<'w>,
}

impl Running<'_> {
    /// The position at which the group stops unless a control instruction stops it before. A pause waits for the next control instruction,
    /// so that it does not split runs of statements; the limit cannot.
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

    /// The group is where it stops.
    #[inline(always)]
    pub(super) fn stopped(&mut self) -> Stop {
        let pc = self.group.pc;
        self.visits.up_to(pc);
        if pc as usize >= self.program.code.len() { Stop::FellOff } else { Stop::Due }
    }

    /// The machine chooses the next group; returns whether there is one.
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
