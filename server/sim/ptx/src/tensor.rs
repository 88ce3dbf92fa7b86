//! Tensor instructions: copies of boxes, and warpgroup products.

pub(crate) mod compress;
pub(crate) mod copy;
pub(crate) mod map_update;
pub(crate) mod products;
pub(crate) mod ranges;
pub(crate) mod warpgroup;
pub(crate) mod whole_warp;
