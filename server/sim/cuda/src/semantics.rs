//! What each instruction computes, a family a file: functions on lanes that know nothing of programs, groups or traces.
//!
//! Callers give most operations as constants, so optimized builds inline functions of many operations and keep one of them. Unoptimized
//! builds would keep all of them at each call, half of the code of the crate: there these functions are called.

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
pub mod video;

#[cfg(test)]
pub(crate) mod testing;
