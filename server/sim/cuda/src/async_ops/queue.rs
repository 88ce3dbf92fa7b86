//! The operations in flight of a cluster, and the groups that its threads have committed.

use std::ops::RangeBounds;

use rustc_hash::FxHashMap;

use super::copy_log::CopyLog;
use super::operation::{CompletionOrder, Effect, Group, Issuer, Operation, Signal};
use super::phase_log::PhaseLog;
use crate::grown::grown;
use crate::registers::{WIDTH, lanes};
use crate::sanitizer::copies::CopyFamily;
use crate::tensor_memory::operation::{CellOperation, LateProblem};
use crate::tensor_memory::use_log::UseLog;

/// What an operation in flight costs besides its accesses.
const COST: u64 = 8;

/// Bytes of host memory per access of an operation in flight, at most.
const BYTES_PER_ACCESS: u64 = 32;

/// The most that operations in flight may cost. It bounds their memory, and the time of a statement that completes them all.
/// An operation may complete at any time, so beyond it the oldest ones do.
const MAX_COST: u64 = 1 << 20;

/// The operations in flight of the running cluster, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Whether operations complete at issue.
    pub eager: bool,
    pub(super) operations: Vec<Operation>,
    /// What their completion costs.
    cost: u64,
    /// Problems that completed operations found in their operands, with issuer and statement.
    pub problems: Vec<(Issuer, u32, LateProblem)>,
    pub phases: PhaseLog,
    /// The tensor copies of each statement, in runs with checks.
    pub copies: CopyLog,
    /// How each block used its tensor memory, by rank, in runs with checks.
    pub cells: Vec<UseLog>,
    /// A snapshot of this queue and of the cluster's shared memory at the time when the trace of a warp was complete.
    pub(crate) traced: Option<Box<(Queue, Vec<u8>)>>,
    /// How often each warp has waited for products of its warpgroup, by rank and warp.
    product_waits: FxHashMap<(u32, u32), u32>,
    /// Committed groups of each lane, by rank, warp and family.
    committed: FxHashMap<(u32, u32, bool), [u32; WIDTH]>,
}

impl Queue {
    pub fn new(eager: bool) -> Queue {
        Queue { eager, ..Queue::default() }
    }

    /// Keeps a snapshot with the shared memory of the cluster, because the trace of a warp is complete.
    pub fn keep(&mut self, shared: &[u8]) {
        if self.traced.is_none() {
            self.traced = Some(Box::new((self.clone(), shared.to_vec())));
        }
    }

    /// Adds an operation. If those in flight cost too much, removes the oldest ones and returns them: the caller completes them.
    pub(super) fn push(&mut self, operation: Operation) -> Vec<Operation> {
        self.cost += cost(&operation);
        self.operations.push(operation);
        if self.cost <= MAX_COST {
            return Vec::new();
        }
        // The newest operations that cost half as much stay in flight.
        let mut left = self.cost;
        let is_surplus = |operation: &Operation| {
            let is_surplus = left > MAX_COST / 2;
            left -= cost(operation);
            is_surplus
        };
        self.take(.., is_surplus)
    }

    /// Removes and returns the operations in a range for which `is_done` holds, oldest first.
    fn take(
        &mut self,
        range: impl RangeBounds<usize>,
        mut is_done: impl FnMut(&Operation) -> bool,
    ) -> Vec<Operation> {
        let done: Vec<Operation> =
            self.operations.extract_if(range, |operation| is_done(operation)).collect();
        self.cost -= done.iter().map(cost).sum::<u64>();
        done
    }

    /// Removes the oldest operation in flight for which a thread may wait, and for a commit, the earlier operations of its thread.
    /// Returns them in the order in which they complete; none if no operation is in flight.
    pub(super) fn take_oldest(&mut self) -> Vec<Operation> {
        let oldest = self.operations.iter().position(|operation| !operation.awaits_commit()).unwrap_or(0);
        let Some(operation) = self.operations.get(oldest) else { return Vec::new() };
        let committed = operation.is_commit().then_some(operation.issuer);
        let mut index = 0;
        self.take(..=oldest, |operation| {
            let is_oldest = index == oldest;
            index += 1;
            is_oldest || operation.awaits_commit() && committed == Some(operation.issuer)
        })
    }

    /// Removes the operation at this index, and the earlier ones of its threads that it follows. Copies may complete in any order;
    /// operations on tensor memory complete in order, and an arrival follows what it tracks.
    pub(super) fn take_chosen(&mut self, index: usize) -> Vec<Operation> {
        let Some(chosen) = self.operations.get(index) else { return Vec::new() };
        let (issuer, follows) = (chosen.issuer, chosen.order());
        let mut at = 0;
        self.take(..=index, |operation| {
            let is_chosen = at == index;
            at += 1;
            let Issuer { rank, warp, lanes } = operation.issuer;
            let is_own = (rank, warp) == (issuer.rank, issuer.warp) && lanes & issuer.lanes != 0;
            is_chosen
                || is_own
                    && match follows {
                        CompletionOrder::Any => false,
                        CompletionOrder::AfterCells => operation.order() != CompletionOrder::Any,
                        CompletionOrder::AfterAll => true,
                    }
        })
    }

    pub(super) fn take_all(&mut self) -> Vec<Operation> {
        self.take(.., |_| true)
    }

    /// Removes the operations that a wait covers.
    pub(super) fn take_covered(&mut self, wait: &GroupWait) -> Vec<Operation> {
        let committed = self.committed_by(wait.waiting, wait.family);
        self.take(.., |operation| wait.covers(operation, committed.as_ref()))
    }

    pub(super) fn covered(&mut self, wait: &GroupWait) -> impl Iterator<Item = &mut Operation> {
        let committed = self.committed_by(wait.waiting, wait.family);
        self.operations.iter_mut().filter(move |operation| wait.covers(operation, committed.as_ref()))
    }

    /// Bytes of host memory of the operations in flight.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.operations.as_slice()) as u64 + self.cost * BYTES_PER_ACCESS
    }

    /// The number of operations in flight.
    pub fn in_flight(&self) -> u64 {
        self.operations.len() as u64
    }

    pub fn cells_of(&mut self, rank: u32) -> &mut UseLog {
        grown(&mut self.cells, rank)
    }

    /// Bytes that operations in flight will complete at an mbarrier.
    pub(crate) fn bytes_for(&self, object: usize) -> i64 {
        let bytes = |operation: &Operation| match operation.signal {
            Signal::Bytes(at, bytes) if at == object => i64::from(bytes),
            _ => 0,
        };
        self.operations.iter().map(bytes).sum()
    }

    /// Arrivals at an mbarrier that operations in flight will bring.
    pub(crate) fn arrivals_for(&self, object: usize) -> u64 {
        let arrives = |operation: &&Operation| operation.signal == Signal::Arrive(object);
        self.operations.iter().filter(arrives).count() as u64
    }

    /// The operations in flight on tensor memory, with issuers and statements.
    pub fn cell_operations(&self) -> impl Iterator<Item = (Issuer, u32, &CellOperation)> {
        self.operations.iter().filter_map(|operation| match &operation.effect {
            Effect::Cells(cells) => Some((operation.issuer, operation.statement, &**cells)),
            Effect::Transfer(_) | Effect::Nothing => None,
        })
    }

    /// A completed operation found a problem. One problem of each kind is kept per statement.
    pub(super) fn note_problem(&mut self, issuer: Issuer, statement: u32, problem: LateProblem) {
        let known =
            |(_, at, other): &(Issuer, u32, LateProblem)| (*at, other.kind) == (statement, problem.kind);
        if !self.problems.iter().any(known) {
            self.problems.push((issuer, statement, problem));
        }
    }

    /// The group that a new operation of the thread joins.
    pub fn group(&self, issuer: Issuer, family: CopyFamily) -> Group {
        let lane = issuer.lanes.trailing_zeros() as usize % WIDTH;
        Group { family, number: self.committed_by(issuer, family).map_or(0, |committed| committed[lane]) }
    }

    /// The committed groups of each lane of a warp.
    fn committed_by(&self, issuer: Issuer, family: CopyFamily) -> Option<[u32; WIDTH]> {
        self.committed.get(&(issuer.rank, issuer.warp, family == CopyFamily::Bulk)).copied()
    }

    pub fn wait_for_products(&mut self, rank: u32, warp: u32) {
        *self.product_waits.entry((rank, warp)).or_default() += 1;
    }

    /// Whether the other warps of its warpgroup have waited for products as often as this warp.
    pub fn warpgroup_has_waited(&self, rank: u32, warp: u32) -> bool {
        let waits = |warp: u32| self.product_waits.get(&(rank, warp)).copied().unwrap_or(0);
        warpgroup_of(warp).all(|other| waits(other) >= waits(warp))
    }

    pub fn commit(&mut self, issuer: Issuer, family: CopyFamily) {
        let key = (issuer.rank, issuer.warp, family == CopyFamily::Bulk);
        let committed = self.committed.entry(key).or_insert([0; WIDTH]);
        lanes(issuer.lanes).for_each(|lane| committed[lane] += 1);
    }
}

pub fn warpgroup_of(warp: u32) -> std::ops::Range<u32> {
    let first = warp / 4 * 4;
    first..first + 4
}

/// Threads wait until at most `left` groups of a family are in flight, or for `None`, until no operation of it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupWait {
    pub(super) waiting: Issuer,
    pub(super) family: CopyFamily,
    pub(super) left: Option<u32>,
}

impl GroupWait {
    /// Whether the wait covers an operation, if the threads have committed that many groups.
    fn covers(&self, operation: &Operation, committed: Option<&[u32; WIDTH]>) -> bool {
        let Operation { issuer, group: Some(group), .. } = operation else { return false };
        let GroupWait { waiting, family, left } = *self;
        let both = issuer.lanes & waiting.lanes;
        if (issuer.rank, issuer.warp, group.family) != (waiting.rank, waiting.warp, family) || both == 0 {
            return false;
        }
        left.is_none_or(|left| {
            committed.is_some_and(|committed| {
                lanes(both).any(|lane| group.number.saturating_add(left) < committed[lane])
            })
        })
    }
}

/// What the completion of an operation costs.
fn cost(operation: &Operation) -> u64 {
    COST + operation.effect.accesses()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_in_flight_are_bounded_and_complete_oldest_first() {
        let mut queue = Queue::default();
        let issuer = Issuer { rank: 0, warp: 0, lanes: 1 };
        let operation = |statement| {
            let (effect, signal) = (Effect::Nothing, Signal::Nothing);
            Operation { issuer, statement, group: None, effect, signal }
        };
        let last = (MAX_COST / COST) as u32;
        assert!((0..last).all(|statement| queue.push(operation(statement)).is_empty()));
        let completed = queue.push(operation(last));
        assert_eq!(completed.first().map(|oldest| oldest.statement), Some(0));
        assert_eq!(queue.operations.last().map(|newest| newest.statement), Some(last));
        assert_eq!(queue.in_flight() * COST, MAX_COST / 2);
        queue.take_all();
        assert_eq!(queue.bytes(), 0);
    }
}
