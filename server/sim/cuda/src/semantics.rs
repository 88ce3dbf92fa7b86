//! What instructions compute, one family per file: functions on lanes that know nothing of programs, groups or traces.
//!
//! Callers pass most operations as constants. Optimized builds therefore inline functions that implement many
//! operations and keep only the one that is needed. Unoptimized builds would keep all of them at every call, which was
//! half of the code of the crate, so there these functions are called.

pub mod bits;
pub mod carry;
pub mod compare;
pub mod convert;
pub mod float;
pub mod fragments;
pub mod half;
pub mod integer;
pub mod matrix;
pub mod mixed;
pub mod narrow;
pub mod packed;
pub mod replicas;
pub mod shuffle;
pub mod video;

#[cfg(test)]
pub(crate) mod testing;
