//! Runs a launch on two kernels, or on one kernel under two models, and compares the results.
//!
//! The command line and the language server read the two texts and choose the launch; the comparison itself is the same for both.

pub mod compared;
pub mod json;
pub mod random;
pub mod sides;
