//! What `cargo xtask codegen` writes from the grammars; the files below are never edited by hand.

pub(crate) mod kinds;
pub(crate) mod ptx;
pub(crate) mod wave;
