//! Addresses in the shared memory of a cluster's blocks. The shared memory of all blocks is contiguous; the upper bits
//! of an address are the rank of its block, from bit 24 up in the shared space.

use crate::address::Space;
use crate::windows;

/// The largest rank that a generic address can hold. No cluster has that many blocks.
const MAX_RANK: u32 = ((windows::LOCAL - windows::SHARED) / windows::RANK) as u32 - 1;

/// The running block's part of the shared memory of its cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterWindow {
    pub rank: u32,
    pub blocks: u32,
    /// Bytes per block.
    pub size: u32,
    /// The mask of exited blocks, by rank.
    pub ended: u32,
}

impl ClusterWindow {
    /// The first address of the running block in the shared space.
    #[inline]
    pub fn own_base(self) -> u32 {
        self.rank * windows::SHARED_RANK as u32
    }

    /// The generic addresses of the running block's shared memory: the whole window without a cluster.
    pub fn own_generic(self) -> std::ops::Range<u64> {
        let start = windows::SHARED + u64::from(self.rank) * windows::RANK;
        if self.blocks > 1 { start..start + windows::RANK } else { windows::SHARED..windows::LOCAL }
    }

    /// The rank of the block to which a shared or generic address belongs, and the offset in its memory.
    #[inline]
    pub fn block_at(self, space: Space, address: u64) -> Option<(u64, u64)> {
        let (start, stride) = window(space);
        let offset = address.checked_sub(start)?;
        Some((offset / stride, offset % stride))
    }

    /// The address that corresponds to a shared or generic address in the block with this rank, which need not be in the cluster.
    #[inline]
    pub fn mapped(self, space: Space, address: u64, rank: u32) -> u64 {
        let (start, stride) = window(space);
        let (_, within) = self.block_at(space, address).unwrap_or((0, address));
        start + u64::from(rank.min(MAX_RANK)) * stride + within
    }

    /// Converts a shared address to a generic one, or with `to_shared` the other way round.
    pub fn converted(self, address: u64, to_shared: bool) -> u64 {
        let (from, to) =
            if to_shared { (Space::Generic, Space::Shared) } else { (Space::Shared, Space::Generic) };
        match self.block_at(from, address) {
            // A rank beyond the cluster stays in the address, so that the access is reported.
            Some((rank, within)) if rank <= MAX_RANK.into() && (rank != 0 || self.blocks > 1) => {
                let (start, stride) = window(to);
                start + rank * stride + within
            }
            _ if to_shared => address.wrapping_sub(windows::SHARED),
            _ => address.wrapping_add(windows::SHARED),
        }
    }
}

/// The first address of the block with rank 0, and the distance between two blocks.
fn window(space: Space) -> (u64, u64) {
    match space {
        Space::Shared => (0, windows::SHARED_RANK),
        _ => (windows::SHARED, windows::RANK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_mapped_there_and_back() {
        let window = ClusterWindow { rank: 1, blocks: 4, size: 1024, ended: 0 };
        for (space, start) in
            [(Space::Shared, 0x0100_0000), (Space::Generic, windows::SHARED + windows::RANK)]
        {
            let there = window.mapped(space, start + 20, 3);
            assert_eq!(window.block_at(space, there), Some((3, 20)));
            assert_eq!(window.mapped(space, there, 1), start + 20);
        }
        assert_eq!(window.converted(0x0200_0014, false), windows::SHARED + 2 * windows::RANK + 20);
        assert_eq!(window.converted(windows::SHARED + 2 * windows::RANK + 20, true), 0x0200_0014);
        assert_eq!(window.converted(0x0900_0014, false), windows::SHARED + 9 * windows::RANK + 20);
    }
}
