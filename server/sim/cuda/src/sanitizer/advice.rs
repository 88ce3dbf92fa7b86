//! How to order two accesses that race, or why their order does not matter.

use warplens_sim_warp::race_scope::RaceScope;
use warplens_sim_warp::{Advice, AdviceKind};

use super::Sanitizer;
use super::conflicts::LaneConflict;
use super::event::{AccessEvent, AccessKind};
use super::happens_before::Thread;
use super::races::{Other, Race};
use super::shadow::{Conflict, Hazard};
use super::stamp::{Stamp, Strength};
use crate::address::AtomicOp;
use crate::memory::region::MemoryRegion;
use crate::race_context::synchronize;

impl Sanitizer {
    pub(super) fn advice(
        &self,
        event: &AccessEvent<'_>,
        race: Race,
        lane_conflict: &LaneConflict,
        other: &Other,
        region: MemoryRegion,
    ) -> Advice {
        let hazard = lane_conflict.conflict.hazard;
        let (kind, text) = match race {
            Race::Repaired if region == MemoryRegion::Shared => (
                AdviceKind::RelaxedLoad,
                "the plain load races with `atom.cas`: the first iteration may see a stale value, which the \
                 CAS repairs. Use `ld.relaxed.cta` (or `volatile`, `cuda::atomic_ref`) to make it defined",
            ),
            Race::Repaired => (
                AdviceKind::RelaxedLoad,
                "the plain load races with `atom.cas`: the first iteration may see a stale value, which the \
                 CAS repairs. Use `ld.relaxed.gpu` (or `volatile`, `cuda::atomic_ref`) to make it defined",
            ),
            Race::TwoSizes => (
                AdviceKind::OneSize,
                "both accesses are atomic, volatile or relaxed, but of different sizes, so they overlap only in part: the memory model takes \
                 that for a race. Access the bytes with one size, or synchronize the threads",
            ),
            Race::SameValue if hazard == Hazard::WriteAfterRead => {
                (AdviceKind::SameValue, "the stored value equals the old value, so the order does not matter")
            }
            Race::SameValue => {
                (AdviceKind::SameValue, "both write the same value, so the order does not matter")
            }
            Race::Rounded => (
                AdviceKind::Rounding,
                "the values differ only by rounding: each lane has reduced the same values in another order, and one of the results stays",
            ),
            Race::Data => return self.advice_on_order(event, lane_conflict, other),
        };
        Advice { kind, text }
    }

    /// How to order two accesses, or to make their order irrelevant.
    fn advice_on_order(
        &self,
        event: &AccessEvent<'_>,
        lane_conflict: &LaneConflict,
        other: &Other,
    ) -> Advice {
        let LaneConflict { conflict: Conflict { before, .. }, lane, .. } = *lane_conflict;
        let thread = Thread { warp: self.report.visit.warp, lane };
        let atomic = self.patterns.atomic_of([self.report.visit.statement, before.statement()]);
        let (kind, text) = match () {
            () if self.sync.ordered(before, thread, true) => (
                AdviceKind::Acquire,
                "the flag is read without an acquire: poll it with `ld.acquire.gpu`, or execute `fence.acq_rel.gpu` after the poll; \
                 a barrier or a fence of the block does not order the accesses of other blocks",
            ),
            () if self.sync.needs_wider_scope(before, thread) => (
                AdviceKind::WiderScope,
                "the flag orders only threads within the scope of its accesses and fences, which does not include both threads: use \
                 `.gpu` in the release and in the acquire, not `.cta` or `.cluster`",
            ),
            () if self.is_mixed(event, before) => (
                AdviceKind::BothStrong,
                "only one of the accesses is atomic or volatile; make both so, or synchronize them",
            ),
            () if let Some(op) = atomic => (AdviceKind::Atomic, use_atomic(op)),
            () if self.is_one_store(event, before, other) => (
                AdviceKind::DistinctAddresses,
                "the order is unspecified; store from one lane, or use a distinct address per lane",
            ),
            () if other.scope == RaceScope::Warp && self.sync.waited_apart(before, thread) => (
                AdviceKind::Synchronize(RaceScope::Warp),
                "both lanes have waited for others between the two accesses, but no member mask includes both: name both in the mask of one \
                 `bar.warp.sync`",
            ),
            () => return synchronize(other.scope),
        };
        Advice { kind, text }
    }

    pub(super) fn missing(&self, event: &AccessEvent<'_>, before: Stamp, other: &Other) -> &'static str {
        if self.is_one_store(event, before, other) {
            "the last writer wins"
        } else if self.is_mixed(event, before) || other.scope == RaceScope::Grid {
            "no synchronization between"
        } else if other.scope == RaceScope::Warp {
            "no `bar.warp.sync` between"
        } else {
            "no barrier between"
        }
    }

    /// Whether both accesses belong to the same store instruction of the warp.
    fn is_one_store(&self, event: &AccessEvent<'_>, before: Stamp, other: &Other) -> bool {
        other.scope == RaceScope::Warp
            && before.statement() == self.report.visit.statement
            && event.kind == AccessKind::Store
    }

    fn is_mixed(&self, event: &AccessEvent<'_>, before: Stamp) -> bool {
        let was_strong = before.strength() != Strength::Weak;
        let is_atomic = matches!(event.kind, AccessKind::Atomic | AccessKind::Exchange);
        was_strong != is_atomic && was_strong != (self.report.visit.order.strong || is_atomic)
    }
}

/// The advice to replace a load, an operation and a store of one address with an atomic.
fn use_atomic(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Min => "several threads update the address: use `red.min` (`atomicMin`)",
        AtomicOp::Max => "several threads update the address: use `red.max` (`atomicMax`)",
        AtomicOp::And => "several threads update the address: use `red.and` (`atomicAnd`)",
        AtomicOp::Or => "several threads update the address: use `red.or` (`atomicOr`)",
        AtomicOp::Xor => "several threads update the address: use `red.xor` (`atomicXor`)",
        _ => "several threads update the address: use `red.add` (`atomicAdd`)",
    }
}
