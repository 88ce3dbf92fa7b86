//! The state spaces of a launch, and the operations that access them.

pub(crate) mod access;
pub(crate) mod access_set;
pub(crate) mod atomic;
pub(crate) mod bulk;
pub(crate) mod cluster_window;
pub(crate) mod copy;
pub(crate) mod heap;
mod lane_address;
pub(crate) mod local;
pub(crate) mod local_frames;
pub(crate) mod mbarrier;
pub(crate) mod mbarrier_object;
mod miss;
mod named;
pub(crate) mod polled;
pub(crate) mod print_buffer;
pub(crate) mod region;
pub(crate) mod spaces;
