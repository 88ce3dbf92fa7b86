//! Who wrote a register or a byte last.

use std::ops::ControlFlow;

use super::access::Space;
use super::event::{Effects, Event};
use super::layout::CellId;
use super::segments::Recording;
use crate::ids::StatementId;

/// A register of a lane, or a byte of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Register { warp: u32, lane: u32, cell: CellId },
    Byte { space: Space, owner: u64, address: u64 },
}

/// A write of a register or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSite {
    /// The step of the statement that wrote; of an edit, the step before which it was made.
    pub step: u64,
    pub statement: StatementId,
    pub warp: u32,
    pub lane: u32,
    /// How many activations of the function of the statement called this one, directly or through others.
    pub depth: u32,
    /// The first step whose state has the value.
    pub visible: u64,
    /// What a register got.
    pub value: Option<u128>,
    /// Whether it was a late event, such as what a call passes.
    pub is_late: bool,
}

impl Recording {
    /// The last write of a place before a step; `Some(None)` if there is none because the activation that the register belongs to
    /// has begun since. The step of a late event is the one before which it came.
    pub fn last_write(&self, place: Place, before: u64) -> Option<Option<WriteSite>> {
        match place {
            Place::Register { warp, lane, cell } => self.search_backward(
                before,
                |from, to| !from.state.shares_cell(to, warp, cell),
                |event| {
                    let may_write = event.is_late || event.may_write(cell, &self.layout);
                    if event.warp != warp || !may_write {
                        return ControlFlow::Continue(());
                    }
                    let writes = event.writes();
                    let write = writes.iter().find(|write| write.cell == cell);
                    match write.and_then(|write| write.of(lane)) {
                        None if self.begins_with(event, cell, lane) => ControlFlow::Break(None),
                        None => ControlFlow::Continue(()),
                        value => ControlFlow::Break(Some(WriteSite { value, ..site(event, lane) })),
                    }
                },
            ),
            Place::Byte { space, owner, address } => self.search_backward(
                before,
                |from, to| !from.state.shares_byte(to, (space, owner, address)),
                |event| match event.writer_of(space, owner, address) {
                    Some(lane) => ControlFlow::Break(Some(site(event, lane))),
                    None => ControlFlow::Continue(()),
                },
            ),
        }
    }
}

fn site(event: &Event<'_>, lane: u32) -> WriteSite {
    let visible = event.step + u64::from(!event.is_late);
    let Event { step, statement, warp, is_late, depth, .. } = *event;
    WriteSite { step, statement, warp, lane, depth, visible, value: None, is_late }
}

impl Recording {
    /// Whether the activation of a register begins with an event, in a lane.
    fn begins_with(&self, event: &Event<'_>, cell: CellId, lane: u32) -> bool {
        let base = self.layout.base(cell);
        event.executed >> lane & 1 == 1
            && event.enters.is_some_and(|(function, depth)| {
                self.layout.get(base).function == function && self.layout.at_depth(base, depth) == cell
            })
    }

    /// What the late events before a step wrote and accessed that belong to a statement of a warp.
    pub fn late(&self, step: u64, (warp, statement): (u32, StatementId)) -> Vec<Effects> {
        let mut found = Vec::new();
        self.search_backward::<()>(
            step,
            |_, _| true,
            |event| {
                if !event.is_late || event.step != step {
                    return ControlFlow::Break(());
                }
                if (event.warp, event.statement) == (warp, statement) {
                    found.push(Effects { writes: event.writes(), accesses: event.accesses() });
                }
                ControlFlow::Continue(())
            },
        );
        found
    }
}

impl Event<'_> {
    /// The lane that wrote a byte: the last one, if several did.
    pub fn writer_of(&self, space: Space, owner: u64, address: u64) -> Option<u32> {
        if !self.has_accesses() {
            return None;
        }
        let accesses = self.accesses();
        let writes = accesses.iter().filter(|access| access.writes && access.space == space);
        let lanes = writes.flat_map(|access| {
            let is_there = move |lane: u32, start: u64| {
                access.owner_of(self.warp, lane) == owner
                    && address.checked_sub(start).is_some_and(|offset| offset < access.bytes)
            };
            access.lanes.iter().filter(move |(lane, start)| is_there(*lane, *start)).map(|(lane, _)| *lane)
        });
        lanes.last()
    }
}
