//! The state spaces of a launch.

pub mod access_set;
pub mod atomic_operation;
pub mod cluster_window;
pub mod heap;
pub mod lane_elements;
pub mod local;
pub mod local_frames;
pub mod mbarrier_object;
mod miss;
mod named;
pub mod polled;
pub mod print_buffer;
mod recorded;
pub mod region;
pub mod spaces;
pub mod write_log;
pub(crate) mod zero_pages;
