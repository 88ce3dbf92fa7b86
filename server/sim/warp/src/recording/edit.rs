//! Changes that a user makes between two steps: the run continues with them.

use smol_str::SmolStr;

use super::access::{Access, Space};
use super::event::{Row, Write};
use super::layout::{CellId, Layout};
use crate::ids::{Mask, StatementId};

/// Stands for a change by the user where an event has a statement.
pub const EDIT: StatementId = StatementId(u32::MAX - 1);

/// A change of the state before a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub before: u64,
    pub change: Change,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Register {
        warp: u32,
        /// Lanes and their new values.
        lanes: Vec<(u32, u128)>,
        cell: CellId,
    },
    Memory {
        space: Space,
        owner: u64,
        address: u64,
        data: Vec<u8>,
    },
}

/// A change that a warp makes before its next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DueChange {
    Register { name: SmolStr, lanes: Vec<(u32, u128)> },
    Memory { space: Space, owner: u64, address: u64, data: Vec<u8> },
}

impl Change {
    /// The change, if a group of lanes of a warp that is in an activation of a function makes it.
    pub(super) fn due(
        &self,
        (by, (function, depth), mask): (u32, (u32, u32), Mask),
        layout: &Layout,
    ) -> Option<DueChange> {
        match self {
            Change::Register { warp, lanes, cell } => {
                let register = layout.get(*cell);
                let has_lanes = lanes.iter().any(|(lane, _)| mask >> lane & 1 == 1);
                let is_activation = *cell == layout.at_depth(layout.base(*cell), depth);
                let is_here = *warp == by && register.function == function && is_activation && has_lanes;
                is_here.then(|| DueChange::Register { name: register.name.clone(), lanes: lanes.clone() })
            }
            Change::Memory { space, owner, address, data } => {
                let (space, owner, address) = (*space, *owner, *address);
                let is_here = match space {
                    Space::Shared => owner == layout.block_of(by),
                    Space::Local => owner / 64 == u64::from(by),
                    Space::Global => true,
                    Space::Param | Space::Const => false,
                };
                is_here.then(|| DueChange::Memory { space, owner, address, data: data.clone() })
            }
        }
    }

    /// The change as a recording has it: the warp that it is attributed to, and what that wrote.
    pub(super) fn event(&self, layout: &Layout) -> (u32, Mask, Option<Write>, Option<Access>) {
        match self {
            Change::Register { warp, lanes, cell } => {
                let mut sorted = lanes.clone();
                sorted.sort_unstable_by_key(|(lane, _)| *lane);
                let mask = sorted.iter().fold(0, |mask: Mask, (lane, _)| mask | 1 << lane);
                let row = |shift: u32| Row {
                    lanes: mask,
                    values: sorted.iter().map(|(_, value)| (value >> shift) as u64).collect(),
                };
                let high = (layout.get(*cell).bits > 64).then(|| row(64));
                (*warp, mask, Some(Write { cell: *cell, low: row(0), high }), None)
            }
            Change::Memory { space, owner, address, data } => {
                let (warp, lane) = match space {
                    Space::Shared => (*owner as u32 * layout.warps, 0),
                    Space::Local => ((owner / 64) as u32, (owner % 64) as u32),
                    _ => (0, 0),
                };
                let access = Access {
                    space: *space,
                    owner: *owner,
                    reads: false,
                    writes: true,
                    bytes: data.len() as u64,
                    lanes: vec![(lane, *address)],
                    data: data.clone(),
                };
                (warp, 1 << lane, None, Some(access))
            }
        }
    }
}
