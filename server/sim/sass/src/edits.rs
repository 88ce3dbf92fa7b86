//! Changes that a user makes between two steps of a recorded run.

use warplens_sim_warp::recording::DueChange;

use super::program::{Cell, Program};
use super::registers::{Predicate, Row, TRUE, UNIFORM};
use super::running::Running;

impl Running<'_> {
    /// Makes the changes of a user before the next step.
    pub(super) fn make_edits(&mut self) {
        let Some(tap) = self.observer.tracer.as_mut().and_then(|tracer| tracer.tap()) else { return };
        for change in tap.due(0, u64::MAX) {
            match change {
                DueChange::Register { name, lanes } => self.set_register(&name, &lanes),
                DueChange::Memory { space, owner, address, data } => {
                    self.ctx.spaces.set_bytes(self.ctx.local, (space, owner, address), &data);
                }
            }
        }
    }

    fn set_register(&mut self, name: &str, values: &[(u32, u128)]) {
        let Some(cell) = cell_named(self.program, name) else { return };
        let mask = values.iter().fold(0, |mask, (lane, _)| mask | 1 << lane);
        for &(lane, value) in values {
            match cell {
                Cell::Rows(row, _) => self.registers.rows[usize::from(row)][lane as usize] = value as u32,
                Cell::Predicate(predicate) => {
                    let held = &mut self.registers.predicates[usize::from(predicate)];
                    *held = *held & !(1 << lane) | (value as u32 & 1) << lane;
                }
            }
        }
        if let Some(written) = &mut self.observer.written {
            written.write(cell, mask);
        }
        self.observer.undefined.define(cell, mask);
    }
}

/// The register with a name, one row of a wide one.
fn cell_named(program: &Program, name: &str) -> Option<Cell> {
    let number = |file: &str| name.strip_prefix(file)?.parse::<u16>().ok();
    let (first, count) = program.layout.uniform;
    let predicate = |number: u16| Predicate::try_from(number).ok().filter(|number| *number < TRUE);
    if let Some(number) = number("UR") {
        return (number < count).then(|| Cell::Rows(first + number, 1));
    }
    if let Some(number) = number("UP") {
        return predicate(number).map(|number| Cell::Predicate(UNIFORM + number));
    }
    if let Some(number) = number("P") {
        return predicate(number).map(Cell::Predicate);
    }
    number("R").filter(|number: &Row| *number < program.layout.general).map(|row| Cell::Rows(row, 1))
}
