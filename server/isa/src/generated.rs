//! The tables, as `cargo xtask codegen` writes them.

pub(crate) mod ptx;
pub(crate) mod wave;
