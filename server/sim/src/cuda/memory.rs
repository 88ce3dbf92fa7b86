//! The state spaces of a launch.

pub(crate) mod access_set;
pub(crate) mod atomic_operation;
pub(crate) mod cluster_window;
pub(crate) mod heap;
pub(crate) mod local;
pub(crate) mod local_frames;
pub(crate) mod mbarrier_object;
mod miss;
mod named;
pub(crate) mod polled;
pub(crate) mod print_buffer;
pub(crate) mod region;
pub(crate) mod spaces;
