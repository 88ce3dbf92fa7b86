//! Tensor instructions: copies of boxes, and warpgroup products.

pub(crate) mod accumulate;
pub mod bit_field;
pub(crate) mod boxes;
pub(crate) mod compress;
pub(crate) mod copy;
pub mod describe;
pub mod descriptor;
pub mod fragment;
pub(crate) mod map_update;
pub(crate) mod products;
pub(crate) mod ranges;
pub mod sparse;
pub(crate) mod warpgroup;
pub(crate) mod whole_warp;
