//! The divergence machines: which lanes of a warp run together, and where lanes wait for each other.
//!
//! [`Tokens`] is the stack of tokens before `sm_70`, [`Barriers`] are the convergence barriers since. A warp
//! asks the machine for the [`next`](Machine::next) group, runs it up to an instruction that changes the
//! active lanes, and reports what happened.

mod barriers;
mod group;
mod regions;
mod tokens;

pub(crate) use barriers::Barriers;
pub(crate) use group::{Group, Joined, MachineError, WaitReason, Waiting};
pub(crate) use tokens::Tokens;

use warplens_sim_cuda::registers::lanes;
use warplens_sim_warp::reconvergences::ReconvergenceList;
use warplens_sim_warp::trace::{Mask, StatementId};

use super::program::Token;

/// The maximum number of tokens of a warp. Hardware keeps more in memory; code that pops its tokens stays far below.
pub(crate) const MAX_TOKENS: usize = 1 << 14;

#[derive(Clone, Debug)]
pub(crate) enum Machine {
    Tokens(Tokens),
    Barriers(Box<Barriers>),
}

macro_rules! dispatch {
    ($machine:expr, $inner:ident => $call:expr) => {
        match $machine {
            Machine::Tokens($inner) => $call,
            Machine::Barriers($inner) => $call,
        }
    };
}

impl Machine {
    /// The group to run next; `None` if all lanes wait or have exited.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Group> {
        dispatch!(self, machine => machine.next())
    }

    /// The running group continues at a statement.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, pc: u32) {
        dispatch!(self, machine => machine.go_on(pc));
    }

    /// Lanes of the running group continue at different statements. At least two of the parts have lanes.
    pub(crate) fn diverge(&mut self, parts: &[(u32, u32)]) {
        dispatch!(self, machine => machine.diverge(parts));
    }

    /// Some lanes of the running group branch, the others continue at the next statement.
    pub(crate) fn branch(&mut self, taken: (u32, u32), next: (u32, u32)) {
        match self {
            Machine::Tokens(tokens) => tokens.diverge(&[taken, next]),
            Machine::Barriers(barriers) => barriers.diverge(&[next, taken]),
        }
    }

    /// Lanes of the running group exit, the others continue at `next`.
    pub(crate) fn exit(&mut self, lanes: u32, next: u32) {
        dispatch!(self, machine => machine.exit(lanes, next));
    }

    /// Lanes of the running group wait at a block barrier, the others continue at `next`.
    pub(crate) fn block(&mut self, lanes: u32, next: u32) {
        dispatch!(self, machine => machine.block(lanes, next));
    }

    /// Lanes continue after a barrier of the block or of the cluster.
    pub(crate) fn release(&mut self, lanes: u32) {
        dispatch!(self, machine => machine.release(lanes));
    }

    /// Records the groups that were joined since the last call.
    pub(crate) fn record_joined(&mut self, reconvergences: &mut ReconvergenceList) {
        let joined: Vec<Joined> = dispatch!(self, machine => std::mem::take(&mut machine.joined));
        for (pc, parts) in joined {
            let parts: Vec<_> = parts.into_iter().map(Mask::from).collect();
            reconvergences.add(StatementId(pc), parts);
        }
    }

    /// Whether groups were joined that are not recorded yet.
    #[inline(always)]
    pub(crate) fn has_joined(&self) -> bool {
        dispatch!(self, machine => !machine.joined.is_empty())
    }

    pub(crate) fn waiting(&self) -> Vec<Waiting> {
        dispatch!(self, machine => machine.waiting())
    }

    /// The running group branched backward. Returns whether its turn is over. `changes` counts the changes of
    /// memory, `steps` the executed statements.
    pub(crate) fn take_back_edge(&mut self, changes: u64, steps: u64) -> bool {
        match self {
            Machine::Barriers(barriers) => barriers.take_back_edge(changes, steps),
            Machine::Tokens(_) => false,
        }
    }

    /// No lane can run: releases lanes that wait only because nested calls use the same barrier. Returns
    /// whether there were any.
    pub(crate) fn release_nested(&mut self) -> bool {
        match self {
            Machine::Barriers(barriers) => barriers.release_nested(),
            Machine::Tokens(_) => false,
        }
    }

    /// Whether a single lane can run, and no other one before that lane waits or ends.
    pub(crate) fn has_lone_lane(&self) -> bool {
        dispatch!(self, machine => machine.has_lone_lane())
    }

    /// Whether all lanes have the same positions as in an earlier state, regardless of how long they have
    /// waited.
    pub(crate) fn is_where(&self, earlier: &Machine) -> bool {
        match (self, earlier) {
            (Machine::Tokens(now), Machine::Tokens(earlier)) => now.is_where(earlier),
            (Machine::Barriers(now), Machine::Barriers(earlier)) => now.is_where(earlier),
            _ => false,
        }
    }

    /// The lanes of the running group push a token and will resume at `pc`.
    pub(crate) fn push(&mut self, kind: Token, pc: u32) {
        dispatch!(self, machine => machine.push(kind, pc));
    }

    /// Lanes of the running group wait in their innermost token of a kind, the others continue at `next`.
    pub(crate) fn pop(&mut self, kind: Token, lanes: u32, at: u32, next: u32) -> Result<(), MachineError> {
        dispatch!(self, machine => machine.pop(kind, lanes, at, next))
    }

    /// The number of tokens of a kind.
    pub(crate) fn depth(&self, kind: Token) -> usize {
        dispatch!(self, machine => machine.depth(kind))
    }

    /// The number of tokens that a warp keeps.
    pub(crate) fn tokens(&self) -> usize {
        dispatch!(self, machine => machine.tokens())
    }

    /// `BSSY`: sets the lanes of a barrier, whose region ends at a statement.
    pub(crate) fn set_barrier(&mut self, barrier: u8, mask: u32, end: u32) {
        match self {
            Machine::Tokens(tokens) => tokens.push_barrier(barrier, end, mask),
            Machine::Barriers(barriers) => barriers.set(barrier, mask),
        }
    }

    /// Whether a barrier is known to have had lanes.
    pub(crate) fn was_set(&self, barrier: u8) -> bool {
        matches!(self, Machine::Barriers(barriers) if barriers.was_set(barrier))
    }

    /// Whether it is known that these lanes may wait at a barrier.
    #[inline(always)]
    pub(crate) fn awaits(&self, barrier: u8, lanes: u32) -> bool {
        // The stack looks for the barrier's token only when lanes wait.
        matches!(self, Machine::Barriers(barriers) if barriers.awaits(barrier, lanes))
    }

    /// `BSYNC` at a statement: lanes wait for the other lanes of the barrier, the rest continue at the next
    /// statement. Returns whether the lanes may wait there.
    pub(crate) fn wait(&mut self, barrier: u8, lanes: u32, at: u32) -> bool {
        match self {
            Machine::Tokens(tokens) => tokens.wait(barrier, lanes, at, at + 1),
            Machine::Barriers(barriers) => barriers.wait(barrier, lanes, at + 1),
        }
    }

    /// `BREAK`: other lanes no longer wait for these at a barrier.
    pub(crate) fn break_out(&mut self, barrier: u8, lanes: u32) {
        dispatch!(self, machine => machine.break_out(barrier, lanes));
    }

    pub(crate) fn barrier_mask(&mut self, barrier: u8) -> u32 {
        match self {
            Machine::Tokens(tokens) => tokens.barrier_mask(barrier),
            Machine::Barriers(barriers) => barriers.mask(barrier),
        }
    }

    /// `BMOV` to a barrier. The stack of tokens needs no restoring.
    pub(crate) fn write_barrier(&mut self, barrier: u8, mask: u32) {
        if let Machine::Barriers(barriers) = self {
            barriers.write(barrier, mask);
        }
    }

    /// `WARPSYNC`: each lane waits for the lanes in its mask, the others continue at `next`. An error if a
    /// stack of tokens would run the awaited lanes only later.
    pub(crate) fn synchronize(
        &mut self,
        members: &[u32; 32],
        lanes_here: u32,
        (live, next): (u32, u32),
    ) -> Result<(), MachineError> {
        match self {
            Machine::Tokens(tokens) => {
                let missing = lanes(lanes_here).fold(0, |all, lane| all | members[lane]) & live & !lanes_here;
                tokens.go_on(next);
                if missing == 0 { Ok(()) } else { Err(MachineError::RunsLater(missing)) }
            }
            Machine::Barriers(barriers) => {
                barriers.synchronize(members, lanes_here, next);
                Ok(())
            }
        }
    }

    /// `YIELD`, `NANOSLEEP`
    pub(crate) fn yield_lanes(&mut self, mask: u32) {
        if let Machine::Barriers(barriers) = self {
            barriers.yield_lanes(mask);
        }
    }
}
