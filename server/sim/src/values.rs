//! What registers held while a warp ran: asked for with a [`Look`] at one warp, given as [`Values`].
//!
//! A run that looks is a run again (it is deterministic), so that one which does not look pays nothing. It keeps one visit of
//! each statement: the last one, or the last before a moment that is named.

use smol_str::SmolStr;

use crate::trace::{Mask, StatementId, WarpId};

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Look {
    /// The warp.
    pub warp: WarpId,
    /// When to stop: after this visit of this statement (the first is 1), when the warp comes there the next time. `None`
    /// looks until the warp has ended.
    pub until: Option<(StatementId, u64)>,
    /// Bytes of values that are kept; statements reached later keep none.
    pub max_bytes: usize,
}

impl Look {
    /// Looks at a warp until it has ended.
    pub fn at(warp: WarpId) -> Look {
        Look { warp, until: None, max_bytes: 64 << 20 }
    }
}

/// One visit of each statement that the warp came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// In the order of the statements.
    pub seen: Vec<Seen>,
    /// Whether there were statements whose values could not be kept for their size.
    pub truncated: bool,
}

/// A visit of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which statement.
    pub statement: StatementId,
    /// Which visit; the first is 1.
    pub visit: u64,
    /// Lanes of the group that came to it.
    pub active: Mask,
    /// Those whose guard let them act.
    pub executed: Mask,
    /// The registers that the statement names, each once, as it left them.
    pub registers: Vec<Held>,
    /// WAVE: the divergence stack as the statement left it, innermost entry last, if the statement moves lanes.
    pub stack: Option<Box<[StackEntry]>>,
}

/// An entry of WAVE's divergence stack, or a call: lanes that wait for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The `if`, `loop` or `call`.
    pub opened: StatementId,
    /// Lanes that go on together when it is closed. Those that have left for somewhere further out are not among them.
    pub meet: Mask,
    /// Who waits.
    pub waiting: Waiting,
}

/// Who waits in a [`StackEntry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// At an `if`: lanes that have yet to run the other side.
    Other(Mask),
    /// In a `loop`.
    Loop {
        /// Lanes that broke: they wait for `endloop`.
        broken: Mask,
        /// Lanes that continued: they wait for the next trip.
        continued: Mask,
    },
    /// At a `call`: lanes that did not go in.
    Call(Mask),
}

/// What a register held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its name as written (`%r3`).
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// Whether the statement writes it.
    pub written: bool,
    /// The lanes that have ever written it.
    pub known: Mask,
    /// The low 64 bits, lane by lane.
    pub low: Box<[u64]>,
    /// The high 64 bits of a wider register, else nothing.
    pub high: Box<[u64]>,
}

impl Values {
    /// The visit of a statement, if the warp came to it.
    pub fn of(&self, statement: StatementId) -> Option<&Seen> {
        let at = self.seen.binary_search_by_key(&statement, |seen| seen.statement).ok()?;
        Some(&self.seen[at])
    }
}

impl Seen {
    /// What a register of this name held.
    pub fn register(&self, name: &str) -> Option<&Held> {
        self.registers.iter().find(|held| held.name == name)
    }
}

impl Held {
    /// The value in a lane, unless that never wrote it.
    pub fn value(&self, lane: u32) -> Option<u128> {
        let at = lane as usize;
        let known = self.known >> lane & 1 == 1;
        known.then(|| {
            let high = self.high.get(at).copied().unwrap_or(0);
            u128::from(self.low.get(at).copied().unwrap_or(0)) | u128::from(high) << 64
        })
    }
}
