//! Runs a launch on two kernels, or on one kernel under two models, and compares the results.
//!
//! The command line and the language server read the two texts and choose the launch; what is compared is the same.

pub(crate) mod compared;
pub(crate) mod json;
pub(crate) mod random;
pub(crate) mod sides;
mod source;

pub(crate) use source::{Launches, RunError, Source};
