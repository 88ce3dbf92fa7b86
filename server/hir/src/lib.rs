//! What a program means: names, types, basic blocks, post-dominators, static uniformity.

pub mod ptx;
