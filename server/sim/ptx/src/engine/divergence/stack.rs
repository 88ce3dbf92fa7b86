//! The reconvergence stack: lanes reconverge at the immediate post-dominator of the divergent branch.
//!
//! After Fung et al., "Dynamic Warp Formation and Scheduling for Efficient GPU Control Flow" (MICRO 2007). An entry is a
//! group of lanes, its next instruction and its reconvergence point. Lanes of an entry may also be in entries above it; the
//! lower entry then tells where they continue, and it does not run before they are back. The two stack models differ in the
//! reconvergence point and in how they treat groups that wait in the same region.

use super::group::{FunctionEntry, Group, LanePosition};
use super::reconvergences::ReconvergenceLog;
use crate::program::Slot;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    /// Groups that wait in one region run in instruction order. A group that diverges to the instruction of a waiting group
    /// merges with it.
    Merging,
    /// Groups run in branch order, the taken path first.
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    pc: u32,
    /// The reconvergence point; one past the last instruction if there is none.
    until: u32,
    mask: u32,
    frame: Slot,
    blocked: bool,
}

/// The running group is `entries[running]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stack {
    rule: Rule,
    entries: Vec<Entry>,
    running: usize,
    pub(super) done: Vec<Slot>,
    pub(super) reconvergences: ReconvergenceLog,
}

impl Stack {
    pub(super) fn new(rule: Rule, mask: u32, until: u32) -> Stack {
        let entries = vec![Entry::first(mask, until)];
        Stack { rule, entries, running: 0, done: Vec::new(), reconvergences: ReconvergenceLog::default() }
    }

    /// Like [`Stack::new`], but keeps the setting whether reconvergences are recorded.
    pub(super) fn renew(&mut self, mask: u32, until: u32) {
        self.entries.clear();
        self.entries.push(Entry::first(mask, until));
        self.running = 0;
        self.done.clear();
        self.reconvergences.forget();
    }

    #[inline(always)]
    pub(super) fn next(&mut self, live: u32) -> Option<Group> {
        let mut above = 0;
        let mut at = self.entries.len();
        while at > 0 {
            at -= 1;
            let entry = self.entries[at];
            let mask = entry.mask & live;
            if mask == 0 {
                self.remove(at);
                self.reconvergences.retain(live);
            } else if entry.pc == entry.until && mask & above == 0 {
                self.reconvergences.arrive(entry.frame, entry.until, mask);
                self.remove(at);
            } else if mask & above == 0 && !entry.blocked {
                self.running = at;
                let Entry { pc, until, frame, .. } = entry;
                self.reconvergences.advance_to(frame, pc, mask);
                return Some(Group { pc, until, mask, frame, alone: true, needs_convergence: false });
            } else {
                above |= mask;
            }
        }
        None
    }

    fn remove(&mut self, at: usize) {
        let frame = self.take(at).frame;
        if !self.entries.iter().rev().any(|entry| entry.frame == frame) {
            self.done.push(frame);
        }
    }

    /// Removes an entry, usually the top one.
    #[inline(always)]
    fn take(&mut self, at: usize) -> Entry {
        if at + 1 == self.entries.len()
            && let Some(last) = self.entries.pop()
        {
            return last;
        }
        self.entries.remove(at)
    }

    /// Inserts an entry, usually at the top.
    #[inline(always)]
    fn put(&mut self, at: usize, entry: Entry) {
        if at == self.entries.len() {
            self.entries.push(entry);
        } else {
            self.entries.insert(at, entry);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn places(&self) -> Vec<LanePosition> {
        self.entries.iter().rev().map(Entry::place).collect()
    }

    #[inline(always)]
    pub(super) fn advance_to(&mut self, pc: u32) {
        self.entries[self.running].pc = pc;
    }

    #[inline(always)]
    pub(super) fn diverge(&mut self, parts: &[(u32, u32)], join: u32) {
        let Entry { until, frame, .. } = self.entries[self.running];
        let mut at = self.running;
        if join == until {
            self.take(at);
        } else {
            self.entries[at].pc = join;
            at += 1;
        }
        for &(_, mask) in parts.iter().filter(|(pc, _)| *pc == join) {
            self.reconvergences.arrive(frame, join, mask);
        }
        let region = Entry { pc: 0, until: join, mask: 0, frame, blocked: false };
        for &(pc, mask) in parts.iter().rev().filter(|(pc, _)| *pc != join) {
            at = match self.rule {
                Rule::Merging => self.insert_sorted(Entry { pc, mask, ..region }, at),
                Rule::Plain => {
                    self.put(at, Entry { pc, mask, ..region });
                    at + 1
                }
            };
        }
    }

    /// Whether the second of two paths of the running group's branch would run first; `None` if the group is not next after
    /// the paths because it ends at `join` itself.
    #[inline(always)]
    pub(super) fn reverses_paths(&self, paths: [u32; 2], join: u32) -> Option<bool> {
        if self.entries[self.running].until == join {
            return None;
        }
        Some(self.rule == Rule::Merging && paths[1] < paths[0])
    }

    /// Records that the running group reconverges after the paths of a branch. `paths` are in the order in which they ran.
    #[inline(always)]
    pub(super) fn rejoined(&mut self, paths: [(u32, u32); 2], join: u32) {
        if self.reconvergences.ignored {
            return;
        }
        let frame = self.entries[self.running].frame;
        for (_, mask) in paths.into_iter().filter(|(pc, _)| *pc == join) {
            self.reconvergences.arrive(frame, join, mask);
        }
        for (pc, mask) in paths.into_iter().filter(|(pc, _)| *pc != join) {
            self.reconvergences.advance_to(frame, pc, mask);
            self.reconvergences.arrive(frame, join, mask);
        }
        self.reconvergences.advance_to(frame, join, paths[0].1 | paths[1].1);
    }

    /// Inserts a group among the waiting groups of its region, in instruction order from the top. Returns the index above
    /// the region.
    #[inline(always)]
    fn insert_sorted(&mut self, group: Entry, above: usize) -> usize {
        let same = |entry: &Entry| entry.until == group.until && entry.frame == group.frame;
        let mut at = above;
        while at > 0 && same(&self.entries[at - 1]) {
            let entry = &mut self.entries[at - 1];
            if entry.pc == group.pc && !entry.blocked {
                entry.mask |= group.mask;
                self.reconvergences.arrive(group.frame, group.pc, group.mask);
                return above;
            }
            if entry.pc > group.pc {
                break;
            }
            at -= 1;
        }
        self.put(at, group);
        above + 1
    }

    pub(super) fn call(&mut self, back: u32, entered: &[FunctionEntry]) {
        self.entries[self.running].pc = back;
        for (index, &FunctionEntry { frame, end: until, mask, .. }) in entered.iter().enumerate() {
            let entry = Entry { pc: 0, until, mask, frame, blocked: false };
            self.entries.insert(self.running + 1 + index, entry);
        }
    }

    /// Whether all lanes have the same position and state as in `earlier`.
    pub(super) fn is_where(&self, earlier: &Stack) -> bool {
        // Empty lists are skipped: some CPUs are slow at a zero-length `memcmp` at an empty list's dangling address.
        let is_done = |stack: &Stack| !stack.done.is_empty();
        self.running == earlier.running
            && self.entries == earlier.entries
            && is_done(self) == is_done(earlier)
            && (!is_done(self) || self.done == earlier.done)
    }

    pub(super) fn leave(&mut self, frame: Slot, caller: Slot, mask: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.frame == frame) {
            entry.mask &= !mask;
        }
        let waits = |entry: &&Entry| entry.frame == caller && entry.mask & mask != 0;
        if let Some(waiting) = self.entries.iter().rev().find(waits) {
            self.reconvergences.arrive(caller, waiting.pc, mask);
        }
    }

    pub(super) fn block(&mut self) {
        self.entries[self.running].blocked = true;
    }

    pub(super) fn running(&self) -> Option<LanePosition> {
        self.entries.get(self.running).map(Entry::place)
    }

    pub(super) fn release(&mut self, mask: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.mask & mask != 0) {
            entry.blocked = false;
        }
    }
}

impl Entry {
    fn first(mask: u32, until: u32) -> Entry {
        Entry { pc: 0, until, mask, frame: 0, blocked: false }
    }

    fn place(&self) -> LanePosition {
        LanePosition { frame: self.frame, pc: self.pc, mask: self.mask }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = u32::MAX;

    fn masks(stack: &mut Stack) -> Vec<(u32, u32)> {
        let mut seen = Vec::new();
        while let Some(group) = stack.next(ALL) {
            seen.push((group.pc, group.mask));
            stack.advance_to(group.until);
        }
        seen
    }

    #[test]
    fn paths_run_and_then_reconverge() {
        let mut stack = Stack::new(Rule::Merging, ALL, 100);
        stack.next(ALL);
        stack.diverge(&[(10, 0xff), (1, !0xff)], 20);
        assert_eq!(masks(&mut stack), [(1, !0xff), (10, 0xff), (20, ALL)]);
    }

    #[test]
    fn ipdom_runs_the_taken_path_first() {
        let mut stack = Stack::new(Rule::Plain, ALL, 100);
        stack.next(ALL);
        stack.diverge(&[(10, 0xff), (1, !0xff)], 20);
        assert_eq!(masks(&mut stack), [(10, 0xff), (1, !0xff), (20, ALL)]);
    }

    #[test]
    fn a_group_at_a_waiting_one_merges_with_it() {
        let mut stack = Stack::new(Rule::Merging, ALL, 100);
        stack.next(ALL);
        stack.diverge(&[(10, 0x1111), (1, !0x1111)], 20);
        let group = stack.next(ALL).expect("the lower side");
        assert_eq!(group.pc, 1);
        stack.diverge(&[(10, 0x2222), (5, !0x3333)], 20);
        assert_eq!(masks(&mut stack), [(5, !0x3333), (10, 0x3333), (20, ALL)]);
    }

    #[test]
    fn a_loop_does_not_grow_the_stack() {
        let mut stack = Stack::new(Rule::Merging, ALL, 100);
        for iteration in 0..8 {
            let group = stack.next(ALL).expect("live lanes");
            stack.diverge(&[(0, group.mask << 1), (9, group.mask & !(group.mask << 1))], 9);
            assert!(stack.entries.len() <= 2, "iteration {iteration}");
        }
        assert_eq!(masks(&mut stack), [(0, ALL << 8), (9, ALL)]);
    }

    #[test]
    fn returning_lanes_wait_in_the_caller() {
        let mut stack = Stack::new(Rule::Merging, ALL, 100);
        stack.next(ALL);
        stack.call(7, &[FunctionEntry { frame: 1, function: 1, end: 50, mask: 0xff }]);
        assert_eq!(stack.next(ALL).map(|group| (group.frame, group.mask)), Some((1, 0xff)));
        stack.leave(1, 0, 0x0f);
        assert_eq!(stack.next(ALL).map(|group| group.mask), Some(0xf0));
        stack.leave(1, 0, 0xf0);
        assert_eq!(stack.next(ALL).map(|group| (group.frame, group.pc, group.mask)), Some((0, 7, ALL)));
        assert_eq!(stack.done, [1]);
    }

    #[test]
    fn a_group_at_a_barrier_lets_the_other_path_run() {
        let mut stack = Stack::new(Rule::Merging, ALL, 100);
        stack.next(ALL);
        stack.diverge(&[(10, 0xff), (1, !0xff)], 20);
        stack.next(ALL);
        stack.advance_to(2);
        stack.block();
        assert_eq!(stack.next(ALL).map(|group| group.mask), Some(0xff));
        stack.advance_to(11);
        stack.block();
        assert_eq!(stack.next(ALL), None);
        stack.release(ALL);
        assert_eq!(stack.next(ALL).map(|group| (group.pc, group.mask)), Some((2, !0xff)));
    }
}
