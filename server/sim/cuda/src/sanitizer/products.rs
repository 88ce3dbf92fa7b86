//! Products of a warpgroup: misuse of their registers, and the order between the warps that execute them together.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Related;

use super::Sanitizer;
use super::happens_before::{SyncAccess, Thread};
use super::report::Report;
use crate::async_ops::queue::warpgroup_of;
use crate::memory::region::MemoryRegion;
use crate::order::Scope;

pub enum Misuse {
    /// The statement reads or writes D of a product in flight.
    Result { register: u32, started: u32, reads: bool },
    /// The statement writes A of a product in flight.
    Source { register: u32, started: u32 },
    /// The statement writes a register that `tcgen05.ld` may still write.
    Loaded { register: u32, started: u32 },
}

/// Why a product may not use its registers yet.
pub enum MissingFence {
    /// The warp has executed no fence.
    First,
    /// The statement wrote a register of the product after the last fence.
    Write(u32),
    /// The statement started a product of another shape with the same D after the last fence.
    OtherShape(u32),
}

impl Sanitizer {
    /// The running warp has waited for products, which the warps of a warpgroup execute together.
    pub fn waited_for_products(&mut self) {
        self.warp_synchronized();
        let (warp, live) = (self.report.visit.warp, self.report.visit.live);
        let release = SyncAccess { observes: false, writes: true, acquire: false, release: true, ..MEETING };
        self.meet(warp, warp, live, release);
    }

    /// The other warps of its warpgroup have waited for the same products: what they did before happens before what `warp`
    /// does from now on.
    pub fn met_for_products(&mut self, warp: u32, live: u32) {
        warpgroup_of(warp)
            .filter(|other| *other != warp)
            .for_each(|other| self.meet(warp, other, live, MEETING));
        if self.report.checks.races {
            self.sync.synchronize(warp, live, live, true);
        }
    }

    /// A lane of a warp signals through what stands for the waits of a warp.
    fn meet(&mut self, warp: u32, with: u32, live: u32, how: SyncAccess) {
        if self.report.checks.races && live != 0 {
            let location = (MemoryRegion::Params, u64::from(self.sync.running()) << 32 | u64::from(with));
            self.sync.signal(location, Thread { warp, lane: live.trailing_zeros() }, live, how);
        }
    }
}

const MEETING: SyncAccess = SyncAccess {
    reads: false,
    observes: true,
    writes: false,
    acquire: true,
    release: false,
    scope: Scope::Block,
    cluster: 0,
};

impl Report {
    pub fn product_without_fence(&mut self, missing: &MissingFence) {
        let related = match *missing {
            MissingFence::First => None,
            MissingFence::Write(at) => Some(Related::new(at, "the register is written here")),
            MissingFence::OtherShape(at) => Some(Related::new(at, "the other product is started here")),
        };
        if !self.note_new_race(FindingKind::WgmmaFence, related.as_ref().map(|related| related.statement.0)) {
            return;
        }
        let message = match missing {
            MissingFence::Write(_) => {
                "a product uses a register that was written after the last one\nthe order of the write and \
                 the product is undefined. Execute `wgmma.fence.sync.aligned` after the last write, before the product"
            }
            MissingFence::OtherShape(_) => {
                "a product has the accumulators of one with another shape\nonly products of one shape are in order. Execute \
                 `wgmma.fence.sync.aligned` between them"
            }
            MissingFence::First => {
                "`wgmma.mma_async` is executed without one before it\nexecute `wgmma.fence.sync.aligned` before \
                 the first product of the warpgroup"
            }
        };
        self.add(FindingKind::WgmmaFence, message, self.visit.live, related);
    }

    /// The running statement accesses a register of an operation in flight. `name_of` returns the name of a register.
    pub fn register_in_flight<'n>(
        &mut self,
        misuse: &Misuse,
        name_of: impl Fn(u32) -> &'n str,
        executed: u32,
    ) {
        let accessed = |reads| if reads { "is read" } else { "is written" };
        let (kind, register, started, what, part) = match *misuse {
            Misuse::Result { register, started, reads } => (
                FindingKind::AsyncResult,
                register,
                started,
                accessed(reads),
                "it is the result of a product in flight",
            ),
            Misuse::Source { register, started } => (
                FindingKind::AsyncSource,
                register,
                started,
                "is overwritten",
                "it is a source of a product in flight",
            ),
            Misuse::Loaded { register, started } => (
                FindingKind::AsyncResult,
                register,
                started,
                "is overwritten",
                "`tcgen05.ld` may still write it",
            ),
        };
        if !self.note_new_race(kind, Some(started)) {
            return;
        }
        let (advice, start) = match misuse {
            Misuse::Loaded { .. } => (
                "execute `tcgen05.wait::ld.sync.aligned` after the load and before this statement",
                "the load is started here",
            ),
            _ => (
                "execute `wgmma.commit_group.sync.aligned` after the product \
                 and `wgmma.wait_group.sync.aligned 0` before this statement; a group that was not committed is not waited for, and \
                 `wait_group N` leaves the last N groups in flight",
                "the product is started here",
            ),
        };
        let message = format!("Register race: `{}` {what} while {part}\n{advice}", name_of(register));
        let related = Related::new(started, start);
        self.add(kind, message, executed, [related]);
    }
}
