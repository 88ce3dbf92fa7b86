//! WAVE in the database: lowered items, constructs, and names.

pub mod constructs;
mod lowered;
pub mod names;

pub use lowered::wave_code;
pub use names::{KERNELS, LABELS};
