//! The divergence machines: which lanes of a warp run together and where lanes wait for each other.
//!
//! [`Tokens`] is the stack of tokens before `sm_70`, [`Barriers`] the convergence barriers since. A warp asks the machine for the
//! [`next`](Machine::next) group, runs it up to an instruction that changes the active lanes, and reports what happened.

mod barriers;
mod group;
mod tokens;

pub(crate) use barriers::Barriers;
pub(crate) use group::{Group, Joined, MachineError, WaitReason, Waiting};
pub(crate) use tokens::Tokens;

/// A divergence machine.
#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Tokens(Tokens),
    Barriers(Box<Barriers>),
}

/// Dispatches to the machine.
macro_rules! dispatch {
    ($machine:expr, $inner:ident => $call:expr) => {
        match $machine {
            Machine::Tokens($inner) => $call,
            Machine::Barriers($inner) => $call,
        }
    };
}

impl Machine {
    /// The group to run next; none if all lanes wait or have exited.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Group> {
        dispatch!(self, machine => machine.next())
    }

    /// The running group continues at a statement.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, pc: u32) {
        dispatch!(self, machine => machine.go_on(pc));
    }

    /// Lanes of the running group go to different statements; at least two parts have lanes.
    pub(crate) fn diverge(&mut self, parts: &[(u32, u32)]) {
        dispatch!(self, machine => machine.diverge(parts));
    }

    /// Lanes of the running group exit, the others continue at `next`.
    pub(crate) fn exit(&mut self, lanes: u32, next: u32) {
        dispatch!(self, machine => machine.exit(lanes, next));
    }

    /// Lanes of the running group wait at a barrier of the block, the others continue at `next`.
    pub(crate) fn block(&mut self, lanes: u32, next: u32) {
        dispatch!(self, machine => machine.block(lanes, next));
    }

    /// Lanes continue after a barrier of the block.
    pub(crate) fn release(&mut self, lanes: u32) {
        dispatch!(self, machine => machine.release(lanes));
    }

    /// Groups that have continued together since the last call.
    pub(crate) fn take_joined(&mut self) -> Vec<Joined> {
        dispatch!(self, machine => std::mem::take(&mut machine.joined))
    }

    /// Whether groups have continued together since they were taken.
    #[inline(always)]
    pub(crate) fn has_joined(&self) -> bool {
        dispatch!(self, machine => !machine.joined.is_empty())
    }

    /// The lanes that do not run.
    pub(crate) fn waiting(&self) -> Vec<Waiting> {
        dispatch!(self, machine => machine.waiting())
    }

    /// The running group branched backward; returns whether it has had its turn. `changes` counts the changes of memory, `steps` the executed
    /// statements.
    pub(crate) fn take_back_edge(&mut self, changes: u64, steps: u64) -> bool {
        match self {
            Machine::Barriers(barriers) => barriers.take_back_edge(changes, steps),
            Machine::Tokens(_) => false,
        }
    }

    /// No lanes can run: releases some that wait only because nested calls use one barrier. Returns whether there were any.
    pub(crate) fn release_nested(&mut self) -> bool {
        match self {
            Machine::Barriers(barriers) => barriers.release_nested(),
            Machine::Tokens(_) => false,
        }
    }

    /// Whether all lanes are where they were in an earlier state; how long they have waited does not count.
    pub(crate) fn is_where(&self, earlier: &Machine) -> bool {
        match (self, earlier) {
            (Machine::Tokens(now), Machine::Tokens(earlier)) => now.is_where(earlier),
            (Machine::Barriers(now), Machine::Barriers(earlier)) => now.is_where(earlier),
            _ => false,
        }
    }

    /// The machine, if it is that of tokens.
    pub(crate) fn tokens(&mut self) -> Result<&mut Tokens, MachineError> {
        match self {
            Machine::Tokens(tokens) => Ok(tokens),
            Machine::Barriers(_) => Err(MachineError::OtherMachine),
        }
    }

    /// The machine, if it is that of barriers.
    pub(crate) fn barriers(&mut self) -> Result<&mut Barriers, MachineError> {
        match self {
            Machine::Barriers(barriers) => Ok(barriers),
            Machine::Tokens(_) => Err(MachineError::OtherMachine),
        }
    }
}
