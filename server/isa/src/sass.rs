//! SASS: opcodes with their modifiers, tests of the condition code, special registers, launch constants.

mod entries;
mod numbers;

pub use crate::schema::sass::*;
pub use entries::*;
pub use numbers::inexact;

#[cfg(test)]
mod tests;
