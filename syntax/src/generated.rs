//! The output of `cargo xtask codegen` from the grammars; do not edit the files below by hand.

pub(crate) mod kinds;
pub(crate) mod ptx;
pub(crate) mod sass;
pub(crate) mod wave;
