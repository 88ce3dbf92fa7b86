//! The launch configuration of a WAVE run: grid, wave width, memory, and initial register values.

use crate::memory::DeviceMemory;

/// The widest wave.
pub const MAX_WAVE_WIDTH: u32 = 64;

/// A launch of a kernel, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Workgroups in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a workgroup in x, y, z; the caller has already applied the kernel's `.workgroup_size`.
    pub workgroup: [u32; 3],
    /// Lanes of a wave, 1 to [`MAX_WAVE_WIDTH`].
    pub wave_width: u32,
    /// Values that general registers hold in every lane when a wave starts (arguments first); all others are 0.
    pub registers: Vec<(u8, u32)>,
    /// Bytes of local memory of a workgroup; the kernel's `.local_memory` takes precedence.
    pub local_memory: u32,
    /// Device memory, flat from address 0, with the buffers already in it.
    pub memory: DeviceMemory,
}

impl LaunchConfig {
    /// Default bytes of local memory of a workgroup.
    pub const DEFAULT_LOCAL_MEMORY: u32 = 16_384;
    /// Default bytes of device memory.
    pub const DEFAULT_DEVICE_MEMORY: u32 = 1_048_576;
    /// Default lanes of a wave.
    pub const DEFAULT_WAVE_WIDTH: u32 = 32;

    /// A launch with default memory, without arguments or buffers.
    pub fn new(grid: [u32; 3], workgroup: [u32; 3], wave_width: u32) -> Self {
        LaunchConfig {
            grid,
            workgroup,
            wave_width,
            registers: Vec::new(),
            local_memory: Self::DEFAULT_LOCAL_MEMORY,
            memory: Self::memory(Self::DEFAULT_DEVICE_MEMORY),
        }
    }

    /// Zeroed WAVE device memory of `len` bytes: one buffer at address 0.
    pub fn memory(len: u32) -> DeviceMemory {
        DeviceMemory::flat("device_memory", u64::from(len))
    }

    /// Threads of a workgroup.
    pub fn threads(&self) -> u64 {
        self.workgroup.iter().map(|&extent| u64::from(extent)).product()
    }

    /// Waves of a workgroup.
    pub fn waves(&self) -> u64 {
        self.threads().div_ceil(u64::from(self.wave_width.max(1)))
    }

    /// Workgroups of the grid.
    pub fn workgroups(&self) -> u64 {
        self.grid.iter().map(|&extent| u64::from(extent)).product()
    }
}
