//! Convergence barriers, from Volta on.
//!
//! A warp is a set of paths, each with a statement and lanes. Paths at the same statement stay apart until a
//! `BSYNC` or `WARPSYNC` releases them as one path, or until they have yielded at the same statement. The
//! order is the one measured on an H200 (`tests/gpu`): a path runs until it waits, diverges or yields; then
//! the path with the fewest lanes is next, and among equal ones the path that does not branch. Paths share
//! the uniform registers and the barriers: ptxas relies on that, and uses one barrier for regions in paths
//! that do not wait for each other. A path that has run for long without a change of memory lets another one
//! run.

use warplens_sim_cuda::registers::{filter_lanes, lanes};

use super::group::{Group, Joined, MachineError, WaitReason, Waiting};
use super::regions::Regions;
use crate::program::Token;

/// The registers `B0` to `B15`.
const COUNT: usize = 16;
/// Another path runs after this many statements without a change of memory.
const TURN: u64 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Path {
    pc: u32,
    mask: u32,
    /// How many turns the path had without a change of memory.
    turns: u32,
    /// A number from the count of events. Paths that start together are numbered in the order of their parts.
    start: u64,
    /// When the path yielded, by the count of events; 0 if it did not.
    yielded: u64,
}

/// Lanes that wait at a `BSYNC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Blocked {
    barrier: u8,
    /// The statement after the `BSYNC`.
    pc: u32,
    mask: u32,
    since: u64,
}

/// Lanes that wait at a `WARPSYNC` for the lanes in a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Synchronizing {
    members: u32,
    pc: u32,
    mask: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Barriers {
    live: u32,
    paths: Vec<Path>,
    /// The running path, as an index into `paths`.
    running: usize,
    /// The `start` of the path that continues until it waits, diverges or yields.
    current: u64,
    masks: [u32; COUNT],
    /// The barriers that have had lanes.
    used: u16,
    /// The lanes that each barrier has released, or that have left it by `BREAK`, since they set it.
    released: [u32; COUNT],
    /// The barriers that functions save and restore, because paths in nested calls use them at the same time.
    saved: u16,
    blocked: Vec<Blocked>,
    synchronizing: Vec<Synchronizing>,
    /// Lanes at a block barrier.
    at_block: Vec<Path>,
    /// Tokens, for code written for the other machine.
    regions: Regions,
    /// The last yield of each lane, by the count of events: yields, waits and starts of paths.
    yielded: [u64; 32],
    events: u64,
    /// The state when the running path's turn started: changes of memory, statements.
    turn: (u64, u64),
    pub(super) joined: Vec<Joined>,
}

impl Barriers {
    /// One path of all lanes at the first statement.
    pub(crate) fn new(mask: u32) -> Barriers {
        let start = Path { pc: 0, mask, turns: 0, start: 0, yielded: 0 };
        Barriers { live: mask, paths: vec![start], ..Barriers::default() }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Group> {
        match self.paths[..] {
            [] => return None,
            [path] if path.mask != 0 => {
                (self.running, self.current) = (0, path.start);
                self.paths[0].yielded = 0;
                if path.turns > 0 && !self.blocked.is_empty() {
                    self.release_yielded();
                    if self.paths.len() > 1 {
                        return self.choose();
                    }
                }
                let Path { pc, mask, .. } = self.paths[0];
                return Some(Group { pc, mask, alone: true });
            }
            _ => {}
        }
        self.choose()
    }

    fn choose(&mut self) -> Option<Group> {
        self.paths.retain(|path| path.mask != 0);
        if !self.blocked.is_empty() && self.paths.iter().all(|path| path.turns > 0) {
            self.release_yielded();
        }
        self.running = if self.saved == 0 { self.scheduled()? } else { self.lowest()? };
        let path = &mut self.paths[self.running];
        path.yielded = 0;
        self.current = path.start;
        let Path { pc, mask, .. } = *path;
        Some(Group { pc, mask, alone: self.paths.len() == 1 })
    }

    /// The path with the lowest statement, so that paths that call the same function run side by side and
    /// reconverge in it.
    fn lowest(&self) -> Option<usize> {
        let order = |path: &Path| (path.turns, path.pc, path.mask.trailing_zeros());
        (0..self.paths.len()).min_by_key(|index| order(&self.paths[*index]))
    }

    /// The path that ran, unless it waits, diverged or yielded; else the one with the fewest lanes that has
    /// not yielded; else the first one that yielded, joined with the others that yielded at its statement.
    fn scheduled(&mut self) -> Option<usize> {
        let order = |path: &Path| {
            let is_other = path.start != self.current || path.yielded != 0;
            (path.turns, is_other, path.yielded, path.mask.count_ones(), path.start)
        };
        let first = (0..self.paths.len()).min_by_key(|index| order(&self.paths[*index]))?;
        let Path { pc, start, yielded, .. } = self.paths[first];
        let is_same = |path: &Path| path.pc == pc && path.yielded != 0;
        if yielded == 0 || self.paths.iter().filter(|path| is_same(path)).count() == 1 {
            return Some(first);
        }
        let parts: Vec<_> = self.paths.iter().filter(|path| is_same(path)).map(|path| path.mask).collect();
        self.paths[first].mask = parts.iter().fold(0, |all, part| all | part);
        self.paths.retain(|path| path.start == start || !is_same(path));
        self.joined.push((pc, parts));
        self.paths.iter().position(|path| path.start == start)
    }

    #[inline(always)]
    pub(crate) fn go_on(&mut self, pc: u32) {
        if let Some(path) = self.paths.get_mut(self.running) {
            path.pc = pc;
        }
    }

    pub(super) fn diverge(&mut self, parts: &[(u32, u32)]) {
        let turns = self.paths[self.running].turns;
        self.paths.swap_remove(self.running);
        for &(pc, mask) in parts.iter().filter(|(_, mask)| *mask != 0) {
            let start = self.start();
            self.paths.push(Path { pc, mask, turns, start, yielded: 0 });
        }
    }

    fn start(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Removes lanes from the running path; its other lanes continue at `next`.
    fn leave(&mut self, lanes: u32, next: u32) {
        let path = &mut self.paths[self.running];
        path.mask &= !lanes;
        path.pc = next;
        if path.mask == 0 {
            self.paths.swap_remove(self.running);
        }
    }

    pub(super) fn exit(&mut self, lanes: u32, next: u32) {
        self.live &= !lanes;
        self.leave(lanes, next);
        for barrier in 0..COUNT as u8 {
            self.masks[usize::from(barrier)] &= !lanes;
            self.test(barrier);
        }
        self.test_synchronizing();
        let resumed = self.regions.exit(lanes, self.live);
        self.resume(resumed);
    }

    /// The lanes of the running path push a token and will resume at `pc`.
    pub(super) fn push(&mut self, kind: Token, pc: u32) {
        let mask = self.paths.get(self.running).map_or(0, |path| path.mask);
        self.regions.push(kind, pc, mask);
    }

    /// Lanes wait in their innermost token of a kind, the others continue at `next`.
    pub(super) fn pop(&mut self, kind: Token, lanes: u32, at: u32, next: u32) -> Result<(), MachineError> {
        if lanes == 0 {
            self.go_on(next);
            return Ok(());
        }
        let resumed = self.regions.pop(kind, lanes, at, self.live).ok_or(MachineError::NoToken(kind))?;
        self.leave(lanes, next);
        self.resume(resumed);
        Ok(())
    }

    pub(super) fn tokens(&self) -> usize {
        self.regions.longest()
    }

    /// The maximum number of tokens of a kind in any lane.
    pub(super) fn depth(&self, kind: Token) -> usize {
        self.regions.depth(kind)
    }

    pub(super) fn block(&mut self, lanes: u32, next: u32) {
        let Path { turns, start, .. } = self.paths[self.running];
        self.leave(lanes, next);
        self.at_block.push(Path { pc: next, mask: lanes, turns, start, yielded: 0 });
    }

    pub(super) fn release(&mut self, lanes: u32) {
        let (released, waiting): (Vec<_>, Vec<_>) =
            self.at_block.drain(..).partition(|path| path.mask & lanes != 0);
        self.at_block = waiting;
        for path in released {
            let start = self.start();
            self.paths.push(Path { turns: 0, start, ..path });
        }
    }

    /// `BSSY`
    pub(crate) fn set(&mut self, barrier: u8, mask: u32) {
        self.masks[usize::from(barrier) % COUNT] = mask;
        self.used |= u16::from(mask != 0) << (barrier % COUNT as u8);
        self.released[usize::from(barrier) % COUNT] &= !mask;
    }

    pub(crate) fn mask(&self, barrier: u8) -> u32 {
        self.masks[usize::from(barrier) % COUNT]
    }

    /// `BMOV` to a barrier. Where an empty one is emptied, as kernels of sm_87 begin, nothing is saved.
    pub(crate) fn write(&mut self, barrier: u8, mask: u32) {
        if mask | self.mask(barrier) != 0 {
            self.saved |= 1 << (barrier % COUNT as u8);
        }
        self.set(barrier, mask & self.live);
    }

    pub(crate) fn was_set(&self, barrier: u8) -> bool {
        self.used >> (barrier % COUNT as u8) & 1 == 1
    }

    /// Whether these lanes may wait at a barrier: it has had lanes, and has not released these since they set it.
    /// Lanes that others removed by setting the barrier in another path may wait once.
    pub(crate) fn awaits(&self, barrier: u8, lanes: u32) -> bool {
        let index = usize::from(barrier) % COUNT;
        let is_over = self.saved == 0
            && lanes != 0
            && self.masks[index] & lanes == 0
            && lanes & !self.released[index] == 0;
        self.was_set(barrier) && !is_over
    }

    /// `BSYNC`: lanes wait for the other lanes of the barrier, the rest continue at `next`. Returns what [`Self::awaits`]
    /// says.
    pub(crate) fn wait(&mut self, barrier: u8, lanes: u32, next: u32) -> bool {
        let is_valid = self.awaits(barrier, lanes);
        let index = usize::from(barrier) % COUNT;
        let mask = &mut self.masks[index];
        if self.saved == 0 && *mask & lanes == 0 {
            self.released[index] |= lanes;
            self.go_on(next);
            return is_valid;
        }
        *mask |= lanes;
        if *mask & self.live == lanes && !self.blocked.iter().any(|blocked| blocked.barrier == barrier) {
            *mask = 0;
            self.released[index] |= lanes;
            self.go_on(next);
            return is_valid;
        }
        if lanes == 0 {
            self.go_on(next);
            return true;
        }
        self.leave(lanes, next);
        self.events += 1;
        self.blocked.push(Blocked { barrier, pc: next, mask: lanes, since: self.events });
        self.test(barrier);
        is_valid
    }

    /// `BREAK`: other lanes no longer wait for these at a barrier.
    pub(crate) fn break_out(&mut self, barrier: u8, lanes: u32) {
        let index = usize::from(barrier) % COUNT;
        self.released[index] |= self.masks[index] & lanes;
        self.masks[index] &= !lanes;
        self.test(barrier);
    }

    /// Releases a barrier if all its lanes wait.
    fn test(&mut self, barrier: u8) {
        let is_here = |blocked: &Blocked| blocked.barrier == barrier;
        let waiting =
            self.blocked.iter().filter(|blocked| is_here(blocked)).fold(0, |all, one| all | one.mask);
        if waiting == 0 || self.masks[usize::from(barrier)] & self.live & !waiting != 0 {
            return;
        }
        self.masks[usize::from(barrier)] = 0;
        self.released[usize::from(barrier)] |= waiting;
        let (released, blocked): (Vec<_>, Vec<_>) = self.blocked.drain(..).partition(is_here);
        self.blocked = blocked;
        self.resume(released.into_iter().map(|one| (one.pc, one.mask & self.live)).collect());
    }

    /// Groups continue; groups at the same statement become one path.
    fn resume(&mut self, groups: Vec<(u32, u32)>) {
        let mut joined: Vec<Joined> = Vec::new();
        for (pc, mask) in groups.into_iter().filter(|(_, mask)| *mask != 0) {
            match joined.iter_mut().find(|(at, _)| *at == pc) {
                Some((_, parts)) => parts.push(mask),
                None => joined.push((pc, vec![mask])),
            }
        }
        for (pc, parts) in joined {
            let mask = parts.iter().fold(0, |all, part| all | part);
            let start = self.start();
            // They continue immediately if the path that ran is one of them.
            if !self.paths.iter().any(|path| path.start == self.current) {
                self.current = start;
            }
            self.paths.push(Path { pc, mask, turns: 0, start, yielded: 0 });
            if parts.len() > 1 {
                self.joined.push((pc, parts));
            }
        }
    }

    /// `WARPSYNC`: each lane waits for the lanes in its mask, the others continue at `next`.
    pub(crate) fn synchronize(&mut self, members: &[u32; 32], lanes_here: u32, next: u32) {
        let first = members[lanes_here.trailing_zeros() as usize % 32];
        if lanes(lanes_here).all(|lane| members[lane] == first) && first & self.live & !lanes_here == 0 {
            self.go_on(next);
            return;
        }
        self.leave(lanes_here, next);
        let mut left = lanes_here;
        while left != 0 {
            let members_of_first = members[left.trailing_zeros() as usize];
            let same = filter_lanes(left, |lane| members[lane] == members_of_first);
            left &= !same;
            self.synchronizing.push(Synchronizing { members: members_of_first, pc: next, mask: same });
        }
        self.test_synchronizing();
    }

    fn test_synchronizing(&mut self) {
        let complete = |all: &[Synchronizing], members: u32, live: u32| {
            let here = all.iter().filter(|one| one.members == members).fold(0, |all, one| all | one.mask);
            members & live & !here == 0
        };
        while let Some(members) = self
            .synchronizing
            .iter()
            .map(|one| one.members)
            .find(|members| complete(&self.synchronizing, *members, self.live))
        {
            let (released, waiting): (Vec<_>, Vec<_>) =
                self.synchronizing.drain(..).partition(|one| one.members == members);
            self.synchronizing = waiting;
            self.resume(released.into_iter().map(|one| (one.pc, one.mask & self.live)).collect());
        }
    }

    /// `YIELD`, `NANOSLEEP`
    pub(crate) fn yield_lanes(&mut self, mask: u32) {
        self.events += 1;
        lanes(mask).for_each(|lane| self.yielded[lane] = self.events);
        if mask != 0
            && let Some(path) = self.paths.get_mut(self.running)
        {
            path.yielded = self.events;
        }
    }

    pub(super) fn take_back_edge(&mut self, changes: u64, steps: u64) -> bool {
        let (before, start) = self.turn;
        if before != changes {
            self.turn = (changes, steps);
            self.paths.iter_mut().for_each(|path| path.turns = 0);
            false
        } else if steps.saturating_sub(start) >= TURN {
            self.turn = (changes, steps);
            if let Some(path) = self.paths.get_mut(self.running) {
                path.turns += 1;
            }
            true
        } else {
            false
        }
    }

    /// No path can run, and all lanes wait at a `BSYNC`. If nested calls use the same barrier, this releases
    /// the group that arrived last. Returns whether there was one.
    pub(super) fn release_nested(&mut self) -> bool {
        if !self.synchronizing.is_empty() || !self.at_block.is_empty() {
            return false;
        }
        let is_saved = |one: &&Blocked| self.saved >> one.barrier & 1 == 1;
        let Some(last) = self.blocked.iter().filter(is_saved).max_by_key(|one| one.since).copied() else {
            return false;
        };
        self.blocked.retain(|one| *one != last);
        self.masks[usize::from(last.barrier)] &= !last.mask;
        self.resume(vec![(last.pc, last.mask & self.live)]);
        true
    }

    /// All remaining paths wait for others: releases lanes from a `BSYNC` if all its missing lanes have
    /// yielded since.
    fn release_yielded(&mut self) {
        for index in 0..self.blocked.len() {
            let Blocked { barrier, since, .. } = self.blocked[index];
            let waiting =
                self.blocked.iter().filter(|one| one.barrier == barrier).fold(0, |all, one| all | one.mask);
            let missing = self.masks[usize::from(barrier)] & self.live & !waiting;
            if lanes(missing).all(|lane| self.yielded[lane] > since) {
                self.masks[usize::from(barrier)] = missing;
                let (released, blocked): (Vec<_>, Vec<_>) =
                    self.blocked.drain(..).partition(|one| one.barrier == barrier);
                self.blocked = blocked;
                self.resume(released.into_iter().map(|one| (one.pc, one.mask)).collect());
                return;
            }
        }
    }

    /// Lanes at a `BSYNC` run again once those that they wait for have yielded.
    pub(super) fn has_lone_lane(&self) -> bool {
        let lone = self.paths.iter().fold(0, |all, path| all | path.mask);
        let has_yielded = |one: &Blocked| lanes(lone).any(|lane| self.yielded[lane] > one.since);
        lone.count_ones() == 1 && !self.blocked.iter().any(has_yielded)
    }

    pub(super) fn waiting(&self) -> Vec<Waiting> {
        let before = |pc: u32| pc.saturating_sub(1);
        let paths = self.paths.iter().map(|path| Waiting {
            statement: path.pc,
            mask: path.mask,
            why: WaitReason::Runnable,
        });
        let mut groups: Vec<(u8, u32, u32)> = Vec::new();
        for one in &self.blocked {
            match groups.iter_mut().find(|(barrier, pc, _)| (*barrier, *pc) == (one.barrier, one.pc)) {
                Some((.., mask)) => *mask |= one.mask,
                None => groups.push((one.barrier, one.pc, one.mask)),
            }
        }
        let here = |barrier: u8| {
            let blocked = self.blocked.iter().filter(|one| one.barrier == barrier);
            blocked.fold(0, |all, one| all | one.mask)
        };
        let missing = |barrier: u8| self.masks[usize::from(barrier)] & self.live & !here(barrier);
        let blocked = groups.into_iter().map(|(barrier, pc, mask)| Waiting {
            statement: before(pc),
            mask,
            why: WaitReason::Barrier(barrier, missing(barrier)),
        });
        let synchronizing = self.synchronizing.iter().map(|one| Waiting {
            statement: before(one.pc),
            mask: one.mask,
            why: WaitReason::WarpSync(one.members & self.live & !one.mask),
        });
        let at_block = self.at_block.iter().map(|path| Waiting {
            statement: before(path.pc),
            mask: path.mask,
            why: WaitReason::Block,
        });
        let in_tokens = self.regions.waiting();
        let in_tokens = in_tokens.map(|(statement, mask, kind)| Waiting {
            statement,
            mask,
            why: WaitReason::Token(kind),
        });
        let stopped = blocked.chain(synchronizing).chain(at_block).chain(in_tokens);
        let mut waiting: Vec<_> = paths.chain(stopped).collect();
        // Sorting makes the order of statements independent of which path ran first.
        waiting.sort_by_key(|one| (one.why != WaitReason::Runnable, one.statement));
        waiting
    }

    pub(super) fn is_where(&self, earlier: &Barriers) -> bool {
        let path = |path: &Path| (path.pc, path.mask, path.yielded != 0);
        let blocked = |one: &Blocked| (one.barrier, one.pc, one.mask);
        self.masks == earlier.masks
            && self.paths.iter().map(path).eq(earlier.paths.iter().map(path))
            && self.blocked.iter().map(blocked).eq(earlier.blocked.iter().map(blocked))
            && self.synchronizing == earlier.synchronizing
            && self.regions == earlier.regions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(barriers: &mut Barriers) -> Option<(u32, u32)> {
        barriers.next().map(|group| (group.pc, group.mask))
    }

    #[test]
    fn lanes_of_a_barrier_continue_together() {
        let mut barriers = Barriers::new(0xff);
        barriers.set(0, 0xff);
        barriers.diverge(&[(2, 0xf0), (5, 0x0f)]);
        assert_eq!(next(&mut barriers), Some((2, 0xf0)));
        barriers.wait(0, 0xf0, 9);
        assert_eq!(next(&mut barriers), Some((5, 0x0f)));
        barriers.wait(0, 0x0f, 9);
        assert_eq!(next(&mut barriers), Some((9, 0xff)));
        assert_eq!(barriers.joined, [(9, vec![0xf0, 0x0f])]);
    }

    #[test]
    fn the_path_with_the_fewest_lanes_runs_first_until_it_waits() {
        let mut barriers = Barriers::new(0xff);
        barriers.set(0, 0xff);
        barriers.diverge(&[(2, 0xf8), (5, 0x07)]);
        assert_eq!(next(&mut barriers), Some((5, 0x07)));
        barriers.go_on(6);
        barriers.break_out(0, 0x07);
        assert_eq!(next(&mut barriers), Some((6, 0x07)));
        barriers.diverge(&[(7, 0x01), (8, 0x06)]);
        assert_eq!(next(&mut barriers), Some((7, 0x01)));
        barriers.exit(0x01, 8);
        assert_eq!(next(&mut barriers), Some((8, 0x06)));
        // Among equal ones the first part wins, which does not take the branch.
        barriers.diverge(&[(9, 0x04), (1, 0x02)]);
        assert_eq!(next(&mut barriers), Some((9, 0x04)));
    }

    #[test]
    fn paths_that_yield_at_one_statement_become_one() {
        let mut barriers = Barriers::new(0b111);
        barriers.diverge(&[(1, 0b001), (4, 0b110)]);
        next(&mut barriers);
        barriers.go_on(9);
        barriers.yield_lanes(0b001);
        assert_eq!(next(&mut barriers), Some((4, 0b110)));
        barriers.go_on(9);
        assert_eq!(next(&mut barriers), Some((9, 0b110)));
        barriers.yield_lanes(0b110);
        assert_eq!(next(&mut barriers), Some((9, 0b111)));
        assert_eq!(barriers.joined, [(9, vec![0b001, 0b110])]);
    }

    #[test]
    fn lanes_that_are_not_of_a_barrier_do_not_wait_at_it() {
        let mut barriers = Barriers::new(0b11);
        barriers.diverge(&[(1, 0b01), (5, 0b10)]);
        barriers.set(0, 0b10);
        assert_eq!(next(&mut barriers), Some((1, 0b01)));
        barriers.wait(0, 0b01, 2);
        assert_eq!(next(&mut barriers), Some((2, 0b01)));
    }

    #[test]
    fn lanes_that_exit_are_not_waited_for() {
        let mut barriers = Barriers::new(0b111);
        barriers.set(1, 0b111);
        barriers.diverge(&[(4, 0b011), (1, 0b100)]);
        assert_eq!(next(&mut barriers), Some((1, 0b100)));
        barriers.wait(1, 0b100, 8);
        assert_eq!(next(&mut barriers), Some((4, 0b011)));
        barriers.exit(0b011, 5);
        assert_eq!(next(&mut barriers), Some((8, 0b100)));
    }

    #[test]
    fn lanes_that_yield_are_not_waited_for_if_all_else_spins() {
        let mut barriers = Barriers::new(0b11);
        barriers.set(0, 0b11);
        barriers.diverge(&[(1, 0b01), (5, 0b10)]);
        next(&mut barriers);
        barriers.go_on(6);
        barriers.yield_lanes(0b01);
        assert_eq!(next(&mut barriers), Some((5, 0b10)));
        barriers.wait(0, 0b10, 7);
        assert_eq!(next(&mut barriers), Some((6, 0b01)));
        barriers.yield_lanes(0b01);
        barriers.take_back_edge(0, 2 * TURN);
        assert_eq!(next(&mut barriers), Some((7, 0b10)));
    }

    #[test]
    fn a_synchronization_waits_for_the_lanes_of_its_mask() {
        let mut barriers = Barriers::new(0b1111);
        barriers.diverge(&[(1, 0b0011), (5, 0b1100)]);
        next(&mut barriers);
        barriers.synchronize(&[0b0111; 32], 0b0011, 2);
        assert_eq!(next(&mut barriers), Some((5, 0b1100)));
        barriers.synchronize(&[0b0111; 32], 0b0100, 6);
        assert_eq!(next(&mut barriers), Some((6, 0b1000)));
        barriers.exit(0b1000, 7);
        assert_eq!(next(&mut barriers), Some((6, 0b0100)));
        barriers.exit(0b0100, 7);
        assert_eq!(next(&mut barriers), Some((2, 0b0011)));
    }
}
