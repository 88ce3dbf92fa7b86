//! WAVE: structured masks over a wave of 1 to 64 lanes.

mod launch_config;

pub use launch_config::{LaunchConfig, MAX_WAVE_WIDTH};
