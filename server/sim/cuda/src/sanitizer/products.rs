//! Misuse of the registers of warpgroup products.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Related;

use super::report::Report;

pub enum Misuse {
    /// The statement reads or writes D of a product in flight.
    Result { register: u32, started: u32, reads: bool },
    /// The statement writes A of a product in flight.
    Source { register: u32, started: u32 },
}

impl Report {
    /// A product uses a register that the statement `written` wrote after the last `wgmma.fence`; `None` if the warp
    /// has executed no fence.
    pub fn product_without_fence(&mut self, written: Option<u32>) {
        if !self.note_new_race(FindingKind::WgmmaFence, written) {
            return;
        }
        let message = match written {
            Some(_) => {
                "a product uses a register that was written after the last one\nthe order of the write and \
                 the product is undefined. Execute `wgmma.fence.sync.aligned` after the last write, before the product"
            }
            None => {
                "`wgmma.mma_async` is executed without one before it\nexecute `wgmma.fence.sync.aligned` before \
                 the first product of the warpgroup"
            }
        };
        let related = written.map(|at| Related::new(at, "the register is written here"));
        self.add(FindingKind::WgmmaFence, message, self.visit.live, related);
    }

    /// The running statement accesses a register of a product in flight. `name_of` returns the name of a register.
    pub fn product_in_flight<'n>(
        &mut self,
        misuse: &Misuse,
        name_of: impl Fn(u32) -> &'n str,
        executed: u32,
    ) {
        let (kind, register, started, what) = match *misuse {
            Misuse::Result { register, started, reads } => {
                (FindingKind::AsyncResult, register, started, if reads { "is read" } else { "is written" })
            }
            Misuse::Source { register, started } => {
                (FindingKind::AsyncSource, register, started, "is overwritten")
            }
        };
        if !self.note_new_race(kind, Some(started)) {
            return;
        }
        let name = name_of(register);
        let part = if kind == FindingKind::AsyncResult { "the result of" } else { "a source of" };
        let message = format!(
            "Register race: `{name}` {what} while it is {part} a product in flight\nexecute `wgmma.commit_group.sync.aligned` after the product \
             and `wgmma.wait_group.sync.aligned 0` before this statement; a group that was not committed is not waited for, and \
             `wait_group N` leaves the last N groups in flight"
        );
        let related = Related::new(started, "the product is started here");
        self.add(kind, message, executed, [related]);
    }
}
