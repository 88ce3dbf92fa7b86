//! One element of memory in each lane, at an offset from its checked address.

use super::local::Local;
use super::region::{CheckedAddresses, MemoryRegion};
use super::spaces::{Spaces, read, write};
use crate::registers::{FULL, PerLane, WIDTH, lanes};

/// The elements that an instruction accesses in the lanes of a mask.
#[derive(Clone, Copy)]
pub struct LaneElements<'a> {
    pub checked: &'a CheckedAddresses,
    pub addresses: &'a PerLane<u64>,
    /// From the address of each lane.
    pub offset: u64,
    /// 1, 2, 4 or 8 bytes.
    pub size: u32,
    pub mask: u32,
}

impl LaneElements<'_> {
    #[inline(always)]
    fn address(&self, lane: usize) -> u64 {
        self.addresses[lane] + self.offset
    }

    /// Loads the elements, each as `value` of its bits; the other lanes get zero.
    #[inline(always)]
    pub fn load<T: Copy + Default>(
        &self,
        spaces: &Spaces,
        local: &Local,
        value: impl Fn(u64) -> T,
    ) -> PerLane<T> {
        let mut values = [T::default(); WIDTH];
        match self.checked {
            CheckedAddresses::One(extent) if extent.region != MemoryRegion::Local => {
                let bytes = spaces.bytes(extent.region);
                let index = |lane: usize| extent.index(self.address(lane));
                match self.size {
                    1 => gather::<1, T>(bytes, index, value, self.mask, &mut values),
                    2 => gather::<2, T>(bytes, index, value, self.mask, &mut values),
                    4 => gather::<4, T>(bytes, index, value, self.mask, &mut values),
                    _ => gather::<8, T>(bytes, index, value, self.mask, &mut values),
                }
            }
            _ => {
                for lane in lanes(self.mask) {
                    if let Some(extent) = self.checked.of(lane) {
                        values[lane] = value(spaces.read(extent, local, lane, self.address(lane), self.size));
                    }
                }
            }
        }
        values
    }

    /// Stores the elements; if lanes store to the same address, the highest lane wins.
    #[inline(always)]
    pub fn store(&self, spaces: &mut Spaces, local: &mut Local, value: impl Fn(usize) -> u64) {
        match self.checked {
            CheckedAddresses::One(extent) if extent.region != MemoryRegion::Local => {
                let bytes = spaces.bytes_mut(extent.region);
                for lane in lanes(self.mask) {
                    write(bytes, extent.index(self.address(lane)), self.size, value(lane));
                }
            }
            _ => {
                for lane in lanes(self.mask) {
                    if let Some(extent) = self.checked.of(lane) {
                        spaces.write(extent, local, lane, self.address(lane), self.size, value(lane));
                    }
                }
            }
        }
    }
}

/// A function of the size, so that the loop over all lanes becomes vector code.
#[inline(always)]
fn gather<const SIZE: u32, T>(
    bytes: &[u8],
    index: impl Fn(usize) -> usize,
    value: impl Fn(u64) -> T,
    mask: u32,
    values: &mut PerLane<T>,
) {
    if mask == FULL {
        for (lane, element) in values.iter_mut().enumerate() {
            *element = value(read(bytes, index(lane), SIZE));
        }
    } else {
        for lane in lanes(mask) {
            values[lane] = value(read(bytes, index(lane), SIZE));
        }
    }
}
