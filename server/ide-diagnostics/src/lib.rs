//! Diagnostics and lints: the problems of a file, the rules and comments that filter them, and their fixes.
//!
//! [`item`] has the problems of one item, `file` those of a whole file; what differs by language is in `ptx` and `wave`.
//! Fixes that rewrite WAVE in another dialect are in [`wave::dialect`].

mod allow;
pub mod allow_fix;
pub mod codes;
mod context;
pub mod file;
pub mod item;
pub mod lints;
mod message;
pub mod ptx;
pub mod rules;
pub mod sass;
pub mod share;
pub mod wave;
pub mod wave_messages;

#[cfg(test)]
mod tests;
