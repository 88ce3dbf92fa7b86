//! The choices of a run under a schedule other than the default one.
//!
//! A race-free program can depend on the order only at statements that synchronize: atomics, strong loads and stores,
//! mbarriers, barriers, `activemask`. A warp pauses before each of them, and the scheduler decides who continues. As in PCT
//! (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010), warps, blocks and
//! clusters have random priorities, and few switches move the running one behind the others: the first schedules switch once
//! or twice, later ones more often.

use super::{LaneOrder, Schedule};
use crate::split_mix::SplitMix64;

/// What a switch moves behind the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    Warp,
    Block,
    Cluster,
}

/// How often the first schedules switch grows by one after this many schedules.
const SCHEDULES_PER_SWITCH: u32 = 4;
/// Schedules from this one on switch any number of times.
const UNLIMITED: u32 = 24;
/// The binary logarithm of the largest number of pauses between two switches.
const MAX_GAP_BITS: u64 = 9;
/// Pauses without a change of memory after which threads probably wait.
const STALLED: u32 = 48;

#[derive(Clone, Debug)]
pub struct Scheduler {
    random: SplitMix64,
    /// The kinds of switches that the launch has: those between several warps, blocks or clusters.
    switches: Vec<Switch>,
    switches_left: u32,
    pauses_left: u32,
    gap_bits: u64,
    reverses: bool,
    /// Whether asynchronous operations complete at issue.
    pub eager: bool,
    /// One of so many pauses completes an operation in flight; 0 for none.
    pauses_per_completion: u64,
    /// One of so many groups is split where that is possible; 0 for none.
    groups_per_split: u64,
    /// Whether the running warp may execute the statement before which it paused.
    passes: bool,
    /// The number of changes of memory at the last pause, and the pauses since it grew.
    changes: u64,
    unchanged: u32,
}

impl Scheduler {
    /// The choices of a schedule, for a launch with so many warps in a block, blocks in a cluster, and clusters.
    pub fn new(schedule: Schedule, warps: u64, blocks: u64, clusters: u64) -> Scheduler {
        let mut random =
            SplitMix64(schedule.seed ^ u64::from(schedule.index).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let counts = [(Switch::Warp, warps), (Switch::Block, blocks), (Switch::Cluster, clusters)];
        let switches = counts.into_iter().filter(|(_, count)| *count > 1).map(|(switch, _)| switch).collect();
        let index = schedule.index;
        let switches_left = match index {
            0 => 0,
            UNLIMITED.. => u32::MAX,
            _ => 1 + index / SCHEDULES_PER_SWITCH,
        };
        let gap_bits = random.below(MAX_GAP_BITS + 1);
        let mut scheduler = Scheduler {
            switches,
            switches_left,
            pauses_left: 0,
            gap_bits,
            reverses: index == 0,
            eager: index == 0 || random.below(4) == 0,
            pauses_per_completion: [0, 1, 4][random.below(3) as usize],
            groups_per_split: if index == 0 { 0 } else { [1, 2, 4][random.below(3) as usize] },
            passes: false,
            changes: 0,
            unchanged: 0,
            random,
        };
        scheduler.pauses_left = scheduler.gap();
        scheduler
    }

    /// A number of pauses: all orders of magnitude are equally likely, because the number of pauses of the run is unknown.
    fn gap(&mut self) -> u32 {
        let bits = self.random.below(self.gap_bits + 1);
        1 + self.random.below(1 << bits) as u32
    }

    /// Who runs first among `count`, as indices.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        if self.reverses {
            order.reverse();
        } else {
            (1..count).for_each(|at| order.swap(at, self.random.below(at as u64 + 1) as usize));
        }
        order
    }

    /// One of the numbers below `count`.
    pub fn choose(&mut self, count: usize) -> usize {
        if self.reverses { count.saturating_sub(1) } else { self.random.below(count as u64) as usize }
    }

    /// Called when a warp pauses: whether another one continues. Otherwise the warp may execute the statement.
    pub fn paused(&mut self) -> Option<Switch> {
        self.passes = true;
        if self.switches_left == 0 || self.switches.is_empty() {
            return None;
        }
        self.pauses_left -= 1;
        if self.pauses_left != 0 {
            return None;
        }
        self.switches_left = self.switches_left.saturating_sub(1);
        self.pauses_left = self.gap();
        let kind = self.random.below(self.switches.len() as u64) as usize;
        Some(self.switches[kind])
    }

    /// From now on no cluster is moved behind others.
    pub fn keep_clusters(&mut self) {
        self.switches.retain(|switch| *switch != Switch::Cluster);
    }

    /// Called when a warp continues. `has_paused`: it stopped before a statement, which it may execute now.
    pub fn runs(&mut self, has_paused: bool) {
        self.passes = has_paused;
    }

    /// Whether the running warp pauses before the statement at which it is, which synchronizes.
    pub fn pauses(&mut self) -> bool {
        !std::mem::take(&mut self.passes)
    }

    /// The operation in flight that completes at this pause, if one does.
    pub fn completes(&mut self, in_flight: usize) -> Option<usize> {
        let completes = in_flight != 0
            && self.pauses_per_completion != 0
            && self.random.below(self.pauses_per_completion) == 0;
        completes.then(|| self.choose(in_flight))
    }

    /// Whether threads have paused often without a change of memory, so that they probably wait. `changes` counts changes.
    pub fn is_stalled(&mut self, changes: u64) -> bool {
        self.unchanged = if changes == self.changes { self.unchanged.saturating_add(1) } else { 0 };
        self.changes = changes;
        self.unchanged > STALLED
    }

    /// Which lanes of a group run separately from now on, if it is split.
    pub fn split(&mut self, mask: u32) -> Option<u32> {
        if self.groups_per_split == 0 || self.random.below(self.groups_per_split) != 0 {
            return None;
        }
        let pivot = self.random.below(u32::BITS.into()) as u32;
        let part = match self.random.below(3) {
            0 => u32::MAX << pivot,
            1 => 1 << pivot,
            _ => self.random.next() as u32,
        } & mask;
        (part != 0 && part != mask).then_some(part)
    }

    /// The order in which the lanes of an atomic of a warp of this width are served.
    pub fn lane_order(&mut self, width: u32) -> LaneOrder {
        match self.reverses {
            true => LaneOrder::REVERSED,
            false => LaneOrder::new(self.random.below(width.into()) as u32, self.random.below(2) == 1),
        }
    }

    /// A start value for further choices.
    pub fn seed(&mut self) -> u64 {
        self.random.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches(index: u32, pauses: u32) -> Vec<Option<Switch>> {
        let mut scheduler = Scheduler::new(Schedule { seed: 3, index }, 4, 1, 8);
        (0..pauses).map(|_| scheduler.paused()).collect()
    }

    #[test]
    fn later_schedules_switch_more_often() {
        let count = |index: u32| switches(index, 10_000).iter().flatten().count();
        assert_eq!((count(0), count(1), count(4), count(23)), (0, 1, 2, 6));
        assert!(count(24) > 10);
        let all = switches(24, 10_000);
        assert!(all.contains(&Some(Switch::Warp)) && all.contains(&Some(Switch::Cluster)));
        assert!(!all.contains(&Some(Switch::Block)), "a cluster of one block");
    }

    #[test]
    fn a_schedule_is_the_same_each_time() {
        assert_eq!(switches(30, 1000), switches(30, 1000));
        assert_ne!(switches(30, 1000), switches(31, 1000));
    }

    #[test]
    fn the_first_schedule_reverses_every_order() {
        let mut scheduler = Scheduler::new(Schedule { seed: 1, index: 0 }, 3, 1, 1);
        assert_eq!(scheduler.order(3), [2, 1, 0]);
        assert_eq!(scheduler.choose(5), 4);
    }

    #[test]
    fn a_split_is_a_part_of_the_group() {
        let mut scheduler = Scheduler::new(Schedule { seed: 1, index: 5 }, 1, 1, 1);
        let parts: Vec<u32> = (0..200).filter_map(|_| scheduler.split(0xaaaa_aaaa)).collect();
        assert!(parts.len() > 10);
        assert!(parts.iter().all(|part| part & !0xaaaa_aaaa == 0 && *part != 0 && *part != 0xaaaa_aaaa));
    }
}
