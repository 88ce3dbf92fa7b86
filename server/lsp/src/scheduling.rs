//! When and where a request runs: queues, workers and long tasks.

pub(crate) mod requests;
pub(crate) mod scheduler;
pub(crate) mod tasks;
pub(crate) mod worker_pool;
