//! The groups of a warp: which lanes run together, who runs next, and who waits for whom.
//!
//! This is all that the models of divergence differ in, so each has a file here and nothing else knows which one it is.
//! A warp needs_convergence for the [`next`](Groups::next) group, runs it up to an instruction that decides who runs next, and says what
//! became of it: it goes on, parts, calls, leaves, waits. A group that is alone is not asked about at branches on which its
//! lanes agree; so a warp that has not parted costs the same under every model.

use super::frontier::Frontier;
use super::group::{CollectiveKind, FunctionEntry, Group, LanePosition};
use super::its::Its;
use super::model::Model;
use super::order::Order;
use super::reconvergences::Reconvergence;
use super::stack::{Rule, Stack};
use crate::ptx::program::{Instruction, Program, Slot};

/// What a launch knows of its program for the sake of the model.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) model: Model,
    /// By function; empty where the model does not need them.
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

    /// Where the lanes that part at a branch meet.
    #[inline(always)]
    pub(crate) fn join(&self, branch: &Instruction) -> u32 {
        match self.model {
            Model::Ipdom => branch.s.c,
            _ => branch.s.b,
        }
    }
}

/// The groups of a warp under one of the models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    Stack(Stack),
    Frontier(Frontier),
    Its(Its),
}

/// Asks whichever model it is.
macro_rules! ask {
    ($groups:expr, $model:ident => $question:expr) => {
        match $groups {
            Groups::Stack($model) => $question,
            Groups::Frontier($model) => $question,
            Groups::Its($model) => $question,
        }
    };
}

impl Groups {
    /// One group at the start of the entry, whose code is `end` instructions long.
    pub(crate) fn new(model: Model, mask: u32, end: u32) -> Groups {
        match model {
            Model::Stack => Groups::Stack(Stack::new(Rule::Merging, mask, end)),
            Model::Ipdom => Groups::Stack(Stack::new(Rule::Plain, mask, end)),
            Model::Frontier => Groups::Frontier(Frontier::new(mask)),
            Model::Its => Groups::Its(Its::new(mask)),
        }
    }

    /// One group at the start of the entry, in the room that those of a warp have left that has ended.
    pub(crate) fn renew(&mut self, model: Model, mask: u32, end: u32) {
        match self {
            Groups::Stack(stack) => stack.renew(mask, end),
            Groups::Frontier(_) | Groups::Its(_) => *self = Groups::new(model, mask, end),
        }
    }

    /// Nobody will ask who has met.
    pub(crate) fn ignore_reconvergences(&mut self) {
        ask!(self, model => model.reconvergences.ignore());
    }

    /// The group to run next, and `None` where all wait or nobody is left.
    #[inline(always)]
    pub(crate) fn next(&mut self, live: u32, plan: &Plan) -> Option<Group> {
        match self {
            Groups::Stack(stack) => stack.next(live),
            Groups::Frontier(frontier) => frontier.next(live, &plan.orders),
            Groups::Its(its) => its.next(live, &plan.orders),
        }
    }

    /// Calls that nobody is in any more.
    pub(crate) fn take_done(&mut self) -> Vec<Slot> {
        ask!(self, model => std::mem::take(&mut model.done))
    }

    /// Whether something has become of others than the group that is next: calls are done, or lanes were let go.
    #[inline(always)]
    pub(crate) fn has_pending_events(&self) -> bool {
        match self {
            Groups::Stack(stack) => !stack.done.is_empty(),
            Groups::Frontier(frontier) => !frontier.done.is_empty(),
            Groups::Its(its) => !its.done.is_empty() || !its.apart.is_empty(),
        }
    }

    /// Who has met since this was asked last.
    pub(crate) fn take_reconvergences(&mut self) -> Vec<Reconvergence> {
        ask!(self, model => model.reconvergences.take())
    }

    /// Whether nobody is left.
    pub(crate) fn is_empty(&self) -> bool {
        ask!(self, model => model.is_empty())
    }

    /// Where lanes are, those first that run before others of the same lanes.
    pub(crate) fn places(&self) -> Vec<LanePosition> {
        ask!(self, model => model.places())
    }

    /// The group that runs, or ran last.
    pub(crate) fn running(&self) -> Option<LanePosition> {
        ask!(self, model => model.running())
    }

    /// The running group goes on at `pc`.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, pc: u32) {
        ask!(self, model => model.go_on(pc));
    }

    /// The running group parts; by a model that needs_convergence for it, all meet again at `join`. Parts come in the order of their
    /// targets in the instruction.
    #[inline(always)]
    pub(crate) fn diverge(&mut self, parts: &[(u32, u32)], join: u32) {
        match self {
            Groups::Stack(stack) => stack.diverge(parts, join),
            Groups::Frontier(frontier) => frontier.diverge(parts),
            Groups::Its(its) => its.diverge(parts, join),
        }
    }

    /// Lanes of the running group enter functions; they go on at `back` when they have returned.
    pub(crate) fn call(&mut self, back: u32, entered: &[FunctionEntry]) {
        ask!(self, model => model.call(back, entered));
    }

    /// Lanes of the running group return from a call to `caller`.
    pub(crate) fn leave(&mut self, frame: Slot, caller: Slot, mask: u32) {
        match self {
            Groups::Stack(stack) => stack.leave(frame, caller, mask),
            Groups::Frontier(frontier) => frontier.leave(frame, mask),
            Groups::Its(its) => its.leave(frame, mask),
        }
    }

    /// The running group took the branch `from` backward, and memory has changed so many times; `reads` tells whether what
    /// it goes round in reads memory.
    pub(crate) fn take_back_edge(&mut self, from: u32, changes: u64, reads: impl FnOnce() -> bool) {
        if let Groups::Its(its) = self {
            its.take_back_edge(from, changes, reads);
        }
    }

    /// Whether groups beside the running one could run now, and will when it takes its next turn.
    pub(crate) fn others_may_run(&self) -> bool {
        match self {
            Groups::Its(its) => its.others_may_run(),
            _ => false,
        }
    }

    /// The running group waits at a barrier, or as far as the model can tell them apart, those of its lanes that came to it.
    pub(crate) fn block(&mut self, mask: u32) {
        match self {
            Groups::Stack(stack) => stack.block(),
            Groups::Frontier(frontier) => frontier.block(),
            Groups::Its(its) => its.block(mask),
        }
    }

    /// The groups with lanes of `mask` that wait at a barrier go on.
    pub(crate) fn release(&mut self, mask: u32) {
        ask!(self, model => model.release(mask));
    }

    /// The running group waits until these lanes have come to do the same.
    pub(crate) fn wait_for(&mut self, lanes: u32, what: CollectiveKind) {
        if let Groups::Its(its) = self {
            its.wait_for(lanes, what);
        }
    }

    /// Groups that have waited for each other in different places, and do now what they are at; they have gone on.
    pub(crate) fn take_collectives(&mut self) -> Vec<Vec<LanePosition>> {
        match self {
            Groups::Its(its) => std::mem::take(&mut its.apart),
            _ => Vec::new(),
        }
    }

    /// Groups that wait for lanes by name, and these.
    pub(crate) fn waiting_for_lanes(&self) -> Vec<(LanePosition, u32)> {
        match self {
            Groups::Its(its) => its.waiting_for_lanes(),
            _ => Vec::new(),
        }
    }

    /// Nobody can go on: lets somebody do so who waits for others of the warp where the model says so and the program does
    /// not. `false` if there is nobody.
    pub(crate) fn force_progress(&mut self) -> bool {
        match self {
            Groups::Its(its) => its.force_progress(),
            _ => false,
        }
    }
}
