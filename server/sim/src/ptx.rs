//! PTX: a kernel decoded into compact operations, and the warps that run them.

pub mod launch_config;
pub mod windows;

pub use launch_config::LaunchConfig;
