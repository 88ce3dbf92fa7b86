//! Independent thread scheduling: forward progress for every lane.
//!
//! GPUs since Volta guarantee this progress, but their scheduler is not documented: the rules here are ours. Lanes that
//! diverge reconverge at the immediate post-dominator of the branch, as with a stack, but groups take turns: a turn ends at a
//! backward branch, and the group with the lowest instruction is next. Lanes that wait at the reconvergence point stop
//! waiting if the others only spin, so a lane that holds a lock reaches its release. An instruction that names lanes waits
//! until they have reached it.

use warplens_sim_warp::SplitMix64;

use super::calls::Calls;
use super::group::{CollectiveKind, FunctionEntry, Group, LanePosition};
use super::order::Order;
use super::patience::Patience;
use super::reconvergences::ReconvergenceLog;
use super::regions::{Id, Regions};
use crate::program::Slot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// The wait timed out: the group executes the next instruction without the missing lanes.
    Excused,
    Blocked,
    /// The group waits until these lanes have reached the same collective.
    WaitsFor(u32, CollectiveKind),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    at: LanePosition,
    region: Option<Id>,
    state: State,
    patience: Patience,
    had_turn: bool,
}

impl Entry {
    fn new(at: LanePosition, region: Option<Id>) -> Entry {
        Entry { at, region, state: State::Ready, patience: Patience::default(), had_turn: false }
    }

    fn may_run(&self) -> bool {
        matches!(self.state, State::Ready | State::Excused)
    }
}

/// The groups, in no particular order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Its {
    entries: Vec<Entry>,
    running: usize,
    regions: Regions,
    calls: Calls,
    /// Groups that executed a collective at different instructions.
    pub(super) apart: Vec<Vec<LanePosition>>,
    pub(super) done: Vec<Slot>,
    pub(super) reconvergences: ReconvergenceLog,
    /// Decides whose turn it is in a run under a schedule.
    pub(super) random: Option<SplitMix64>,
    pub(super) has_random_turns: bool,
}

impl Its {
    pub(super) fn new(mask: u32) -> Its {
        Its {
            entries: vec![Entry::new(LanePosition { frame: 0, pc: 0, mask }, None)],
            running: 0,
            regions: Regions::default(),
            calls: Calls::new(mask),
            apart: Vec::new(),
            done: Vec::new(),
            reconvergences: ReconvergenceLog::default(),
            random: None,
            has_random_turns: true,
        }
    }

    pub(super) fn next(&mut self, live: u32, orders: &[Order]) -> Option<Group> {
        self.prune(live);
        self.settle(live);
        let ready = || self.entries.iter().filter(|entry| entry.may_run());
        if ready().next().is_some() && ready().all(|entry| entry.patience.is_over()) && self.open_early() {
            self.settle(live);
        }
        self.running = self.whose_turn()?;
        let Entry { at: LanePosition { frame, pc, mask }, region, state, .. } = self.entries[self.running];
        self.reconvergences.advance_to(frame, pc, mask);
        let end = self.regions.end(region, frame).unwrap_or(u32::MAX);
        if mask == live {
            return Some(Group { pc, until: end, mask, frame, alone: true, needs_convergence: false });
        }
        let order = &orders[self.calls.function(frame)];
        let needs_convergence = state == State::Ready && order.collective_from(pc) == Some(pc);
        let until = order.collective_from(pc + 1).unwrap_or(u32::MAX).min(end);
        Some(Group { pc, until, mask, frame, alone: false, needs_convergence })
    }

    /// The next group of this cycle: the one at the lowest instruction of the innermost call, or any one under a schedule.
    fn whose_turn(&mut self) -> Option<usize> {
        let ready = (0..self.entries.len()).filter(|&at| self.entries[at].may_run());
        let key = |at: &usize| {
            let Entry { at: LanePosition { frame, pc, .. }, had_turn, .. } = self.entries[*at];
            (had_turn, std::cmp::Reverse(self.calls.depth(frame)), pc)
        };
        let first = match self.random.as_mut().filter(|_| self.has_random_turns) {
            None => ready.min_by_key(key)?,
            Some(random) => {
                let fresh = ready.clone().filter(|&at| !self.entries[at].had_turn);
                let of: Vec<usize> =
                    if fresh.clone().next().is_some() { fresh.collect() } else { ready.collect() };
                *of.get(random.below(of.len() as u64) as usize)?
            }
        };
        if self.entries[first].had_turn {
            self.entries.iter_mut().for_each(|entry| entry.had_turn = false);
        }
        Some(first)
    }

    fn prune(&mut self, live: u32) {
        self.entries.retain_mut(|entry| {
            entry.at.mask &= live;
            entry.at.mask != 0
        });
        self.regions.prune(live);
        self.calls.note_done(live, &mut self.done);
        self.reconvergences.retain(live);
    }

    /// Applies all consequences of the groups' positions: groups at a reconvergence point wait there, complete regions end,
    /// and complete collectives are released.
    fn settle(&mut self, live: u32) {
        loop {
            let (regions, reconvergences) = (&mut self.regions, &mut self.reconvergences);
            self.entries.retain(|entry| {
                let LanePosition { frame, pc, mask } = entry.at;
                let arrives = entry.state == State::Ready && regions.ends_at(entry.region, frame, pc);
                if arrives {
                    regions.arrive(entry.region, mask, &entry.patience);
                    reconvergences.arrive(frame, pc, mask);
                }
                !arrives
            });
            let Some(id) = self.regions.complete() else { break };
            self.open(id, false);
        }
        while let Some(together) = self.complete_collective(live) {
            self.go_together(&together);
        }
    }

    /// Ends a region; `early` if some of its lanes have not arrived.
    fn open(&mut self, id: Id, early: bool) {
        let Some((place, counted, around)) = self.regions.open(id) else { return };
        for entry in self.entries.iter_mut().filter(|entry| entry.region == Some(id)) {
            entry.region = around;
            entry.patience = Patience::default();
        }
        if place.mask != 0 {
            let patience = if early { Patience::default() } else { counted };
            self.entries.push(Entry { patience, ..Entry::new(place, around) });
        }
    }

    /// Ends the innermost region in which lanes wait; `false` if no lanes wait at a reconvergence point.
    fn open_early(&mut self) -> bool {
        let waiting = self.regions.innermost_waiting();
        waiting.into_iter().for_each(|id| self.open(id, true));
        waiting.is_some()
    }

    /// The groups of a collective that all awaited lanes have reached.
    fn complete_collective(&self, live: u32) -> Option<Vec<usize>> {
        let wants = |entry: &Entry| match entry.state {
            State::WaitsFor(lanes, _) => lanes & live,
            _ => 0,
        };
        self.entries.iter().find_map(|first| {
            let State::WaitsFor(_, what) = first.state else { return None };
            let alike = |entry: &Entry| match entry.state {
                State::WaitsFor(_, other) => {
                    entry.at.is_where(&first.at) || what.may_be_apart() && other == what
                }
                _ => false,
            };
            let waits = |at: &usize| alike(&self.entries[*at]) && wants(&self.entries[*at]) != 0;
            let mut wanted = wants(first);
            let mut together = Vec::new();
            let mut all = 0;
            while wanted & !all != 0 {
                let asked_for = |at: &usize| waits(at) && self.entries[*at].at.mask & wanted != 0;
                together = (0..self.entries.len()).filter(asked_for).collect();
                let arrived = together.iter().fold(0, |all, &at| all | self.entries[at].at.mask);
                if arrived == all {
                    return None;
                }
                all = arrived;
                wanted = together.iter().fold(wanted, |wanted, &at| wanted | wants(&self.entries[at]));
            }
            (all != 0).then_some(together)
        })
    }

    /// Merges groups that waited for each other, unless they are at different instructions.
    fn go_together(&mut self, together: &[usize]) {
        let Some((&first, others)) = together.split_first() else { return };
        let place = self.entries[first].at;
        if !others.iter().all(|&at| self.entries[at].at.is_where(&place)) {
            return self.pass_apart(together);
        }
        for &at in others.iter().rev() {
            let Entry { at: LanePosition { frame, pc, mask }, region, .. } = self.entries.remove(at);
            let entry = &mut self.entries[first];
            entry.region = self.regions.common((entry.region, entry.at.mask), (region, mask));
            entry.at.mask |= mask;
            self.reconvergences.arrive(frame, pc, mask);
        }
        self.entries[first].state = State::Excused;
    }

    fn pass_apart(&mut self, together: &[usize]) {
        self.apart.push(together.iter().map(|&at| self.entries[at].at).collect());
        for &at in together.iter().rev() {
            let Entry { at: place, region, .. } = self.entries.remove(at);
            self.add(LanePosition { pc: place.pc + 1, ..place }, region, &Patience::default());
        }
    }

    /// Adds a group, or merges it with a group at the same position.
    fn add(&mut self, place: LanePosition, region: Option<Id>, patience: &Patience) {
        let LanePosition { frame, pc, mask } = place;
        let same = |entry: &&mut Entry| {
            entry.state == State::Ready && (entry.at.frame, entry.at.pc, entry.region) == (frame, pc, region)
        };
        match self.entries.iter_mut().find(same) {
            Some(entry) => {
                entry.at.mask |= mask;
                entry.patience.merge(patience);
                self.reconvergences.arrive(frame, pc, mask);
            }
            None => self.entries.push(Entry { patience: patience.clone(), ..Entry::new(place, region) }),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.regions.waiting().next().is_none()
    }

    pub(super) fn places(&self) -> Vec<LanePosition> {
        self.entries.iter().map(|entry| entry.at).chain(self.regions.waiting()).collect()
    }

    pub(super) fn waiting_for_lanes(&self) -> Vec<(LanePosition, u32)> {
        let wants = |entry: &Entry| match entry.state {
            State::WaitsFor(lanes, _) => Some((entry.at, lanes)),
            _ => None,
        };
        self.entries.iter().filter_map(wants).collect()
    }

    pub(super) fn running(&self) -> Option<LanePosition> {
        self.entries.get(self.running).map(|entry| entry.at)
    }

    pub(super) fn advance_to(&mut self, pc: u32) {
        let entry = &mut self.entries[self.running];
        if entry.at.pc != pc {
            entry.at.pc = pc;
            entry.state = State::Ready;
        }
    }

    /// The running group took the backward branch `from`, which ends its turn.
    pub(super) fn take_back_edge(&mut self, from: u32, changes: u64, reads: impl FnOnce() -> bool) {
        let entry = &mut self.entries[self.running];
        entry.patience.count_iteration(from, changes, reads);
        entry.had_turn = true;
    }

    /// Whether all lanes are at the same positions as in `earlier`. The iterations that groups have counted are ignored.
    pub(super) fn is_where(&self, earlier: &Its) -> bool {
        let place = |entry: &Entry| (entry.at, entry.region, entry.state, entry.had_turn);
        self.running == earlier.running
            && self.entries.iter().map(place).eq(earlier.entries.iter().map(place))
            && self.regions.are_where(&earlier.regions)
            && self.calls == earlier.calls
    }

    /// Whether lanes at a reconvergence point stop waiting once the others have iterated often enough.
    pub(super) fn may_end_waits(&self) -> bool {
        self.regions.innermost_waiting().is_some()
    }

    pub(super) fn others_may_run(&self) -> bool {
        self.entries.iter().filter(|entry| entry.may_run()).count() > 1
    }

    pub(super) fn diverge(&mut self, parts: &[(u32, u32)], join: u32) {
        let Entry { at: LanePosition { frame, mask, .. }, region, patience, .. } =
            self.entries.remove(self.running);
        // Lanes that wait for the group keep waiting for its parts.
        let patience = if self.regions.is_awaited(region) { patience } else { Patience::default() };
        let region = self.regions.enter(frame, join, region, mask);
        for &(pc, mask) in parts {
            self.add(LanePosition { frame, pc, mask }, region, &patience);
        }
    }

    pub(super) fn split(&mut self, part: u32) {
        let entry = &mut self.entries[self.running];
        entry.at.mask &= !part;
        let mut other = entry.clone();
        other.at.mask = part;
        self.entries.push(other);
    }

    pub(super) fn call(&mut self, back: u32, entered: &[FunctionEntry]) {
        let Entry { at: LanePosition { frame, pc: site, mask }, region, patience, .. } =
            self.entries.remove(self.running);
        let region = self.regions.enter(frame, back, region, mask);
        let mut stays = mask;
        for entered in entered {
            stays &= !entered.mask;
            self.calls.enter(entered, frame, site);
            let place = LanePosition { frame: entered.frame, pc: 0, mask: entered.mask };
            self.entries.push(Entry { patience: patience.clone(), ..Entry::new(place, region) });
        }
        if stays != 0 {
            self.entries.push(Entry::new(LanePosition { frame, pc: back, mask: stays }, region));
        }
    }

    pub(super) fn leave(&mut self, frame: Slot, mask: u32) {
        let entry = &mut self.entries[self.running];
        entry.at.mask &= !mask;
        let region = self.regions.leave(entry.region, frame, mask);
        let patience = entry.patience.clone();
        if let Some((caller, pc)) = self.calls.leave(frame, mask) {
            let place = LanePosition { frame: caller, pc, mask };
            self.entries.push(Entry { patience, ..Entry::new(place, region) });
        }
    }

    /// Lanes of the running group wait at a barrier of the block; the group's other lanes continue.
    pub(super) fn block(&mut self, mask: u32) {
        let entry = &mut self.entries[self.running];
        let others = LanePosition { mask: entry.at.mask & !mask, ..entry.at };
        entry.at.mask &= mask;
        entry.state = State::Blocked;
        if others.mask != 0 {
            let region = entry.region;
            self.entries.push(Entry::new(others, region));
        }
    }

    pub(super) fn release(&mut self, mask: u32) {
        let blocked = |entry: &&mut Entry| entry.at.mask & mask != 0 && entry.state == State::Blocked;
        for entry in self.entries.iter_mut().filter(blocked) {
            entry.state = State::Ready;
        }
    }

    /// The running group waits until these lanes have reached the same collective.
    pub(super) fn wait_for(&mut self, lanes: u32, what: CollectiveKind) {
        self.entries[self.running].state = State::WaitsFor(lanes, what);
    }

    /// Called when no group can run: releases a group that waits for others. `false` if there is none.
    pub(super) fn force_progress(&mut self) -> bool {
        if self.open_early() {
            return true;
        }
        let gives_up = |entry: &&mut Entry| matches!(entry.state, State::WaitsFor(_, CollectiveKind::Arrive));
        let entry = self.entries.iter_mut().find(gives_up);
        entry.map(|entry| entry.state = State::Excused).is_some()
    }
}
