//! Defaults of WAVE launches, and their device memory.

use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::memory::DeviceMemory;

/// In bytes per workgroup.
pub const DEFAULT_LOCAL_MEMORY: u32 = 16_384;
/// In bytes.
pub const DEFAULT_DEVICE_MEMORY: u32 = 1_048_576;
pub const DEFAULT_WAVE_WIDTH: u32 = 32;

/// A launch with the default memory, without arguments and buffers.
pub fn launch_config(grid: [u32; 3], workgroup: [u32; 3], wave_width: u32) -> LaunchConfig {
    let memory = device_memory(DEFAULT_DEVICE_MEMORY);
    let shared_memory = DEFAULT_LOCAL_MEMORY;
    LaunchConfig { shared_memory, ..LaunchConfig::new(grid, workgroup, wave_width, memory) }
}

/// Zeroed device memory of `len` bytes: one buffer at address 0.
pub fn device_memory(len: u32) -> DeviceMemory {
    DeviceMemory::flat("device_memory", u64::from(len))
}
