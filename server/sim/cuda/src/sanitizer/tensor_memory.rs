//! Misuse of tensor memory.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Related, Severity};

use super::Sanitizer;
use super::copies::WARPS;
use super::report::Report;
use crate::order::{AccessClass, Scope, SpecialOrder};

impl Report {
    /// An access to cells that are in use by the operation `name`, started by the statement `started`.
    pub fn cells_in_flight(&mut self, kind: FindingKind, name: &str, started: u32, writes: bool, lanes: u32) {
        if !self.note_new_race(kind, Some(started)) {
            return;
        }
        let verb = if writes { "written" } else { "read" };
        let part = if kind == FindingKind::AsyncResult { "result" } else { "source" };
        let wait = match name {
            "tcgen05.ld" => {
                "execute `tcgen05.wait::ld.sync.aligned` in the loading warp, then synchronize with this thread"
            }
            "tcgen05.st" => {
                "execute `tcgen05.wait::st.sync.aligned` in the storing warp, then synchronize with this thread"
            }
            _ => {
                "execute `tcgen05.commit` with an mbarrier in the thread that started it, and wait here for that phase of the mbarrier: \
                 without the commit, or with the wrong parity, the wait does not cover the operation"
            }
        };
        let is_product = self.visit.order.special == SpecialOrder::AsyncProduct;
        let order = match is_product && writes && name == "tcgen05.mma" {
            true => "only products of one shape with the same D are in order: ",
            false => "",
        };
        let message =
            format!("tensor memory is {verb} while it is a {part} of `{name}` in flight\n{order}{wait}");
        let related = Related::new(started, format!("`{name}` is started here"));
        self.add(kind, message, lanes, [related]);
    }

    /// A read of a cell that no operation has written since it was allocated.
    pub fn unwritten_cell(&mut self, what: &str, (lane, column): (u32, u32), lanes: u32) {
        if !self.checks.uninitialized || !self.note_new(FindingKind::UninitializedRead, None) {
            return;
        }
        let message = format!(
            "lane {lane}, column {column} of tensor memory is read before it is written\nit belongs to {what}. The contents are undefined \
             after `tcgen05.alloc`: write all cells first, with `tcgen05.st`, `tcgen05.cp`, or a product that does not add D"
        );
        let statement = self.visit.statement;
        let finding = self.warp().finding(FindingKind::UninitializedRead, message, statement, lanes);
        self.findings.push(finding.with_severity(Severity::Error));
    }
}

impl Sanitizer {
    /// `tcgen05.fence::before_thread_sync`, which relaxed synchronization needs.
    pub fn release_tensor_memory(&mut self, mask: u32) {
        let (warp, live) = (self.report.visit.warp, self.report.visit.live);
        if self.report.checks.races && self.patterns.is_relaxed {
            self.sync.release_only(AccessClass::TensorMemory, (warp, live, mask), Scope::Cluster);
        }
    }

    /// `tcgen05.fence::after_thread_sync`
    pub fn fence_tensor_memory(&mut self) {
        let warp = self.warp_of_cluster();
        self.cluster.relaxed_waits.remove(&warp);
    }

    /// A barrier of the block orders the operations after it.
    pub(super) fn order_tensor_memory(&mut self) {
        let rank = self.rank();
        self.cluster.relaxed_waits.retain(|warp, _| warp / WARPS != rank);
    }

    pub(super) fn note_wait(&mut self) {
        let (warp, statement) = (self.warp_of_cluster(), self.report.visit.statement);
        if self.report.visit.order.acquire {
            self.cluster.relaxed_waits.remove(&warp);
        } else {
            self.cluster.relaxed_waits.insert(warp, statement);
        }
    }

    /// An operation on tensor memory starts. If the last wait of its warp was relaxed, a fence must lie between.
    pub fn check_tensor_order(&mut self, lanes: u32) {
        let warp = self.warp_of_cluster();
        let Some(&waited) = self.cluster.relaxed_waits.get(&warp) else { return };
        if !self.report.note_new_race(FindingKind::Tcgen05Order, Some(waited)) {
            return;
        }
        let message = "it may run before the relaxed wait on the mbarrier\nrelaxed synchronization \
                       does not order `tcgen05` operations: execute `tcgen05.fence::after_thread_sync` after the wait, or wait \
                       with `.acquire`";
        let related = Related::new(waited, "the relaxed wait is here");
        self.report.add(FindingKind::Tcgen05Order, message, lanes, [related]);
    }
}
