//! Tensor maps. Launches build them, copies and `tensormap.replace` read them.
//!
//! Layouts are data: [`swizzle`] has the address patterns, [`map`] the fields and limits of tensor maps. Execution,
//! launches and documentation read these tables.

pub mod box_mode;
pub mod changed_maps;
pub mod map;
pub mod swizzle;
