//! PTX in the database: lowered items, the declarations of a module, and names.

pub mod declared;
mod flow;
mod form_cache;
pub mod forms;
mod lowered;
mod module;
pub mod names;
pub mod occupancy;
mod target;
pub mod variance;

pub use flow::{Flow, ptx_cfg};
pub use form_cache::FormCache;
pub use lowered::{checked_headers, ptx_function, ptx_header, ptx_headers, source_paths};
pub use module::{debug_names, module_names, never_returns};
pub use target::{ModuleTarget, module_target, target_ranges};
