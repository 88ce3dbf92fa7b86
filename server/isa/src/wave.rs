//! WAVE: instructions in both dialects, directives, registers, scopes, cache hints, and invalid names that texts use.
//!
//! The *guide* writes `icmp.lt p0, r0, 5`; the *toolchain* (the assemblers) writes `icmp_lt p0, r0, r1` and has fewer
//! conditions and operands. Both dialects are fully supported; `mnemonic` of an entry is the guide's.

mod entries;
mod numbers;

pub use crate::schema::wave::*;
pub use entries::*;
pub use numbers::inexact;

#[cfg(test)]
mod tests;
