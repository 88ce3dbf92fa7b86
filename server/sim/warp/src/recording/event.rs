//! One event of a recording: a step of a warp, or a late effect of one.

use super::access::Access;
use super::layout::{CellId, Layout};
use crate::ids::{Mask, StatementId};

/// A step of a warp, or a late effect of an earlier one.
pub type Event<'r> = EventWith<&'r [u8]>;

/// An event; `B` is what is known about the bytes of its effects.
#[derive(Clone, Copy, Debug)]
pub struct EventWith<B> {
    /// The number of the step; of a late event, the number of the next step.
    pub step: u64,
    pub is_late: bool,
    /// The number of the warp in the launch.
    pub warp: u32,
    pub statement: StatementId,
    pub active: Mask,
    pub executed: Mask,
    /// How many activations of the function of the statement called this one, directly or through others.
    pub depth: u32,
    /// The activation that begins in the executed lanes: its function, and the depth there. Its registers have no values yet.
    pub enters: Option<(u32, u32)>,
    pub(super) writes: B,
    pub(super) accesses: B,
}

impl<B> EventWith<B> {
    pub(super) fn map<C>(&self, effects: impl Fn(&B) -> C) -> EventWith<C> {
        let EventWith { step, is_late, warp, statement, active, executed, depth, enters, .. } = *self;
        let (writes, accesses) = (effects(&self.writes), effects(&self.accesses));
        EventWith { step, is_late, warp, statement, active, executed, depth, enters, writes, accesses }
    }
}

/// The values of a row of lanes, those of a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub lanes: Mask,
    /// By lane of the mask, in order.
    pub values: Vec<u64>,
}

impl Row {
    /// The value of a lane.
    pub fn of(&self, lane: u32) -> Option<u64> {
        let below = self.lanes & ((1 << lane) - 1);
        (self.lanes >> lane & 1 == 1).then(|| self.values[below.count_ones() as usize])
    }
}

/// What a statement wrote to a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub cell: CellId,
    pub low: Row,
    /// The bits from 64 on of a wider register.
    pub high: Option<Row>,
}

impl Write {
    /// The value of a lane; `None` if it was not written.
    pub fn of(&self, lane: u32) -> Option<u128> {
        let high = self.high.as_ref().and_then(|high| high.of(lane)).unwrap_or(0);
        Some(u128::from(self.low.of(lane)?) | u128::from(high) << 64)
    }
}

/// What an event wrote and accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    pub writes: Vec<Write>,
    pub accesses: Vec<Access>,
}

impl Event<'_> {
    /// Whether the event wrote any of these registers, in any lane.
    pub fn may_write(&self, cell: CellId, layout: &Layout) -> bool {
        let base = layout.base(cell);
        !self.writes.is_empty()
            && layout.registers(self.statement).any(|(other, written)| other == base && written)
    }

    pub fn has_accesses(&self) -> bool {
        !self.accesses.is_empty()
    }
}
