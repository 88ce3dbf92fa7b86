//! Tensor maps, which launches build, and copies and `tensormap.replace` read.
//!
//! Layouts are data: [`swizzle`] has the address patterns, [`map`] the fields and limits of tensor maps. Execution, launches and
//! documentation read the same tables.

pub mod box_mode;
pub mod changed_maps;
pub mod map;
pub mod swizzle;
