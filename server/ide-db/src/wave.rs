//! The part of WAVE in the database: lowered items, constructs, and names.

pub mod constructs;
pub mod lowered;
pub mod names;
