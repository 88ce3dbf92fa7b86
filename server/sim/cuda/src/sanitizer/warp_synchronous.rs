//! Volatile and relaxed accesses of two lanes of one warp that only lockstep execution orders.
//!
//! Code for targets before `sm_70` passed values between the lanes of a warp through volatile shared memory. Later
//! targets do not run lanes in lockstep, so a `.sync` instruction must lie between the accesses. Flags are different:
//! atomics, and loads whose value controls which lanes run, wait for other lanes by themselves, and nothing is reported
//! after them.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Related;

use super::Sanitizer;
use super::event::AccessEvent;
use super::happens_before::{Origin, Thread};
use super::stamp::{IN_FLIGHT, Stamp};
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::registers::lanes;

/// An earlier access of another lane, its offset, and the lane of this access.
type Found = (Stamp, u64, usize);

impl Sanitizer {
    pub(super) fn access_strong(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        if self.lockstep || !self.report.checks.races {
            return;
        }
        let order = self.report.visit.order;
        let ordering = order.acquire || order.release || event.kind.is_strong();
        if ordering || self.patterns.is_poll(self.report.visit.statement) {
            let warp = self.report.visit.warp;
            self.block.waited[warp as usize] = self.sync.epoch(warp);
        } else if !order.special.uses_async_proxy() {
            self.access_relaxed(event, spaces);
        }
    }

    fn access_relaxed(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        let in_shared =
            |lane: &usize| event.extent(*lane).is_some_and(|extent| extent.region == MemoryRegion::Shared);
        let (mut found, mut mask): (Option<Found>, u32) = (None, 0);
        for lane in lanes(event.mask).filter(in_shared) {
            let Some(extent) = event.extent(lane) else { continue };
            let index = extent.index(event.addresses[lane]) as u64;
            let before = if event.kind.reads() {
                self.unsynchronized_write(index, event.span(), lane)
            } else if self.is_unchanged(event, lane, index, spaces) {
                self.report.visit.unchanged |= 1 << lane;
                None
            } else {
                self.unsynchronized_read(index, event.span(), lane)
            };
            if let Some((before, at)) = before {
                mask |= 1 << lane;
                found.get_or_insert((before, at, lane));
            }
        }
        if !event.kind.reads() {
            self.volatile.stores.insert(self.report.visit.statement);
        }
        if let Some(found) = found {
            self.report_warp_synchronous(event, found, mask, spaces);
        }
    }

    /// Whether a lane's store does not change the bytes, or a lower lane stores the same bytes in the same instruction.
    fn is_unchanged(&self, event: &AccessEvent<'_>, lane: usize, index: u64, spaces: &Spaces) -> bool {
        let bytes = spaces.bytes(MemoryRegion::Shared);
        let span = event.span();
        let keeps = |at: u64| bytes.get((index + at) as usize) == Some(&(event.bytes(lane, at, 1) as u8));
        (0..span).all(keeps)
            || lanes(event.mask & ((1 << lane) - 1)).any(|other| event.stores_same(lane, other))
    }

    fn unsynchronized_write(&self, index: u64, span: u64, lane: usize) -> Option<(Stamp, u64)> {
        let stores = &self.volatile.stores;
        self.memory.shared.find_write(index, span, |write| {
            !write.is_unchanged()
                && stores.contains(&write.statement())
                && self.is_ordered_by_lockstep(write, lane)
        })
    }

    fn unsynchronized_read(&self, index: u64, span: u64, lane: usize) -> Option<(Stamp, u64)> {
        self.memory.shared.find_read(index, span, |read| {
            !self.patterns.is_poll(read.statement()) && self.is_ordered_by_lockstep(read, lane)
        })
    }

    /// Whether nothing but lockstep execution orders a strong access of another lane before this access of `lane`.
    fn is_ordered_by_lockstep(&self, before: Stamp, lane: usize) -> bool {
        let thread = Thread { warp: self.report.visit.warp, lane: lane as u32 };
        let of_warp = |origin: Origin| (origin.block, origin.warp) == (self.sync.running(), thread.warp);
        before.is_there()
            && !before.is_weak()
            && before.epoch < IN_FLIGHT
            && before.lane() != thread.lane
            && self.sync.origin(before.epoch).is_some_and(of_warp)
            && before.epoch > self.block.waited[thread.warp as usize]
            && !self.sync.ordered(before, thread, true)
    }

    fn report_warp_synchronous(
        &mut self,
        event: &AccessEvent<'_>,
        (before, at, lane): Found,
        mask: u32,
        spaces: &Spaces,
    ) {
        let statements = [before.statement(), self.report.visit.statement];
        let epoch = self.sync.epoch(self.report.visit.warp);
        let reported = &mut self.volatile.reported;
        let is_known = statements.iter().any(|statement| reported.contains(statement));
        reported.extend(statements);
        if std::mem::replace(&mut self.volatile.last, epoch) == epoch || is_known {
            return;
        }
        let (here, there) = if event.kind.reads() { ("reads", "wrote") } else { ("writes", "read") };
        let (size, other) = (u64::from(event.size).max(1), before.lane());
        let object = spaces.common_element(MemoryRegion::Shared, at / size * size, size);
        let message = format!(
            "lane {lane} {here} {object} that lane {other} {there}\nno `bar.warp.sync` between: \
             both accesses are volatile or relaxed: the code relies on lockstep execution, which sm_70 and later do \
             not guarantee; put `bar.warp.sync` between the two accesses"
        );
        let related = Related::new(before.statement(), format!("lane {other} {there} it here"));
        self.report.add(FindingKind::WarpSynchronous, message, mask, [related]);
    }
}
