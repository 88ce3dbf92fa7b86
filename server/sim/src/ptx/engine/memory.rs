//! The state spaces of a launch, and the operations that access them.

pub(super) mod access;
pub(super) mod access_set;
pub(super) mod atomic;
pub(super) mod bulk;
pub(super) mod cluster_window;
pub(super) mod copy;
pub(super) mod heap;
mod lane_address;
pub(super) mod local;
pub(super) mod local_frames;
pub(super) mod mbarrier;
pub(super) mod mbarrier_object;
mod miss;
mod named;
pub(super) mod polled;
pub(super) mod print_buffer;
pub(super) mod region;
pub(super) mod spaces;
