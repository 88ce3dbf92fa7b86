//! What the scheduler of blocks asks of PTX: how a warp runs and waits, what a cluster's blocks leave, and explanations of
//! deadlocks.

mod contributions;
mod deadlock;
mod grid_warp;
mod lone_lane;
mod mbarriers;
mod notes;
mod register_pool;
mod tensor_checks;
mod waiting;
mod waits;
