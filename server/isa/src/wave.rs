//! WAVE: instructions in both dialects, directives, registers, scopes, cache hints, and invalid names that texts use.
//!
//! The *guide* writes `icmp.lt p0, r0, 5`; the *toolchain* (the assemblers) writes `icmp_lt p0, r0, r1` and has fewer
//! conditions and operands. Both are first-class; an entry's `mnemonic` is that of the guide.

mod entries;

pub use crate::schema::wave::*;
pub use entries::*;

#[cfg(test)]
mod tests;
