//! SASS in the database: lowered items, names, and instructions that belong together.

pub mod constructs;
mod lowered;
pub mod names;
mod ptx_parameters;

pub use lowered::{facts_of, listing, sass_code, target_of};
pub use names::SYMBOLS;
pub use ptx_parameters::{parameters_in, ptx_files, ptx_parameters};
