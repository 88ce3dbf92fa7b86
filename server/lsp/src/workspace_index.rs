//! The names that the files of the workspace declare.

pub(crate) mod files;
pub(crate) mod index;
