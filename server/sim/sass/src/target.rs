//! What a listing's target determines: the divergence machine, the constants of a launch and the windows of
//! generic addresses.

use warplens_hir::sass::Generation;
use warplens_sim_cuda::windows;

/// A compute capability, such as 75 for `sm_75`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target(pub u16);

/// Where constant bank 0 holds the values that depend on the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConstants {
    pub params: u32,
    /// Threads of a block in x, then y and z.
    pub block: u32,
    /// Blocks of the grid in x, then y and z.
    pub grid: u32,
    /// The first address after the stack: its bank and offset.
    pub stack: (u8, u32),
}

/// Where constant bank 0 describes the cluster of a block.
pub(crate) struct ClusterConstants {
    /// 1 if the launch or the kernel asks for clusters, else 0.
    pub(crate) is_clustered: u32,
    /// Blocks of a cluster in x, then y and z.
    pub(crate) extents: u32,
    /// The reciprocals of the extents in y and z, with which code divides the number of a block.
    pub(crate) reciprocals: u32,
    /// Clusters of the grid in x, then y and z.
    pub(crate) clusters: u32,
    /// Blocks of a cluster.
    pub(crate) blocks: u32,
}

impl Target {
    /// The first target with convergence barriers.
    pub const BARRIERS: Target = Target(70);
    /// The first target whose parameters begin at 0x210.
    const HOPPER: Target = Target(90);

    /// The first target of a generation, for a text that does not state its target.
    pub fn first_of(generation: Generation) -> Target {
        Target(match generation {
            Generation::Fermi => 20,
            Generation::Kepler => 35,
            Generation::Maxwell => 50,
            Generation::Volta => 70,
            Generation::Turing => 75,
            Generation::Ampere => 80,
            Generation::Hopper => 90,
            Generation::Blackwell => 100,
        })
    }

    /// Whether lanes reconverge at convergence barriers and not by tokens on a stack.
    pub fn has_barriers(self) -> bool {
        self >= Target::BARRIERS
    }

    /// Whether any instruction may be marked `.S`, so that its lanes then wait in the innermost token.
    pub fn marks_joins(self) -> bool {
        self.0 < 50
    }

    pub fn instruction_bytes(self) -> u32 {
        if self.has_barriers() { 16 } else { 8 }
    }

    pub fn launch_constants(self) -> LaunchConstants {
        let constants = |params, block, grid, stack| LaunchConstants { params, block, grid, stack };
        match self.0 {
            0..30 => constants(0x20, 0x8, 0x14, (1, 0x100)),
            30..50 => constants(0x140, 0x28, 0x34, (0, 0x44)),
            50..70 => constants(0x140, 0x8, 0x14, (0, 0x20)),
            70..90 => constants(0x160, 0x0, 0xc, (0, 0x28)),
            90..100 => constants(0x210, 0x0, 0xc, (0, 0x28)),
            _ => constants(0x380, 0x360, 0x370, (0, 0x37c)),
        }
    }

    /// The first generic addresses of shared memory and of local memory. Before `sm_70`, code tests the upper
    /// byte of 32 bits for the window, since then the upper word.
    pub fn windows(self) -> [u64; 2] {
        match self.has_barriers() {
            true => [1 << 32, 2 << 32],
            false => [windows::SHARED, windows::LOCAL],
        }
    }

    pub fn window_bytes(self) -> u64 {
        if self.has_barriers() { 1 << 32 } else { 1 << 24 }
    }

    /// The first address of shared memory that a kernel may use: the system reserves the bytes before it.
    pub fn shared_start(self) -> u32 {
        if self >= Target::HOPPER { 0x400 } else { 0 }
    }

    /// Where bank 0 holds the words of the windows: low and high for shared memory, then for local memory.
    pub(crate) fn window_constants(self) -> Vec<(u32, u32)> {
        let [shared, local] = self.windows();
        let pair = |at: u32, value: u64| [(at, value as u32), (at + 4, (value >> 32) as u32)];
        match self.0 {
            0..50 => Vec::new(),
            50..60 => vec![(0x0, shared as u32), (0x4, local as u32)],
            60..70 => {
                vec![(0x0, shared as u32), (0x4, local as u32), (0x100, 0), (0x104, 0)]
            }
            70..90 => [pair(0x18, shared), pair(0x20, local)].concat(),
            90..100 => pair(0x20, local).to_vec(),
            _ => pair(0x2f8, local).to_vec(),
        }
    }

    /// Where bank 0 describes the cluster of a block; `None` if there are no clusters.
    pub(crate) fn cluster_constants(self) -> Option<ClusterConstants> {
        let constants = |is_clustered, extents, reciprocals, clusters, blocks| ClusterConstants {
            is_clustered,
            extents,
            reciprocals,
            clusters,
            blocks,
        };
        match self.0 {
            0..90 => None,
            90..100 => Some(constants(0x140, 0x144, 0x154, 0x15c, 0x188)),
            _ => Some(constants(0x36c, 0x2a0, 0x2b4, 0x2c0, 0x2cc)),
        }
    }

    /// Where bank 0 holds the size of dynamic shared memory in bytes.
    pub(crate) fn dynamic_shared_constant(self) -> Option<u32> {
        match self.0 {
            0..50 => None,
            50..70 => Some(0xfc),
            70..100 => Some(0x2c),
            _ => Some(0x2ac),
        }
    }

    /// The first address of global memory. If the windows are below 2^32, buffers must not be, unless
    /// addresses have 32 bits.
    pub fn global_start(self, address_bytes: u64) -> u64 {
        if address_bytes == 4 { windows::GLOBAL } else { 0x7_0000_0000 }
    }
}
