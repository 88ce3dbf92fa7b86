//! The operations that access the state spaces.

pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod bulk;
pub(crate) mod cluster_address;
pub(crate) mod copy;
pub(crate) mod lane_address;
pub(crate) mod mbarrier;
pub(crate) mod multimem;
