//! The groups of a warp: which lanes run together, which group runs next, and which groups wait.
//!
//! Models differ only here. A warp requests the [`next`](Groups::next) group, runs it up to an instruction that requires a
//! scheduling decision, and reports the result: the group advances, diverges, calls, returns or waits. A group that is alone
//! takes uniform branches without a decision, so a warp without divergence costs the same under every model.

use warplens_sim_warp::SplitMix64;

use super::frontier::Frontier;
use super::group::{CollectiveKind, FunctionEntry, Group, LanePosition};
use super::its::Its;
use super::model::Model;
use super::order::Order;
use super::reconvergences::Reconvergence;
use super::stack::{Rule, Stack};
use crate::program::{Instruction, Program, Slot};

/// Data about a program that the divergence model needs.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) model: Model,
    /// One per function; empty if the model does not need them.
    orders: Vec<Order>,
}

impl Plan {
    pub(crate) fn new(model: Model, program: &Program) -> Plan {
        let orders = match model {
            Model::Stack | Model::Ipdom => Vec::new(),
            Model::Frontier | Model::Its => program.functions.iter().map(Order::new).collect(),
        };
        Plan { model, orders }
    }

    #[inline(always)]
    pub(crate) fn join(&self, branch: &Instruction) -> u32 {
        self.model.reconvergence(branch)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    Stack(Stack),
    Frontier(Frontier),
    Its(Its),
}

macro_rules! dispatch {
    ($groups:expr, $model:ident => $call:expr) => {
        match $groups {
            Groups::Stack($model) => $call,
            Groups::Frontier($model) => $call,
            Groups::Its($model) => $call,
        }
    };
}

impl Groups {
    /// Creates one group at the start of the entry, whose code has `end` instructions.
    pub(crate) fn new(model: Model, mask: u32, end: u32) -> Groups {
        match model {
            Model::Stack => Groups::Stack(Stack::new(Rule::Merging, mask, end)),
            Model::Ipdom => Groups::Stack(Stack::new(Rule::Plain, mask, end)),
            Model::Frontier => Groups::Frontier(Frontier::new(mask)),
            Model::Its => Groups::Its(Its::new(mask)),
        }
    }

    /// Like [`Groups::new`], but reuses the allocations of an exited warp.
    pub(crate) fn renew(&mut self, model: Model, mask: u32, end: u32) {
        match self {
            Groups::Stack(stack) => stack.renew(mask, end),
            Groups::Frontier(_) | Groups::Its(_) => *self = Groups::new(model, mask, end),
        }
    }

    pub(crate) fn ignore_reconvergences(&mut self) {
        dispatch!(self, model => model.reconvergences.ignored = true);
    }

    /// Groups that can run take turns in random order, under a model that guarantees progress.
    pub(crate) fn take_turns_by(&mut self, random: SplitMix64) {
        if let Groups::Its(its) = self {
            its.random = Some(random);
        }
    }

    /// Whether groups take turns in the usual order for now.
    pub(crate) fn suspend_random_turns(&mut self, suspended: bool) {
        if let Groups::Its(its) = self {
            its.has_random_turns = !suspended;
        }
    }

    /// These lanes of the running group are a group of their own, under a model whose groups may have any lanes.
    pub(crate) fn split(&mut self, part: u32) {
        if let Groups::Its(its) = self {
            its.split(part);
        }
    }

    /// The group to run next, or `None` if all groups wait or all lanes have exited.
    #[inline(always)]
    pub(crate) fn next(&mut self, live: u32, plan: &Plan) -> Option<Group> {
        match self {
            Groups::Stack(stack) => stack.next(live),
            Groups::Frontier(frontier) => frontier.next(live, &plan.orders),
            Groups::Its(its) => its.next(live, &plan.orders),
        }
    }

    /// Removes and returns the calls that no lane is in any more.
    pub(crate) fn take_done(&mut self) -> Vec<Slot> {
        dispatch!(self, model => std::mem::take(&mut model.done))
    }

    /// Whether more changed than the next group: calls are complete, or collectives were executed.
    #[inline(always)]
    pub(crate) fn has_pending_events(&self) -> bool {
        match self {
            Groups::Stack(stack) => !stack.done.is_empty(),
            Groups::Frontier(frontier) => !frontier.done.is_empty(),
            Groups::Its(its) => !its.done.is_empty() || !its.apart.is_empty(),
        }
    }

    pub(crate) fn take_reconvergences(&mut self) -> Vec<Reconvergence> {
        dispatch!(self, model => std::mem::take(&mut model.reconvergences.recorded))
    }

    pub(crate) fn is_empty(&self) -> bool {
        dispatch!(self, model => model.is_empty())
    }

    /// The positions of all lanes. If nested entries hold the same lanes, the one that runs first comes first.
    pub(crate) fn places(&self) -> Vec<LanePosition> {
        dispatch!(self, model => model.places())
    }

    pub(crate) fn running(&self) -> Option<LanePosition> {
        dispatch!(self, model => model.running())
    }

    /// Continues the running group at `pc`.
    #[inline(always)]
    pub(crate) fn advance_to(&mut self, pc: u32) {
        dispatch!(self, model => model.advance_to(pc));
    }

    /// Splits the running group; models with reconvergence points use `join`. `parts` are in the order of the instruction's
    /// targets.
    #[inline(always)]
    pub(crate) fn diverge(&mut self, parts: &[(u32, u32)], join: u32) {
        match self {
            Groups::Stack(stack) => stack.diverge(parts, join),
            Groups::Frontier(frontier) => frontier.diverge(parts),
            Groups::Its(its) => its.diverge(parts, join),
        }
    }

    /// For a branch whose two paths have no control flow of their own and reconverge at `join`: whether the second path runs
    /// first, or `None` if other groups may run between the two. Afterwards the whole group is at `join`, which
    /// [`Groups::rejoined`] records.
    #[inline(always)]
    pub(crate) fn reverses_paths(&self, paths: [u32; 2], join: u32) -> Option<bool> {
        match self {
            Groups::Stack(stack) => stack.reverses_paths(paths, join),
            Groups::Frontier(_) | Groups::Its(_) => None,
        }
    }

    /// Records that the running group ran the paths of a branch in this order and continues at `join`.
    #[inline(always)]
    pub(crate) fn rejoined(&mut self, paths: [(u32, u32); 2], join: u32) {
        if let Groups::Stack(stack) = self {
            stack.rejoined(paths, join);
        }
    }

    /// Lanes of the running group enter functions, and continue at `back` after they return.
    pub(crate) fn call(&mut self, back: u32, entered: &[FunctionEntry]) {
        dispatch!(self, model => model.call(back, entered));
    }

    /// Lanes of the running group return from a call to `caller`.
    pub(crate) fn leave(&mut self, frame: Slot, caller: Slot, mask: u32) {
        match self {
            Groups::Stack(stack) => stack.leave(frame, caller, mask),
            Groups::Frontier(frontier) => frontier.leave(frame, mask),
            Groups::Its(its) => its.leave(frame, mask),
        }
    }

    /// The running group took the backward branch `from`. `changes` counts changes of memory; `reads` tests whether the loop
    /// reads memory.
    pub(crate) fn take_back_edge(&mut self, from: u32, changes: u64, reads: impl FnOnce() -> bool) {
        if let Groups::Its(its) = self {
            its.take_back_edge(from, changes, reads);
        }
    }

    /// Whether all lanes have the same position and state as in `earlier`. How long groups have waited is ignored.
    pub(crate) fn is_where(&self, earlier: &Groups) -> bool {
        match (self, earlier) {
            (Groups::Its(now), Groups::Its(earlier)) => now.is_where(earlier),
            (Groups::Stack(now), Groups::Stack(earlier)) => now.is_where(earlier),
            (now, earlier) => now == earlier,
        }
    }

    /// Whether lanes wait only until others have iterated a loop often enough.
    pub(crate) fn may_end_waits(&self) -> bool {
        self.its().is_some_and(Its::may_end_waits)
    }

    pub(crate) fn others_may_run(&self) -> bool {
        self.its().is_some_and(Its::others_may_run)
    }

    /// The lanes of `mask` in the running group wait at a barrier. Models that cannot split the group block all of it.
    pub(crate) fn block(&mut self, mask: u32) {
        match self {
            Groups::Stack(stack) => stack.block(),
            Groups::Frontier(frontier) => frontier.block(),
            Groups::Its(its) => its.block(mask),
        }
    }

    /// Releases the groups with lanes of `mask` from the barrier.
    pub(crate) fn release(&mut self, mask: u32) {
        dispatch!(self, model => model.release(mask));
    }

    /// The running group waits until these lanes have reached the same collective.
    pub(crate) fn wait_for(&mut self, lanes: u32, what: CollectiveKind) {
        if let Groups::Its(its) = self {
            its.wait_for(lanes, what);
        }
    }

    /// Groups that executed a collective together, each at its own instruction. They have already advanced.
    pub(crate) fn take_collectives(&mut self) -> Vec<Vec<LanePosition>> {
        match self {
            Groups::Its(its) => std::mem::take(&mut its.apart),
            _ => Vec::new(),
        }
    }

    /// Groups that wait for named lanes, with those lanes.
    pub(crate) fn waiting_for_lanes(&self) -> Vec<(LanePosition, u32)> {
        self.its().map(Its::waiting_for_lanes).unwrap_or_default()
    }

    /// Called when no group can run: releases a group that only the model, not the program, makes wait. Returns `false` if
    /// there is none.
    pub(crate) fn force_progress(&mut self) -> bool {
        match self {
            Groups::Its(its) => its.force_progress(),
            _ => false,
        }
    }

    fn its(&self) -> Option<&Its> {
        if let Groups::Its(its) = self { Some(its) } else { None }
    }
}
