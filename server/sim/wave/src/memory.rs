//! Loads, stores and atomics of a wave: lanes execute in order, lowest first, up to the first out-of-range
//! access. A schedule may serve the lanes of an atomic in another order.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::objects::grouped;
use warplens_sim_warp::schedule::LaneOrder;
use warplens_sim_warp::trace::{Finding, Mask, RunOptions};

use super::lanes::{Rows, filter_lanes, lanes};
use super::op::{Atomic, Row, Space};

/// The memory that a workgroup can access.
pub(crate) struct Memory<'m> {
    pub(crate) local: &'m mut [u8],
    pub(crate) device: &'m mut [u8],
    /// Counts stores that changed memory, for spin detection.
    pub(crate) changes: &'m mut u64,
    /// The order in which the lanes of an atomic are served.
    pub(crate) lane_order: LaneOrder,
}

/// An address that is at most this far below 0 comes from a negative index.
const MAX_BELOW: u32 = 1 << 20;

#[derive(Debug)]
pub(crate) struct OutOfRange {
    pub(crate) lanes: Mask,
    /// The address and size of the access by the lowest out-of-range lane.
    pub(crate) address: u32,
    pub(crate) bytes: usize,
    pub(crate) space: Space,
    pub(crate) size: usize,
}

impl OutOfRange {
    pub(crate) fn message(&self) -> String {
        let OutOfRange { lanes, address, bytes, space, size } = self;
        let (memory, fix) = match space {
            Space::Local => ("local", "increase `.local_memory`"),
            Space::Device => ("device", "launch with more device memory"),
        };
        let first = lanes.trailing_zeros();
        let title = match address.wrapping_neg() {
            below @ 1..=MAX_BELOW => {
                format!("{} bytes before {memory} memory", grouped(below.into()))
            }
            _ => format!("access of {bytes} bytes at address {address:#x}, outside {memory} memory"),
        };
        let hint = if matches!(address.wrapping_neg(), 1..=MAX_BELOW) { " (a negative index?)" } else { "" };
        let size = grouped(*size as u64);
        format!(
            "{title}\nlane {first} accesses {bytes} bytes{hint}, and {memory} memory has {size}: guard the access with an `if`, or \
             {fix}"
        )
    }
}

/// The finding for a launch that needs more memory, in bytes, than the limit.
pub(crate) fn over_limit(needed: u64, options: &RunOptions) -> Option<Finding> {
    let limit = options.limits.max_memory;
    let message = format!("the launch requires {needed} bytes, the limit is {limit}");
    (needed > limit).then(|| Finding::about_launch(FindingKind::MemoryLimit, message))
}

impl<'m> Memory<'m> {
    pub(crate) fn of(local: &'m mut [u8], device: &'m mut DeviceMemory, changes: &'m mut u64) -> Self {
        let flat = device.buffers().first().map_or(0, |buffer| buffer.len);
        Memory {
            local,
            device: device.bytes_mut(0, flat).unwrap_or_default(),
            changes,
            lane_order: LaneOrder::default(),
        }
    }
}

impl Memory<'_> {
    #[inline(always)]
    fn bytes(&mut self, space: Space) -> &mut [u8] {
        match space {
            Space::Local => self.local,
            Space::Device => self.device,
        }
    }

    /// The `N` bytes at an address, if in range.
    #[inline(always)]
    fn at<const N: usize>(&mut self, space: Space, address: u32) -> Option<&mut [u8; N]> {
        self.bytes(space).get_mut(address as usize..)?.first_chunk_mut()
    }

    /// Writes `N` bytes, if in range, and counts a change.
    #[inline(always)]
    fn put<const N: usize>(&mut self, space: Space, address: u32, new: [u8; N]) -> Option<()> {
        let old = self.at(space, address)?;
        let changed = *old != new;
        *old = new;
        *self.changes += u64::from(changed);
        Some(())
    }

    /// Collects the out-of-range lanes of `mask` after one access failed.
    #[cold]
    pub(crate) fn out_of_range(
        &mut self,
        space: Space,
        mask: Mask,
        addresses: impl Fn(usize) -> u32,
        bytes: usize,
    ) -> Box<OutOfRange> {
        let size = self.bytes(space).len();
        let failing = filter_lanes(mask, |lane| {
            (addresses(lane) as usize).checked_add(bytes).is_none_or(|end| end > size)
        });
        let address = lanes(failing).next().map_or(0, addresses);
        Box::new(OutOfRange { lanes: failing, address, bytes, space, size })
    }

    /// Loads `bytes` (1, 2, 4, 8 or 16) per lane into the rows `d`, low word first. Narrow values are
    /// zero-extended.
    #[inline(always)]
    pub(crate) fn load<const W: usize>(
        &mut self,
        rows: &mut Rows<W>,
        mask: Mask,
        space: Space,
        bytes: u8,
        (d, address): ([Row; 4], Row),
    ) -> Result<(), Box<OutOfRange>> {
        let addresses = *rows.get(address);
        for lane in lanes(mask) {
            let at = addresses[lane];
            let loaded = match bytes {
                1 => self.at::<1>(space, at).map(|b| rows.set(d[0], lane, u32::from(b[0]))),
                2 => self.at(space, at).map(|b| rows.set(d[0], lane, u32::from(u16::from_le_bytes(*b)))),
                4 => self.at(space, at).map(|b| rows.set(d[0], lane, u32::from_le_bytes(*b))),
                8 => self.at(space, at).map(|b| rows.set_pair([d[0], d[1]], lane, u64::from_le_bytes(*b))),
                _ => self.at(space, at).map(|b| {
                    let value = u128::from_le_bytes(*b);
                    rows.set_pair([d[0], d[1]], lane, value as u64);
                    rows.set_pair([d[2], d[3]], lane, (value >> 64) as u64);
                }),
            };
            if loaded.is_none() {
                return Err(self.out_of_range(space, mask, |lane| addresses[lane], usize::from(bytes)));
            }
        }
        Ok(())
    }

    /// Stores the low `bytes` (1, 2, 4, 8 or 16) per lane of the rows `value`.
    #[inline(always)]
    pub(crate) fn store<const W: usize>(
        &mut self,
        rows: &Rows<W>,
        mask: Mask,
        space: Space,
        bytes: u8,
        (address, value): (Row, [Row; 4]),
    ) -> Result<(), Box<OutOfRange>> {
        let addresses = rows.get(address);
        for lane in lanes(mask) {
            let at = addresses[lane];
            let word = rows.get(value[0])[lane];
            let stored = match bytes {
                1 => self.put(space, at, [word as u8]),
                2 => self.put(space, at, (word as u16).to_le_bytes()),
                4 => self.put(space, at, word.to_le_bytes()),
                8 => self.put(space, at, rows.pair([value[0], value[1]], lane).to_le_bytes()),
                _ => {
                    let low = u128::from(rows.pair([value[0], value[1]], lane));
                    let high = u128::from(rows.pair([value[2], value[3]], lane));
                    self.put(space, at, (low | high << 64).to_le_bytes())
                }
            };
            if stored.is_none() {
                return Err(self.out_of_range(space, mask, |lane| addresses[lane], usize::from(bytes)));
            }
        }
        Ok(())
    }

    /// Reads, modifies and writes 32 bits per lane; `d` receives the old value. For a compare-and-swap,
    /// `value` is the expected value.
    #[inline(always)]
    pub(crate) fn atomic<const W: usize>(
        &mut self,
        rows: &mut Rows<W>,
        mask: Mask,
        (space, op): (Space, Atomic),
        d: Option<Row>,
        [address, value, desired]: [Row; 3],
    ) -> Result<(), Box<OutOfRange>> {
        let [addresses, values, desired] = [address, value, desired].map(|row| *rows.get(row));
        for lane in self.lane_order.lanes(mask) {
            let at = addresses[lane];
            let Some(bytes) = self.at(space, at) else {
                return Err(self.out_of_range(space, mask, |lane| addresses[lane], 4));
            };
            let old = u32::from_le_bytes(*bytes);
            let value = values[lane];
            let new = match op {
                Atomic::Add => old.wrapping_add(value),
                Atomic::Subtract => old.wrapping_sub(value),
                Atomic::Minimum => old.min(value),
                Atomic::Maximum => old.max(value),
                Atomic::And => old & value,
                Atomic::Or => old | value,
                Atomic::Xor => old ^ value,
                Atomic::Exchange => value,
                Atomic::CompareAndSwap if old == value => desired[lane],
                Atomic::CompareAndSwap => old,
            };
            *bytes = new.to_le_bytes();
            *self.changes += u64::from(old != new);
            if let Some(d) = d {
                rows.set(d, lane, old);
            }
        }
        Ok(())
    }

    /// The 4 bytes at an address of local memory.
    pub(crate) fn local_word(&mut self, address: u32) -> Option<u32> {
        self.at(Space::Local, address).map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub(crate) fn set_local_word(&mut self, address: u32, word: u32) -> Option<()> {
        self.put(Space::Local, address, word.to_le_bytes())
    }
}
