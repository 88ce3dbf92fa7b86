//! Device memory: allocations in one address range, found by address in constant time.
//!
//! Addresses are the ones that the program sees. Each allocation starts on a 256-byte boundary and is followed by a guard
//! gap, so an access past its end is detected and the message can name the object (`y`, 16 bytes past its end).

use smol_str::SmolStr;

use crate::objects::{ArrayShape, Object};

/// Allocations start at multiples of this.
pub const GRANULE: u64 = 256;

const PAGE: usize = 4096;
static ZEROS: [u8; PAGE] = [0; PAGE];

/// No allocation covers this granule.
const UNOWNED: u32 = u32::MAX;

/// A named range of device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub name: SmolStr,
    /// The address of the first byte.
    pub address: u64,
    /// Length in bytes.
    pub len: u64,
    /// Whether stores are faults (constant memory).
    pub read_only: bool,
    /// Whether the program freed the buffer; it then has no bytes.
    pub freed: bool,
    /// The declared element size and dimensions.
    pub shape: ArrayShape,
    /// What a multimem address refers to; the buffer then has no bytes of its own.
    pub multimem: Option<Multimem>,
}

/// The buffers that a multimem address refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multimem {
    /// The addresses of the buffers.
    pub replicas: Vec<u64>,
    /// Length in bytes of each buffer.
    pub len: u64,
}

impl Buffer {
    fn new(name: &str, address: u64, len: u64) -> Buffer {
        let shape = ArrayShape::array(0);
        Buffer { name: name.into(), address, len, read_only: false, freed: false, shape, multimem: None }
    }

    pub fn object(&self) -> Object {
        let Buffer { name, address, len, shape, .. } = self.clone();
        Object { name, start: address, len, shape }
    }
}

/// An allocation did not fit into the address range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    pub wanted: u64,
}

/// Device memory: `.global` in PTX, all memory of a WAVE device.
///
/// A page that nothing has been written to takes no memory of the host, in copies either.
#[derive(Debug, Default, Eq)]
pub struct DeviceMemory {
    base: u64,
    end: u64,
    guard: u64,
    buffers: Vec<Buffer>,
    /// The buffer that owns each granule, starting at `base`.
    owners: Vec<u32>,
    /// Zeros follow the allocations, for the next ones.
    bytes: Vec<u8>,
    /// Bytes of the allocations, gaps included.
    used: usize,
}

impl Clone for DeviceMemory {
    fn clone(&self) -> DeviceMemory {
        let (buffers, owners) = (self.buffers.clone(), self.owners.clone());
        DeviceMemory { buffers, owners, bytes: zeros_and(&self.bytes[..self.used], self.used), ..*self }
    }
}

impl PartialEq for DeviceMemory {
    fn eq(&self, other: &DeviceMemory) -> bool {
        (self.base, self.end, self.guard) == (other.base, other.end, other.guard)
            && self.buffers == other.buffers
            && self.bytes[..self.used] == other.bytes[..other.used]
    }
}

/// `len` zeros, of which the first ones are replaced by `bytes`.
fn zeros_and(bytes: &[u8], len: usize) -> Vec<u8> {
    let mut copy = vec![0; len];
    copy_to_zeros(bytes, &mut copy);
    copy
}

/// Copies `bytes` to memory that is zero. Pages of zeros stay untouched.
fn copy_to_zeros(bytes: &[u8], zeros: &mut [u8]) {
    for (target, page) in zeros.chunks_mut(PAGE).zip(bytes.chunks(PAGE)) {
        if page != &ZEROS[..page.len()] {
            target[..page.len()].copy_from_slice(page);
        }
    }
}

impl DeviceMemory {
    /// Empty memory for allocations in `base..end`, each followed by a guard gap. `base` must be a multiple of [`GRANULE`].
    pub fn new(base: u64, end: u64) -> Self {
        debug_assert_eq!(base % GRANULE, 0);
        DeviceMemory {
            base,
            end,
            guard: GRANULE,
            buffers: Vec::new(),
            owners: Vec::new(),
            bytes: Vec::new(),
            used: 0,
        }
    }

    /// One zeroed buffer of `len` bytes at address 0: memory that a program addresses by offset.
    pub fn flat(name: &str, len: u64) -> Self {
        let mut memory = DeviceMemory { guard: 0, ..DeviceMemory::new(0, len) };
        if memory.allocate(name, len).is_err() {
            unreachable!("the range was made for it");
        }
        memory
    }

    /// The address of the next buffer that is allocated.
    pub fn next_address(&self) -> u64 {
        self.base + self.used as u64
    }

    /// The next buffer starts at `address`, a multiple of [`GRANULE`] that is not before [`Self::next_address`].
    pub fn skip_to(&mut self, address: u64) {
        debug_assert!(address.is_multiple_of(GRANULE) && address >= self.next_address());
        self.used = (address - self.base) as usize;
        self.owners.resize(self.used / GRANULE as usize, UNOWNED);
    }

    /// Allocates a zeroed buffer and returns its address.
    pub fn allocate(&mut self, name: &str, len: u64) -> Result<u64, OutOfMemory> {
        let address = self.next_address();
        let free = self.end.saturating_sub(address);
        if len > free {
            return Err(OutOfMemory { wanted: len });
        }
        let covered = len.max(1).div_ceil(GRANULE) * GRANULE;
        let index = self.buffers.len() as u32;
        self.owners.resize(self.owners.len() + (covered / GRANULE) as usize, index);
        self.owners.resize(self.owners.len() + (self.guard / GRANULE) as usize, UNOWNED);
        self.used += (covered + self.guard) as usize;
        if self.used > self.bytes.len() {
            let larger = if self.bytes.is_empty() { self.used } else { self.used + self.used / 4 };
            self.bytes = zeros_and(&self.bytes, larger);
        }
        self.buffers.push(Buffer::new(name, address, len));
        Ok(address)
    }

    /// Allocates a buffer that holds `contents` and returns its address.
    pub fn allocate_with(&mut self, name: &str, contents: &[u8]) -> Result<u64, OutOfMemory> {
        let address = self.allocate(name, contents.len() as u64)?;
        let at = (address - self.base) as usize;
        copy_to_zeros(contents, &mut self.bytes[at..at + contents.len()]);
        Ok(address)
    }

    /// Allocates a range of addresses that refer to the same offsets in each of `replicas`, buffers of `len` bytes.
    pub fn allocate_multimem(
        &mut self,
        name: &str,
        len: u64,
        replicas: Vec<u64>,
    ) -> Result<u64, OutOfMemory> {
        let address = self.allocate(name, len)?;
        if let Some(buffer) = self.owner(address) {
            let buffer = &mut self.buffers[buffer];
            (buffer.len, buffer.multimem) = (0, Some(Multimem { replicas, len }));
        }
        Ok(address)
    }

    /// The multimem range that starts at or before `address`, if no other buffer starts in between, and the offset of
    /// `address` from its start.
    pub fn multimem(&self, address: u64) -> Option<(&Multimem, u64)> {
        let after = self.buffers.partition_point(|buffer| buffer.address <= address);
        let buffer = &self.buffers[after.checked_sub(1)?];
        Some((buffer.multimem.as_ref()?, address - buffer.address))
    }

    /// Sets the elements of the buffer at `address`.
    pub fn set_shape(&mut self, address: u64, shape: ArrayShape) {
        if let Some(buffer) = self.owner(address) {
            self.buffers[buffer].shape = shape;
        }
    }

    /// From now on, stores to the buffer at `address` are faults.
    pub fn protect(&mut self, address: u64) {
        if let Some(buffer) = self.owner(address) {
            self.buffers[buffer].read_only = true;
        }
    }

    /// Frees the buffer at `address`: later accesses to it are faults.
    pub fn retire(&mut self, address: u64) {
        if let Some(buffer) = self.owner(address) {
            let buffer = &mut self.buffers[buffer];
            (buffer.freed, buffer.len) = (true, 0);
        }
    }

    /// Reuses the range of a retired buffer for a new, zeroed buffer that is no longer than the old one.
    pub fn renew(&mut self, address: u64, name: &str, len: u64) {
        let Some(buffer) = self.owner(address) else { return };
        self.buffers[buffer] = Buffer::new(name, address, len);
        if let Some(bytes) = self.bytes_mut(address, len) {
            bytes.fill(0);
        }
    }

    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Bytes in use, gaps included.
    pub fn size(&self) -> u64 {
        self.used as u64
    }

    fn owner(&self, address: u64) -> Option<usize> {
        let granule = address.checked_sub(self.base)? / GRANULE;
        let owner = *self.owners.get(usize::try_from(granule).ok()?)?;
        (owner != UNOWNED).then_some(owner as usize)
    }

    /// Bytes reserved on the host, whether or not they have been written.
    pub fn reserved_bytes(&self) -> usize {
        self.used + self.owners.len() * size_of::<u32>()
    }

    /// The buffer that contains all of `address..address + len`.
    #[inline]
    pub fn buffer_of(&self, address: u64, len: u64) -> Option<&Buffer> {
        let buffer = &self.buffers[self.owner(address)?];
        (address - buffer.address + len <= buffer.len).then_some(buffer)
    }

    /// `len` bytes at `address`, if they lie in one buffer.
    #[inline]
    pub fn bytes(&self, address: u64, len: u64) -> Option<&[u8]> {
        self.buffer_of(address, len)?;
        let at = (address - self.base) as usize;
        Some(&self.bytes[at..at + len as usize])
    }

    /// `len` writable bytes at `address`, if they lie in one buffer. Ignores [`Buffer::read_only`], because loaders
    /// write too.
    #[inline]
    pub fn bytes_mut(&mut self, address: u64, len: u64) -> Option<&mut [u8]> {
        self.buffer_of(address, len)?;
        let at = (address - self.base) as usize;
        Some(&mut self.bytes[at..at + len as usize])
    }

    /// The base address and all bytes from there, gaps included; for accesses that [`Self::buffer_of`] has already
    /// checked.
    #[inline]
    pub fn raw(&self) -> (u64, &[u8]) {
        (self.base, &self.bytes[..self.used])
    }

    /// Like [`Self::raw`], but writable.
    #[inline]
    pub fn raw_mut(&mut self) -> (u64, &mut [u8]) {
        (self.base, &mut self.bytes[..self.used])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (DeviceMemory, u64, u64) {
        let mut memory = DeviceMemory::new(0x1000, 0x10000);
        let x = memory.allocate_with("x", &[1, 2, 3, 4]).expect("it fits");
        let y = memory.allocate("y", 300).expect("it fits");
        (memory, x, y)
    }

    #[test]
    fn buffers_are_aligned_and_apart() {
        let (memory, x, y) = two();
        assert_eq!((x, y), (0x1000, 0x1200));
        assert_eq!(memory.bytes(x, 4), Some(&[1, 2, 3, 4][..]));
        assert!(memory.bytes(y, 300).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0)));
    }

    #[test]
    fn accesses_outside_are_refused() {
        let (memory, x, y) = two();
        assert_eq!(memory.bytes(x + 1, 4), None);
        assert_eq!(memory.bytes(x - 1, 1), None);
        assert_eq!(memory.bytes(0, 1), None);
        assert_eq!(memory.bytes(y + 300, 1), None);
        assert_eq!(memory.bytes(u64::MAX, 8), None);
    }

    #[test]
    fn the_address_range_is_bounded() {
        let (mut memory, _, _) = two();
        assert_eq!(memory.allocate("z", 0x10000), Err(OutOfMemory { wanted: 0x10000 }));
    }

    #[test]
    fn copies_are_equal_until_one_is_written() {
        let (memory, x, _) = two();
        let mut copy = memory.clone();
        assert_eq!((&copy, copy.bytes(x, 4), copy.size()), (&memory, memory.bytes(x, 4), memory.size()));
        let z = copy.allocate("z", 5000).expect("it fits");
        assert_eq!(copy.bytes(x, 4), memory.bytes(x, 4));
        assert_ne!(copy, memory);
        copy.bytes_mut(z, 1).expect("inside")[0] = 7;
        assert_eq!(copy.clone(), copy);
        assert_eq!(copy.clone().bytes(z, 1), Some(&[7][..]));
    }

    #[test]
    fn flat_memory_starts_at_zero() {
        let mut memory = DeviceMemory::flat("device", 1000);
        memory.bytes_mut(996, 4).expect("inside").copy_from_slice(&[9; 4]);
        assert_eq!(memory.bytes(999, 1), Some(&[9][..]));
        assert_eq!(memory.bytes(997, 4), None);
    }
}
