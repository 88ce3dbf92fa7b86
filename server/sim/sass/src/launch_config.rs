//! SASS launches: the warp width, and device memory.

use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_cuda::windows;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::memory::DeviceMemory;

use super::target::Target;

/// A launch without parameters and buffers.
pub fn launch_config(target: Target, address_bytes: u64, grid: [u32; 3], block: [u32; 3]) -> LaunchConfig {
    LaunchConfig::new(grid, block, WIDTH as u32, device_memory(target, address_bytes))
}

/// Empty device memory for a target whose addresses have this size.
pub fn device_memory(target: Target, address_bytes: u64) -> DeviceMemory {
    let start = target.global_start(address_bytes);
    let end = if address_bytes == 4 { windows::GLOBAL_END } else { start << 1 };
    DeviceMemory::new(start, end)
}
