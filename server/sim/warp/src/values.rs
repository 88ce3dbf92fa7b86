//! Traced register values of one warp: requested with a [`TraceRequest`], returned as [`Values`].
//!
//! Runs are deterministic, so tracing repeats the run and a run without tracing pays nothing. A trace keeps one visit of each
//! statement, the last one or the last one before a given visit, and on request all visits in order.

use smol_str::SmolStr;

use crate::ids::{Mask, StatementId, WarpId};
use crate::note::Note;

/// Which warp to trace, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceRequest {
    /// The warp.
    pub warp: WarpId,
    /// Stop after this visit of this statement (the first is 1), when the warp reaches the statement again. `None` traces until
    /// the warp exits.
    pub until: Option<(StatementId, u64)>,
    /// Whether to keep each visit in [`Values::steps`]. The run ends when they reach the limit.
    pub steps: bool,
    /// Record the registers before and after this step of the warp (the first is 0) in [`Values::moment`], and nothing else.
    pub moment: Option<u64>,
    /// Whether to record in [`Values::notes`] what the statements did, which needs a run with checks.
    pub notes: bool,
    /// Limit for the kept values in bytes; statements reached later keep none.
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
    /// In the order of the statements.
    pub visits: Vec<TracedVisit>,
    /// All visits in order of execution, with the registers that they wrote; empty unless requested.
    pub steps: Vec<TracedVisit>,
    /// What statements did until the trace was complete, if requested.
    pub notes: Option<Vec<Note>>,
    /// Whether values or steps were dropped because of the limit.
    pub truncated: bool,
    /// The step of [`TraceRequest::moment`], if the warp reached it.
    pub moment: Option<Moment>,
    /// The last step of the warp that stored to the byte of [`RunOptions::watch`](crate::RunOptions::watch); only with
    /// [`TraceRequest::moment`].
    pub stored_at: Option<u64>,
}

/// The registers of a warp around one of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The statement.
    pub statement: StatementId,
    /// Lanes of the group that reached it.
    pub active: Mask,
    /// Lanes that were not predicated off.
    pub executed: Mask,
    /// All registers of the running function before the step.
    pub before: Vec<RegisterValues>,
    /// The same after the step. The results of a call or of a barrier follow when it completes.
    pub after: Vec<RegisterValues>,
    /// The accesses to memory of the step.
    pub accesses: Vec<LaneAccesses>,
}

/// An access to memory by the lanes of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneAccesses {
    /// The accessed memory.
    pub space: AccessSpace,
    /// Bytes of each lane.
    pub bytes: u64,
    /// The lanes, with their first addresses.
    pub lanes: Vec<(u32, u64)>,
}

/// A memory whose accesses have a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessSpace {
    /// Memory that is read and written in sectors of 32 bytes.
    Global,
    /// Memory in banks of four bytes.
    Shared,
}

/// A visit of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedVisit {
    /// Which statement.
    pub statement: StatementId,
    /// The number of the visit; the first is 1.
    pub visit: u64,
    /// Lanes of the group that reached it.
    pub active: Mask,
    /// Lanes that were not predicated off.
    pub executed: Mask,
    /// The registers that the statement names, each once, with their values after it.
    pub registers: Vec<TracedRegister>,
    /// The divergence stack after the statement, innermost entry last, where the machine has one and the statement changes the
    /// active lanes.
    pub stack: Option<Box<[StackEntry]>>,
}

/// An entry of a structured divergence stack, or a call, with its waiting lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The `if`, `loop` or `call`.
    pub opened: StatementId,
    /// Lanes that reconverge when it is closed, without lanes that left for an outer entry.
    pub reconverging: Mask,
    /// The lanes that wait in it.
    pub waiting: WaitingLanes,
}

/// The lanes that wait in a [`StackEntry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingLanes {
    /// At an `if`: lanes that have yet to execute the other path.
    Other(Mask),
    /// In a `loop`.
    Loop {
        /// Lanes that broke: they wait for `endloop`.
        broken: Mask,
        /// Lanes that continued: they wait for the next iteration.
        continued: Mask,
    },
    /// At a `call`: lanes that did not call.
    Call(Mask),
}

/// A register's value in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterValues {
    /// The name as written (`%r3`).
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// One value a lane of the full warp width; `None` where the lane never wrote it.
    pub lanes: Vec<Option<u128>>,
}

/// The value of a register after a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedRegister {
    /// Its name as written (`%r3`).
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// Whether the statement writes it.
    pub written: bool,
    /// The lanes that have written it.
    pub known: Mask,
    /// The low 64 bits, lane by lane.
    pub low: Box<[u64]>,
    /// The high 64 bits of a wider register, else empty.
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
    /// The register of this name.
    pub fn register(&self, name: &str) -> Option<&TracedRegister> {
        self.registers.iter().find(|register| register.name == name)
    }
}

impl TracedRegister {
    /// The value in a lane, unless that lane never wrote it.
    pub fn value(&self, lane: u32) -> Option<u128> {
        let at = lane as usize;
        let known = self.known >> lane & 1 == 1;
        known.then(|| {
            let high = self.high.get(at).copied().unwrap_or(0);
            u128::from(self.low.get(at).copied().unwrap_or(0)) | u128::from(high) << 64
        })
    }
}
