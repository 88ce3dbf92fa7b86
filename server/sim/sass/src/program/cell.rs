//! Registers that an instruction names.

use crate::registers::{Predicate, Row};

/// The location of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// The first row of the file, and the number of rows.
    Rows(Row, u16),
    Predicate(Predicate),
}

/// A float instruction that is not simulated: a run continues without its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The instruction, and why it is not simulated.
    pub note: String,
    /// The registers that it writes.
    pub cells: Vec<Cell>,
    /// Whether the result is known in the lanes where the second condition holds: it is the first source.
    pub selects: bool,
}
