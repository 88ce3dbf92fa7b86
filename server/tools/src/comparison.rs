//! Runs a launch on two kernels, or on one kernel under two models, and compares the results.
//!
//! The command line and the language server each read the two texts and choose the launch, then share the
//! comparison here.

pub mod compared;
pub mod contraction;
pub mod json;
pub mod random;
pub mod sides;
