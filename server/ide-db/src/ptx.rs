//! The part of PTX in the database: lowered items, the declarations of a module, and names.

pub mod declared;
pub mod form_cache;
pub mod forms;
pub mod lowered;
pub mod module;
pub mod module_target;
pub mod names;
pub mod occupancy;
pub mod variance;
