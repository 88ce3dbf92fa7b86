//! The registers that decide what a loop does: which lanes stay in it, which memory it accesses, and what it
//! stores.
//!
//! If a wave's decisive registers and the memory return to an earlier state, the wave repeats the same
//! accesses and branches forever, whatever its other registers count meanwhile. The sets are by register and
//! not by lane, so operations that exchange values between lanes need no special treatment.

use rustc_hash::FxHashSet;

use super::op::{Action, Control, Op, PREDICATES};
use super::program::{Cell, Named, Program};

#[derive(Clone, Debug)]
pub(crate) struct DecisiveRegisters {
    /// The first and the last statement of the loop; `None` for the whole program.
    pub(crate) region: Option<(u32, u32)>,
    /// In ascending order.
    pub(crate) general: Box<[u8]>,
    pub(crate) predicates: [bool; PREDICATES],
    /// Whether the exit of lanes depends on a value that the loop loads from one address.
    pub(crate) polls: bool,
}

type Cells = FxHashSet<Cell>;

impl DecisiveRegisters {
    /// The decisive registers of a loop or of the whole program.
    pub(crate) fn new(program: &Program, region: Option<(u32, u32)>) -> DecisiveRegisters {
        let all = 0..program.ops.len();
        let inside = region.map_or(all.clone(), |(open, end)| {
            let inside = open as usize..(end as usize + 1).min(all.end);
            // A function may be anywhere in the program.
            if program.ops[inside.clone()].iter().any(is_call) { all } else { inside }
        });
        let ops: Vec<_> = inside.map(|at| (&program.ops[at], &*program.named[at])).collect();
        let decides_control = closure(&ops, |op| op.action.is_control());
        let decisive = closure(&ops, |op| op.action.is_control() || accesses(op));
        let fixed = fixed_cells(&ops);
        let polls = ops.iter().any(|(op, named)| {
            loads(op)
                && reads(named).all(|cell| fixed.contains(&cell))
                && writes(named).any(|cell| decides_control.contains(&cell))
        });
        let general = decisive.iter().filter_map(|cell| match cell {
            Cell::General(register) if u16::from(*register) < program.registers => Some(*register),
            _ => None,
        });
        let mut general: Vec<_> = general.collect();
        general.sort_unstable();
        let predicates = std::array::from_fn(|index| decisive.contains(&Cell::Predicate(index as u8)));
        DecisiveRegisters { region, general: general.into(), predicates, polls }
    }
}

/// The registers that operations with `is_seed` read, and all registers that these depend on. A guard counts
/// as read, because it decides whether its operation accesses memory or writes a register.
fn closure(region: &[(&Op, &[Named])], is_seed: impl Fn(&Op) -> bool) -> Cells {
    let mut cells: Cells =
        region.iter().filter(|(op, _)| is_seed(op)).flat_map(|(_, named)| reads(named)).collect();
    loop {
        let before = cells.len();
        for (_, named) in region {
            if writes(named).any(|cell| cells.contains(&cell)) {
                cells.extend(reads(named));
            }
        }
        if cells.len() == before {
            return cells;
        }
    }
}

/// The registers with the same value in each iteration: never written, or written only from such registers.
fn fixed_cells(region: &[(&Op, &[Named])]) -> Cells {
    let named = || region.iter().flat_map(|(_, named)| named.iter());
    let written: Cells = region.iter().flat_map(|(_, named)| writes(named)).collect();
    let mut fixed: Cells = named().flat_map(cells_of).filter(|cell| !written.contains(cell)).collect();
    loop {
        let before = fixed.len();
        for cell in &written {
            let mut writers = region.iter().filter(|(_, named)| writes(named).any(|other| other == *cell));
            if writers.all(|(op, named)| !loads(op) && reads(named).all(|read| fixed.contains(&read))) {
                fixed.insert(*cell);
            }
        }
        if fixed.len() == before {
            return fixed;
        }
    }
}

fn is_call(op: &Op) -> bool {
    matches!(op.action, Action::Control(Control::Call { .. }))
}

fn accesses(op: &Op) -> bool {
    matches!(
        op.action,
        Action::Load { .. } | Action::Store { .. } | Action::Atomic { .. } | Action::Matrix(_)
    )
}

fn loads(op: &Op) -> bool {
    matches!(op.action, Action::Load { .. } | Action::Atomic { .. })
}

fn reads(named: &[Named]) -> impl Iterator<Item = Cell> + '_ {
    named.iter().filter(|named| named.read).flat_map(cells_of)
}

fn writes(named: &[Named]) -> impl Iterator<Item = Cell> + '_ {
    named.iter().filter(|named| named.written).flat_map(cells_of)
}

/// The registers that a name refers to.
fn cells_of(named: &Named) -> impl Iterator<Item = Cell> + use<> {
    let Named { cell, count, .. } = *named;
    (0..count).map(move |offset| match cell {
        Cell::General(first) => Cell::General(first.saturating_add(offset)),
        predicate @ Cell::Predicate(_) => predicate,
    })
}
