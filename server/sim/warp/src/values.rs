//! Traced register values of one warp: requested with a [`TraceRequest`], returned as [`Values`].
//!
//! Runs are deterministic, so a trace comes from repeating the run, and a run without a trace costs nothing extra. A
//! trace keeps one visit of each statement: the last one, or the last one before a given visit. On request it keeps all
//! visits in order.

use smol_str::SmolStr;

use crate::ids::{Mask, StatementId, WarpId};
use crate::note::Note;

/// Which warp to trace, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceRequest {
    pub warp: WarpId,
    /// The statement and its 1-based visit after which to stop. The trace stops when the warp reaches the statement
    /// again; `None` traces until the warp exits.
    pub until: Option<(StatementId, u64)>,
    /// Whether to keep each visit in [`Values::steps`]. The run ends when the steps reach the limit.
    pub steps: bool,
    /// Records only the registers before and after this 0-based step of the warp, in [`Values::moment`].
    pub moment: Option<u64>,
    /// Whether to record what the statements did in [`Values::notes`]; needs a run with checks.
    pub notes: bool,
    /// Limit for the kept values in bytes; statements reached after that keep none.
    pub max_bytes: usize,
}

impl TraceRequest {
    /// Traces a warp until it exits.
    pub fn at(warp: WarpId) -> TraceRequest {
        TraceRequest { warp, until: None, steps: false, moment: None, notes: false, max_bytes: 64 << 20 }
    }
}

/// One visit of each statement that the warp reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// One visit per statement, in statement order.
    pub visits: Vec<TracedVisit>,
    /// All visits in order of execution, with the registers that they wrote; empty unless requested.
    pub steps: Vec<TracedVisit>,
    /// What the statements did until the trace was complete, if requested.
    pub notes: Option<Vec<Note>>,
    /// Whether values or steps were dropped because of the limit.
    pub truncated: bool,
    /// The step of [`TraceRequest::moment`], if the warp reached it.
    pub moment: Option<Moment>,
    /// The last step of the warp that stored to the byte at [`RunOptions::watch`](crate::RunOptions::watch); only with
    /// [`TraceRequest::moment`].
    pub stored_at: Option<u64>,
}

/// The registers of a warp around one of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    pub statement: StatementId,
    /// Lanes of the group that reached the statement.
    pub active: Mask,
    /// Lanes that were not predicated off.
    pub executed: Mask,
    /// All registers of the running function before the step.
    pub before: Vec<RegisterValues>,
    /// All registers of the running function after the step. The results of a call or a barrier follow when it
    /// completes.
    pub after: Vec<RegisterValues>,
    /// The memory accesses of the step.
    pub accesses: Vec<LaneAccesses>,
}

/// A memory access by the lanes of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneAccesses {
    /// The memory that is accessed.
    pub space: AccessSpace,
    /// Bytes per lane.
    pub bytes: u64,
    /// The accessing lanes and the first address of each.
    pub lanes: Vec<(u32, u64)>,
}

/// A memory whose accesses have a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessSpace {
    /// Accessed in sectors of 32 bytes.
    Global,
    /// Has banks of four bytes.
    Shared,
}

/// A visit of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedVisit {
    pub statement: StatementId,
    /// The 1-based number of the visit.
    pub visit: u64,
    /// Lanes of the group that reached the statement.
    pub active: Mask,
    /// Lanes that were not predicated off.
    pub executed: Mask,
    /// The registers that the statement names, each one once, with their values after the visit.
    pub registers: Vec<TracedRegister>,
    /// The divergence stack after the statement, innermost entry last, if the machine has one and the statement changes
    /// the active lanes.
    pub stack: Option<Box<[StackEntry]>>,
}

/// An entry of a structured divergence stack, or a call, with its waiting lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The `if`, `loop` or `call` that opened the entry.
    pub opened: StatementId,
    /// The lanes that reconverge when the entry is closed, without those that left for an outer entry.
    pub reconverging: Mask,
    /// The lanes that wait in the entry.
    pub waiting: WaitingLanes,
}

/// The lanes that wait in a [`StackEntry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingLanes {
    /// At an `if`: the lanes that have yet to execute the other path.
    Other(Mask),
    /// In a `loop`.
    Loop {
        /// Lanes that executed `break` and wait for `endloop`.
        broken: Mask,
        /// Lanes that executed `continue` and wait for the next iteration.
        continued: Mask,
    },
    /// At a `call`: the lanes that did not call.
    Call(Mask),
}

/// A register's value in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterValues {
    /// The name as written (`%r3`).
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// One value per lane of the full warp width; `None` if the lane never wrote the register.
    pub lanes: Vec<Option<u128>>,
}

/// The value of a register after a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedRegister {
    /// The name as written (`%r3`).
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// Whether the statement writes it.
    pub written: bool,
    /// The lanes that have written the register.
    pub known: Mask,
    /// The low 64 bits of each lane.
    pub low: Box<[u64]>,
    /// The high 64 bits of each lane if the register is wider, else empty.
    pub high: Box<[u64]>,
}

impl Values {
    /// The visit of a statement, if the warp reached it.
    pub fn of(&self, statement: StatementId) -> Option<&TracedVisit> {
        let at = self.visits.binary_search_by_key(&statement, |visit| visit.statement).ok()?;
        Some(&self.visits[at])
    }
}

impl TracedVisit {
    pub fn register(&self, name: &str) -> Option<&TracedRegister> {
        self.registers.iter().find(|register| register.name == name)
    }
}

impl TracedRegister {
    /// The value in a lane, or `None` if that lane never wrote it.
    pub fn value(&self, lane: u32) -> Option<u128> {
        let at = lane as usize;
        let known = self.known >> lane & 1 == 1;
        known.then(|| {
            let high = self.high.get(at).copied().unwrap_or(0);
            u128::from(self.low.get(at).copied().unwrap_or(0)) | u128::from(high) << 64
        })
    }
}
