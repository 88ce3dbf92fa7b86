//! What tensor instructions have in common: tensor maps, the boxes that copies move, and the layouts and descriptors of matrices.
//!
//! Layouts are data: [`swizzle`] has the address patterns, [`map`] the fields and limits of tensor maps, [`descriptor`] those of
//! matrices in shared memory, [`fragment`] and [`sparse`] the elements that lanes hold. Execution, launches, hovers and documentation
//! read these tables.

pub mod accumulate;
pub mod bit_field;
pub mod box_mode;
pub mod boxes;
pub mod describe;
pub mod descriptor;
pub mod fragment;
pub mod map;
pub mod sparse;
pub mod swizzle;
