//! The reconvergence stack of a warp: which lanes run next, and who waits for whom.
//!
//! An entry is a group of lanes, the instruction they run next, and the one they stop at because others meet them there. Lanes
//! of an entry may also be in entries above it: then the entry is where they will go on, and it does not run before they are
//! back. The two models that use a stack differ in where lanes meet and in what becomes of groups that wait side by side.

use crate::ptx::program::Slot;

/// Which rule the stack follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StackRule {
    /// Groups that wait in one region run lowest instruction first, and a group that a divergent branch sends to the
    /// instruction of a waiting one joins it.
    Merging,
    /// Groups run in the order in which the branch made them, the taken side first.
    Plain,
}

/// Lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The next instruction.
    pub(crate) pc: u32,
    /// The instruction at which they stop; one past the last where there is none.
    pub(crate) until: u32,
    /// The lanes.
    pub(crate) mask: u32,
    /// The call that they are in.
    pub(crate) frame: Slot,
    /// Whether they wait at a barrier.
    pub(crate) blocked: bool,
}

/// The stack. The group that runs is `entries[running]`.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    rule: StackRule,
    entries: Vec<Group>,
    running: usize,
    /// Calls whose last group has gone.
    done: Vec<Slot>,
}

impl Stack {
    pub(crate) fn new(rule: StackRule, mask: u32, until: u32) -> Stack {
        let first = Group { pc: 0, until, mask, frame: 0, blocked: false };
        Stack { rule, entries: vec![first], running: 0, done: Vec::new() }
    }

    /// The group to run next, and `None` where all wait or nobody is left.
    pub(crate) fn next(&mut self, live: u32) -> Option<Group> {
        let mut above = 0;
        let mut at = self.entries.len();
        while at > 0 {
            at -= 1;
            let entry = self.entries[at];
            let mask = entry.mask & live;
            if mask == 0 || entry.pc == entry.until && mask & above == 0 {
                self.remove(at);
            } else if mask & above == 0 && !entry.blocked {
                self.running = at;
                return Some(Group { mask, ..entry });
            } else {
                above |= mask;
            }
        }
        None
    }

    fn remove(&mut self, at: usize) {
        let frame = self.entries.remove(at).frame;
        if !self.entries.iter().any(|entry| entry.frame == frame) {
            self.done.push(frame);
        }
    }

    /// Calls that nobody is in any more.
    pub(crate) fn take_done(&mut self) -> Vec<Slot> {
        std::mem::take(&mut self.done)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entries(&self) -> &[Group] {
        &self.entries
    }

    /// The running group goes on at `pc`.
    pub(crate) fn go_on(&mut self, pc: u32) {
        self.entries[self.running].pc = pc;
    }

    /// The running group parts; all meet again at `join`. Parts come in the order of their targets in the instruction.
    pub(crate) fn part(&mut self, parts: &[(u32, u32)], join: u32) {
        let Group { until, frame, .. } = self.entries[self.running];
        let mut at = self.running;
        if join == until {
            self.entries.remove(at);
        } else {
            self.entries[at].pc = join;
            at += 1;
        }
        let region = Group { pc: 0, until: join, mask: 0, frame, blocked: false };
        for &(pc, mask) in parts.iter().rev().filter(|(pc, _)| *pc != join) {
            at = match self.rule {
                StackRule::Merging => self.insert_sorted(Group { pc, mask, ..region }, at),
                StackRule::Plain => {
                    self.entries.insert(at, Group { pc, mask, ..region });
                    at + 1
                }
            };
        }
    }

    /// Puts a group among those that wait in its region, the highest instruction lowest in the stack, and gives the place
    /// above the region.
    fn insert_sorted(&mut self, group: Group, above: usize) -> usize {
        let same = |entry: &Group| entry.until == group.until && entry.frame == group.frame;
        let mut at = above;
        while at > 0 && same(&self.entries[at - 1]) {
            let entry = &mut self.entries[at - 1];
            if entry.pc == group.pc && !entry.blocked {
                entry.mask |= group.mask;
                return above;
            }
            if entry.pc > group.pc {
                break;
            }
            at -= 1;
        }
        self.entries.insert(at, group);
        above + 1
    }

    /// Lanes of the running group enter a call; the group goes on at `back` when they have returned.
    pub(crate) fn call(&mut self, back: u32, calls: &[(Slot, u32, u32)]) {
        self.entries[self.running].pc = back;
        for (index, &(frame, until, mask)) in calls.iter().enumerate() {
            let entry = Group { pc: 0, until, mask, frame, blocked: false };
            self.entries.insert(self.running + 1 + index, entry);
        }
    }

    /// Lanes leave every group of a call.
    pub(crate) fn leave(&mut self, frame: Slot, mask: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.frame == frame) {
            entry.mask &= !mask;
        }
    }

    /// The running group waits at a barrier.
    pub(crate) fn block(&mut self) {
        self.entries[self.running].blocked = true;
    }

    /// The group that runs, or ran last.
    pub(crate) fn running(&self) -> Option<Group> {
        self.entries.get(self.running).copied()
    }

    /// The groups with lanes of `mask` that wait at a barrier go on.
    pub(crate) fn release(&mut self, mask: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.mask & mask != 0) {
            entry.blocked = false;
        }
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
            stack.go_on(group.until);
        }
        seen
    }

    #[test]
    fn sides_run_and_then_meet() {
        let mut stack = Stack::new(StackRule::Merging, ALL, 100);
        stack.next(ALL);
        stack.part(&[(10, 0xff), (1, !0xff)], 20);
        assert_eq!(masks(&mut stack), [(1, !0xff), (10, 0xff), (20, ALL)]);
    }

    #[test]
    fn the_textbook_runs_the_taken_side_first() {
        let mut stack = Stack::new(StackRule::Plain, ALL, 100);
        stack.next(ALL);
        stack.part(&[(10, 0xff), (1, !0xff)], 20);
        assert_eq!(masks(&mut stack), [(10, 0xff), (1, !0xff), (20, ALL)]);
    }

    #[test]
    fn a_group_sent_to_a_waiting_one_joins_it() {
        let mut stack = Stack::new(StackRule::Merging, ALL, 100);
        stack.next(ALL);
        stack.part(&[(10, 0x1111), (1, !0x1111)], 20);
        let group = stack.next(ALL).expect("the lower side");
        assert_eq!(group.pc, 1);
        stack.part(&[(10, 0x2222), (5, !0x3333)], 20);
        assert_eq!(masks(&mut stack), [(5, !0x3333), (10, 0x3333), (20, ALL)]);
    }

    #[test]
    fn a_loop_does_not_grow_the_stack() {
        let mut stack = Stack::new(StackRule::Merging, ALL, 100);
        for trip in 0..8 {
            let group = stack.next(ALL).expect("lanes left");
            stack.part(&[(0, group.mask << 1), (9, group.mask & !(group.mask << 1))], 9);
            assert!(stack.entries().len() <= 2, "trip {trip}");
        }
        assert_eq!(masks(&mut stack), [(0, ALL << 8), (9, ALL)]);
    }

    #[test]
    fn returning_lanes_wait_for_the_others_in_the_caller() {
        let mut stack = Stack::new(StackRule::Merging, ALL, 100);
        stack.next(ALL);
        stack.call(7, &[(1, 50, 0xff)]);
        assert_eq!(stack.next(ALL).map(|group| (group.frame, group.mask)), Some((1, 0xff)));
        stack.leave(1, 0x0f);
        assert_eq!(stack.next(ALL).map(|group| group.mask), Some(0xf0));
        stack.leave(1, 0xf0);
        assert_eq!(stack.next(ALL).map(|group| (group.frame, group.pc, group.mask)), Some((0, 7, ALL)));
        assert_eq!(stack.take_done(), [1]);
    }

    #[test]
    fn who_waits_at_a_barrier_lets_the_other_side_run() {
        let mut stack = Stack::new(StackRule::Merging, ALL, 100);
        stack.next(ALL);
        stack.part(&[(10, 0xff), (1, !0xff)], 20);
        stack.next(ALL);
        stack.go_on(2);
        stack.block();
        assert_eq!(stack.next(ALL).map(|group| group.mask), Some(0xff));
        stack.go_on(11);
        stack.block();
        assert_eq!(stack.next(ALL), None);
        stack.release(ALL);
        assert_eq!(stack.next(ALL).map(|group| (group.pc, group.mask)), Some((2, !0xff)));
    }
}
