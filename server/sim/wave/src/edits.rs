//! Changes that a user makes between two steps of a recorded run.

use warplens_sim_warp::recording::{DueChange, Space};

use super::memory::Memory;
use super::op::{PREDICATES, Row};
use super::program::{Cell, Named};
use super::state::State;
use super::value_tracer::ValueTracer;

impl ValueTracer {
    /// Makes the changes of a user before the next step of the wave.
    pub(crate) fn make_edits<const W: usize>(&mut self, state: &mut State<W>, memory: &mut Memory<'_>) {
        let Some(tap) = self.tap() else { return };
        for change in tap.due(0, u64::MAX) {
            match change {
                DueChange::Register { name, lanes } => self.set_register(state, &name, &lanes),
                DueChange::Memory { space, address, data, .. } => {
                    let held = if space == Space::Shared { &mut *memory.local } else { &mut *memory.device };
                    let start = address as usize;
                    if let Some(held) = held.get_mut(start..start + data.len()) {
                        held.copy_from_slice(&data);
                        *memory.changes += 1;
                    }
                }
            }
        }
    }

    fn set_register<const W: usize>(&mut self, state: &mut State<W>, name: &str, values: &[(u32, u128)]) {
        let number = |file: char| name.strip_prefix(file)?.parse::<u8>().ok();
        let cell = match (number('r'), number('p')) {
            (Some(register), _) if self.has_register(register) => Cell::General(register),
            (_, Some(predicate)) if usize::from(predicate) < PREDICATES => Cell::Predicate(predicate),
            _ => return,
        };
        let mask = values.iter().fold(0, |mask, (lane, _)| mask | 1 << lane);
        for &(lane, value) in values {
            match cell {
                Cell::General(register) => {
                    state.rows.write(Row::from(register), &[value as u32; W], 1 << lane);
                }
                Cell::Predicate(predicate) => {
                    let held = &mut state.predicates[usize::from(predicate)];
                    *held = *held & !(1 << lane) | u64::from(value as u32 & 1) << lane;
                }
            }
        }
        self.wrote(&Named { cell, count: 1, read: false, written: true }, mask);
    }
}
