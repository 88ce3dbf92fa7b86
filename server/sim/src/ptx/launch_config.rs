//! What a PTX run is given beside the program: the grid, the parameter bytes and device memory with its buffers.

use super::windows;
use crate::memory::DeviceMemory;

/// A launch of an entry, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y, z; left out, the kernel decides.
    pub cluster: Option<[u32; 3]>,
    /// Bytes behind `.extern .shared` arrays.
    pub dynamic_shared: u32,
    /// The parameter block, each parameter at its offset (`ptx::Program::params`); shorter is padded with zeros.
    pub params: Vec<u8>,
    /// Device memory with the buffers that parameters point to. The program's own variables are added at the start of the run.
    pub memory: DeviceMemory,
}

impl LaunchConfig {
    /// A launch without parameters or buffers.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Self {
        LaunchConfig {
            grid,
            block,
            cluster: None,
            dynamic_shared: 0,
            params: Vec::new(),
            memory: Self::memory(),
        }
    }

    /// Empty device memory as PTX sees it.
    pub fn memory() -> DeviceMemory {
        DeviceMemory::new(windows::GLOBAL, windows::GLOBAL_END)
    }

    /// Threads of a block.
    pub fn threads(&self) -> u64 {
        self.block.iter().fold(1, |product: u64, &extent| product.saturating_mul(extent.into()))
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().fold(1, |product: u64, &extent| product.saturating_mul(extent.into()))
    }
}
