//! CUDA launches: the warp width, and device memory.

use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::memory::DeviceMemory;

use crate::registers::WIDTH;
use crate::windows;

/// A launch without parameters and buffers.
pub fn launch_config(grid: [u32; 3], block: [u32; 3]) -> LaunchConfig {
    LaunchConfig::new(grid, block, WIDTH as u32, device_memory())
}

/// Empty device memory. A run adds the variables of the program.
pub fn device_memory() -> DeviceMemory {
    DeviceMemory::new(windows::GLOBAL, windows::GLOBAL_END)
}
