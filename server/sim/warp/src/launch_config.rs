//! The launch configuration of a kernel of any language: the shape of the launch, its arguments and its memory.

use crate::memory::DeviceMemory;

/// A launch of a kernel, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks (workgroups) in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z; the caller has already applied the block size that the kernel declares, if any.
    pub block: [u32; 3],
    /// Lanes of a warp (wave).
    pub warp_width: u32,
    /// Blocks of a cluster in x, y, z, for languages with clusters; if `None`, the kernel decides.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of shared (local) memory per block that the launch provides: in PTX in addition to the kernel's own
    /// arrays, in WAVE unless the kernel declares a size.
    pub shared_memory: u32,
    /// The parameter block, for languages with parameters: each parameter at its offset, padded with zeros.
    pub params: Vec<u8>,
    /// The address of the workspace of a cooperative launch, with which a kernel synchronizes its grid.
    pub workspace: Option<u64>,
    /// The ranges of device memory that the prerequisite grid writes: addresses and lengths.
    pub prerequisite_writes: Vec<(u64, u64)>,
    /// The ranges of device memory that have no values until the kernel writes them: addresses and lengths.
    pub uninitialized: Vec<(u64, u64)>,
    /// Initial values of general registers in every lane, for languages without parameters; all other registers are 0.
    pub registers: Vec<(u8, u32)>,
    /// Device memory with the buffers of the launch.
    pub memory: DeviceMemory,
}

impl LaunchConfig {
    /// The same launch with empty device memory. It cannot run.
    pub fn without_memory(&self) -> Self {
        let LaunchConfig { grid, block, warp_width, cluster, shared_memory, workspace, .. } = *self;
        LaunchConfig {
            cluster,
            shared_memory,
            params: self.params.clone(),
            workspace,
            prerequisite_writes: self.prerequisite_writes.clone(),
            uninitialized: self.uninitialized.clone(),
            registers: self.registers.clone(),
            ..LaunchConfig::new(grid, block, warp_width, DeviceMemory::default())
        }
    }

    /// A launch without arguments and shared memory.
    pub fn new(grid: [u32; 3], block: [u32; 3], warp_width: u32, memory: DeviceMemory) -> Self {
        LaunchConfig {
            grid,
            block,
            warp_width,
            cluster: None,
            shared_memory: 0,
            params: Vec::new(),
            workspace: None,
            prerequisite_writes: Vec::new(),
            uninitialized: Vec::new(),
            registers: Vec::new(),
            memory,
        }
    }

    pub fn threads(&self) -> u64 {
        volume(self.block)
    }

    pub fn blocks(&self) -> u64 {
        volume(self.grid)
    }

    pub fn warps(&self) -> u64 {
        self.threads().div_ceil(u64::from(self.warp_width.max(1)))
    }
}

/// The product of the extents.
pub fn volume(extents: [u32; 3]) -> u64 {
    extents.into_iter().fold(1, |product: u64, extent| product.saturating_mul(extent.into()))
}

/// The position with this linear index, x fastest.
pub fn position(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

/// The position of a lane in its block.
pub fn thread_of(warp: u32, lane: u32, width: u32, block: [u32; 3]) -> [u32; 3] {
    let number = u64::from(warp) * u64::from(width) + u64::from(lane);
    position(number, block.map(|extent| extent.max(1)))
}

/// The lanes that exist of a warp of 32 in a block of these extents: the last warp may be partial.
pub fn launched_lanes(block: [u32; 3], warp: u32) -> u32 {
    match volume(block).saturating_sub(u64::from(warp) * 32) {
        0 => 0,
        count @ 1..=31 => (1 << count) - 1,
        _ => u32::MAX,
    }
}
