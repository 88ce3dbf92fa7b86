//! WAVE: a [`Code`] for every item, which is a kernel or the code between kernels.
//!
//! Positions are relative to the item they come from, and lowering an item uses only its own text. The whole
//! file shares its labels, so lowering only lists the calls: names are checked with the other items of the
//! file, above this crate.

mod call_depth;
mod cells;
mod dialect;
mod divergence;
mod functions;
mod literal;
mod liveness;
mod lower;
mod mnemonic;
mod model;
mod names;
mod nesting;
mod operands;
mod problem;
mod reach;
mod recursion;
mod spare;
mod structure;
#[cfg(test)]
mod tests;
mod uniformity;
mod writers;

pub use cells::Cell;
pub use dialect::{Accepts, Departure, DepartureKind, departures, resumes};
pub use literal::{literal, to_brain};
pub use liveness::Liveness;
pub use lower::lower;
pub use model::{
    Code, Entry, Guard, Half, Instruction, KernelHeader, Label, Link, Name, NameRef, Operand, Operands,
    Resource, Resources, Role, Scope, Special, Value, Word, WorkgroupSize,
};
pub use nesting::Nesting;
pub use problem::{Construct, Problem, ProblemKind};
pub use spare::Spares;
pub use structure::MAX_DEPTH;
pub use uniformity::{Because, Reason, Uniformity};
