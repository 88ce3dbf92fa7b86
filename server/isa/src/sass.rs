//! SASS: opcodes with their modifiers, tests of the condition code, special registers, launch constants.

mod entries;

pub use crate::schema::sass::*;
pub use entries::*;

#[cfg(test)]
mod tests;
