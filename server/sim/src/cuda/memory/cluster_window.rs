//! Addresses in the shared memory of a cluster's blocks. The shared memory of all blocks is contiguous; an address in another
//! block's has that block's rank in the upper bits.

use crate::cuda::windows;

/// The shared memory of the running block within that of its cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClusterWindow {
    pub(crate) rank: u32,
    /// Blocks of the cluster.
    pub(crate) blocks: u32,
    /// Bytes per block.
    pub(crate) size: u32,
    /// Exited blocks, by rank.
    pub(crate) ended: u32,
}

impl ClusterWindow {
    /// The block that an offset from the start of the window addresses, and the offset in its memory.
    pub(crate) fn block_at(self, offset: u64) -> (u64, u64) {
        let (window, within) = (offset / windows::RANK, offset % windows::RANK);
        (window.checked_sub(1).unwrap_or(self.rank.into()), within)
    }

    /// The address in the block with this rank that corresponds to `address` in its block.
    pub(crate) fn mapped(self, address: u64, rank: u32) -> u64 {
        let start = if address >= windows::SHARED { windows::SHARED } else { 0 };
        let (_, within) = self.block_at(address - start);
        let window = if rank == self.rank { 0 } else { u64::from(rank) + 1 };
        start + window * windows::RANK + within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_mapped_there_and_back() {
        let window = ClusterWindow { rank: 1, blocks: 4, size: 1024, ended: 0 };
        for start in [0, windows::SHARED] {
            let there = window.mapped(start + 20, 3);
            assert_eq!(window.block_at(there - start), (3, 20));
            assert_eq!(window.mapped(there, 1), start + 20);
            assert_eq!(window.block_at(20), (1, 20));
        }
    }
}
