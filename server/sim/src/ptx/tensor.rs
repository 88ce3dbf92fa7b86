//! Tensor instructions: tensor maps, copies of boxes, warpgroup products.
//!
//! Layouts are data: [`swizzle`] has the address patterns, [`map`] the fields and limits of tensor maps. Execution, launches and
//! documentation read the same tables.

pub(crate) mod accumulate;
pub mod bit_field;
pub(crate) mod boxes;
pub(crate) mod changed_maps;
pub(crate) mod compress;
pub(crate) mod copy;
pub mod describe;
mod describe_copy;
pub mod descriptor;
pub mod fragment;
pub mod map;
pub(crate) mod map_update;
pub(crate) mod products;
pub(crate) mod ranges;
pub mod sparse;
pub mod swizzle;
pub(crate) mod warpgroup;
