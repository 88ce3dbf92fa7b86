//! What each instruction computes, a family a file: functions on lanes that know nothing of programs, groups or traces.

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
