//! The tables, as `cargo xtask codegen` writes them.

pub(crate) mod ptx;
pub(crate) mod sass;
pub(crate) mod wave;
