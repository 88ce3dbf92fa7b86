//! Instructions that order others, and accesses that most kernels do not have; kept apart from the fast path of common
//! accesses.

use super::event::AccessEvent;
use super::happens_before::Thread;
use super::report::RunningVisit;
use super::{Sanitizer, prerequisite};
use crate::memory::spaces::Spaces;
use crate::order::{Order, ProxyFence, Scope, SpecialOrder};
use crate::registers::lanes;

impl Sanitizer {
    /// The running instruction orders accesses in the lanes of `executed`.
    #[inline(never)]
    pub(super) fn order(&mut self, executed: u32) {
        let RunningVisit { warp, live, order, .. } = self.report.visit;
        if order.special == SpecialOrder::AwaitsGrid && !self.prerequisite_writes.is_empty() {
            lanes(executed).for_each(|lane| self.sync.learn_prerequisite(Thread { warp, lane: lane as u32 }));
        }
        if order.fence {
            let scope = self.scope_of(order);
            match order.special {
                SpecialOrder::Releases(class) => self.sync.release_only(class, (warp, live, executed), scope),
                _ => self.sync.fence(warp, live, executed, Order { scope, ..order }),
            }
            self.fence_tensor_memory();
            if order.proxy_fence != ProxyFence::None {
                let known = self.sync.known_by(warp, live, executed);
                self.proxies.fence(&known, order.proxy_fence);
            }
        } else if order.synchronizes || self.lockstep {
            let acquires = order.special != SpecialOrder::AlignsWarpgroup;
            self.sync.synchronize(warp, live, if self.lockstep { live } else { executed }, acquires);
        }
    }

    /// The threads for which a statement's guarantees hold in this launch.
    #[inline]
    pub(super) fn scope_of(&self, order: Order) -> Scope {
        match order.scope {
            Scope::Cluster if !self.cluster.clock.has_several_blocks() => Scope::Block,
            scope => scope,
        }
    }

    /// The lanes of the running warp synchronize after the accesses of the running instruction.
    pub fn warp_synchronized(&mut self) {
        let RunningVisit { warp, live, .. } = self.report.visit;
        if self.report.checks.races {
            self.sync.synchronize(warp, live, live, true);
        }
    }

    /// An access by an instruction that initializes an mbarrier, through the async proxy, in a block of a cluster, or
    /// in a grid with a prerequisite.
    #[inline(never)]
    pub(super) fn note_special(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        let RunningVisit { statement, order, .. } = self.report.visit;
        if !self.prerequisite_writes.is_empty() {
            prerequisite::check(&self.prerequisite_writes, event, &self.sync, &mut self.report, spaces);
        }
        match order.special {
            SpecialOrder::Initializes => drop(self.initializers.insert(statement)),
            SpecialOrder::ReadsConstantData => self.check_constant_data(event, spaces),
            SpecialOrder::Allocates => self.proxies.exempt(statement),
            SpecialOrder::Invalidates => drop(self.invalidators.insert(statement)),
            _ => {}
        }
        if spaces.window.blocks > 1 {
            self.cluster.remote.note(event, &mut self.sync, &self.report.visit, spaces);
        }
        if order.special.uses_async_proxy() {
            self.proxies.accessed(
                event,
                [&self.initializers, &self.invalidators],
                (&self.sync, &mut self.memory),
                &mut self.report,
                spaces,
            );
        }
    }
}
