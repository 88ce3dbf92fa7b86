//! The device heap: `malloc` and `free`.
//!
//! Blocks are allocated in device memory among the launch's buffers, each with a name and a guard gap after it. Freed
//! blocks are reused only when the heap has no other space left, so that use after free is detected.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use warplens_sim_warp::memory::{DeviceMemory, GRANULE};

/// Limit of allocated bytes, the default of a device.
const LIVE: u64 = 8 << 20;
/// Freed blocks are reused once all blocks, including freed ones, have this many bytes.
const FRESH: u64 = 64 << 20;

#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// Addresses of all blocks, including freed ones.
    blocks: FxHashSet<u64>,
    live: u64,
    fresh: u64,
    /// Addresses and sizes of freed blocks, oldest first.
    freed: VecDeque<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeError {
    Again,
    NoBlock,
}

/// Bytes that a block occupies.
fn size(len: u64) -> u64 {
    len.max(1).div_ceil(GRANULE).saturating_mul(GRANULE)
}

impl Heap {
    /// What an allocation costs, as the meter counts it: the bytes to clear and the freed blocks to search.
    pub fn cost(&self, len: u64) -> u64 {
        len.min(LIVE) / 64 + self.freed.len() as u64 / 16
    }

    /// Allocates a block; returns address 0 if the heap is full.
    pub fn allocate(&mut self, memory: &mut DeviceMemory, len: u64) -> u64 {
        let size = size(len);
        if self.live.saturating_add(size) > LIVE {
            return 0;
        }
        let name = format!("malloc #{}", self.blocks.len() + 1);
        let address = if self.fresh + size <= FRESH {
            self.fresh += size;
            memory.allocate(&name, len).unwrap_or(0)
        } else {
            let again = self.freed.iter().position(|(_, had)| *had >= size);
            let Some((address, _)) = again.and_then(|at| self.freed.remove(at)) else { return 0 };
            memory.renew(address, &name, len);
            address
        };
        if address != 0 {
            self.blocks.insert(address);
            self.live += size;
        }
        address
    }

    pub fn free(&mut self, memory: &mut DeviceMemory, address: u64) -> Result<(), FreeError> {
        let block = memory.buffer_of(address, 0).filter(|_| self.blocks.contains(&address));
        let block = block.ok_or(FreeError::NoBlock)?;
        if block.freed {
            return Err(FreeError::Again);
        }
        let size = size(block.len);
        memory.retire(address);
        self.live -= size;
        self.freed.push_back((address, size));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> DeviceMemory {
        DeviceMemory::new(0x1000, u64::MAX)
    }

    #[test]
    fn blocks_are_disjoint_and_freed_once() {
        let (mut memory, mut heap) = (memory(), Heap::default());
        let x = heap.allocate(&mut memory, 10);
        let y = heap.allocate(&mut memory, 0);
        assert!(x != 0 && y > x + 10);
        assert!(memory.bytes(x, 10).is_some());
        assert_eq!(heap.free(&mut memory, x), Ok(()));
        assert_eq!(memory.bytes(x, 1), None);
        assert_eq!(heap.free(&mut memory, x), Err(FreeError::Again));
        assert_eq!(heap.free(&mut memory, y + 1), Err(FreeError::NoBlock));
        assert_eq!(heap.free(&mut memory, 0x10), Err(FreeError::NoBlock));
    }

    #[test]
    fn live_bytes_are_bounded() {
        let (mut memory, mut heap) = (memory(), Heap::default());
        assert_eq!(heap.allocate(&mut memory, LIVE + 1), 0);
        assert_eq!(heap.allocate(&mut memory, u64::MAX), 0);
        assert_ne!(heap.allocate(&mut memory, LIVE), 0);
        assert_eq!(heap.allocate(&mut memory, 1), 0);
    }

    #[test]
    fn freed_blocks_are_reused_when_the_heap_is_full() {
        let (mut memory, mut heap) = (memory(), Heap::default());
        let first = heap.allocate(&mut memory, LIVE);
        for _ in 1..FRESH / LIVE {
            let last = memory.buffers()[memory.buffers().len() - 1].address;
            heap.free(&mut memory, last).expect("a block");
            assert_ne!(heap.allocate(&mut memory, LIVE), 0);
        }
        let last = memory.buffers()[memory.buffers().len() - 1].address;
        heap.free(&mut memory, last).expect("a block");
        assert_eq!(heap.allocate(&mut memory, 100), first);
        assert!(memory.bytes(first, 100).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0)));
        assert_eq!(memory.bytes(first, 101), None);
    }
}
