//! The cost of one memory request: sectors of global memory, wavefronts of shared memory.

use warplens_sim_warp::trace::{Counters, Sectors, Wavefronts};
use warplens_sim_warp::values::{AccessSpace, LaneAccesses};

use super::event::AccessEvent;
use crate::memory::region::MemoryRegion;
use crate::registers::{PerLane, WIDTH, filter_lanes, lanes};

const SECTOR: u64 = 32;
/// Banks of shared memory; each is four bytes wide.
const BANKS: usize = 32;

#[derive(Default)]
pub struct Cost {
    pub(super) counts: bool,
    pub(crate) counters: Option<Counters>,
    /// The accesses of the instruction, if the caller asked for them.
    pub accesses: Option<Vec<LaneAccesses>>,
}

impl Cost {
    pub(super) fn count(&mut self, event: &AccessEvent<'_>) {
        let span = event.span();
        let of = |regions: &[MemoryRegion]| {
            let region = |lane| event.extent(lane).map(|extent| extent.region);
            filter_lanes(event.mask, |lane| region(lane).is_some_and(|region| regions.contains(&region)))
        };
        let global = of(&[MemoryRegion::Launch, MemoryRegion::Globals]);
        let shared = of(&[MemoryRegion::Shared]);
        self.list(event, AccessSpace::Global, global);
        self.list(event, AccessSpace::Shared, shared);
        let counters = self.counters.get_or_insert_default();
        if global != 0 {
            let global = sectors(event.addresses, span, global);
            counters.add(&Counters { global, ..Counters::default() });
        }
        if shared != 0 {
            let shared = wavefronts(event.addresses, span, shared);
            counters.add(&Counters { shared, ..Counters::default() });
        }
    }

    fn list(&mut self, event: &AccessEvent<'_>, space: AccessSpace, mask: u32) {
        let Some(accesses) = self.accesses.as_mut().filter(|_| mask != 0) else { return };
        let lanes = lanes(mask).map(|lane| (lane as u32, event.addresses[lane])).collect();
        accesses.push(LaneAccesses { space, bytes: event.span(), lanes });
    }
}

/// The cost of a request to global memory: `span` bytes at the address of each lane of `mask`.
fn sectors(addresses: &PerLane<u64>, span: u64, mask: u32) -> Sectors {
    let mut starts: Vec<u64> = lanes(mask).map(|lane| addresses[lane]).collect();
    starts.sort_unstable();
    let (mut touched, mut bytes) = (0, 0);
    // All sectors and bytes below these ends have been counted.
    let (mut sector_end, mut byte_end) = (0, 0);
    for start in starts {
        let end = start.saturating_add(span);
        bytes += end.saturating_sub(start.max(byte_end));
        byte_end = byte_end.max(end);
        let (first, last) = (start / SECTOR, (end - 1) / SECTOR);
        touched += (last + 1).saturating_sub(first.max(sector_end));
        sector_end = sector_end.max(last + 1);
    }
    let ideal = bytes.div_ceil(SECTOR);
    Sectors { requests: 1, sectors: touched, ideal, worst: touched as u32, worst_ideal: ideal as u32 }
}

/// The cost of a request to shared memory. A wavefront transfers at most 128 bytes, so wide accesses are split into
/// halves or quarters of the warp. Each bank broadcasts one word to all lanes that access it.
fn wavefronts(addresses: &PerLane<u64>, span: u64, mask: u32) -> Wavefronts {
    let together = match span {
        0..=4 => WIDTH,
        5..=8 => WIDTH / 2,
        _ => WIDTH / 4,
    };
    let mut sum = Wavefronts { requests: 1, ..Wavefronts::default() };
    for first in (0..WIDTH).step_by(together) {
        let part = mask & (u32::MAX >> (WIDTH - together)) << first;
        if part == 0 {
            continue;
        }
        let ways = ways(addresses, span, part);
        sum.wavefronts += u64::from(ways);
        sum.ideal += 1;
        sum.worst_ways = sum.worst_ways.max(ways);
    }
    sum
}

/// The largest number of distinct words that the lanes access in one bank.
fn ways(addresses: &PerLane<u64>, span: u64, mask: u32) -> u32 {
    let mut words: Vec<u64> = Vec::with_capacity(BANKS);
    for lane in lanes(mask) {
        let (first, last) = (addresses[lane] / 4, (addresses[lane] + span - 1) / 4);
        words.extend(first..=last);
    }
    words.sort_unstable();
    words.dedup();
    let mut banks = [0; BANKS];
    for word in words {
        banks[(word % BANKS as u64) as usize] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::FULL;

    fn strided(stride: u64) -> PerLane<u64> {
        std::array::from_fn(|lane| 0x1000 + lane as u64 * stride)
    }

    fn touched(stride: u64, span: u64, mask: u32) -> (u64, u64) {
        let cost = sectors(&strided(stride), span, mask);
        (cost.sectors, cost.ideal)
    }

    #[test]
    fn sectors_of_a_request() {
        assert_eq!(touched(4, 4, FULL), (4, 4), "side by side");
        assert_eq!(touched(8, 4, FULL), (8, 4), "every second word");
        assert_eq!(touched(128, 4, FULL), (32, 4), "a column");
        assert_eq!(touched(0, 4, FULL), (1, 1), "all the same");
        assert_eq!(touched(16, 16, FULL), (16, 16), "vectors");
        assert_eq!(touched(4, 4, 0xff), (1, 1), "a quarter");
        assert_eq!(touched(1, 1, FULL), (1, 1), "bytes");
        let shifted = std::array::from_fn(|lane| 0x1004 + 4 * lane as u64);
        let cost = sectors(&shifted, 4, FULL);
        assert_eq!((cost.sectors, cost.ideal), (5, 4), "off by a word");
    }

    #[test]
    fn wavefronts_of_a_request() {
        let of = |stride, span, mask| {
            let cost = wavefronts(&strided(stride), span, mask);
            (cost.wavefronts, cost.ideal, cost.worst_ways)
        };
        assert_eq!(of(4, 4, FULL), (1, 1, 1), "a word each");
        assert_eq!(of(0, 4, FULL), (1, 1, 1), "one word for all");
        assert_eq!(of(8, 4, FULL), (2, 1, 2), "every second bank");
        assert_eq!(of(128, 4, FULL), (32, 1, 32), "one bank");
        assert_eq!(of(132, 4, FULL), (1, 1, 1), "padded rows");
        assert_eq!(of(8, 8, FULL), (2, 2, 1), "halves of the warp");
        assert_eq!(of(16, 16, FULL), (4, 4, 1), "quarters of the warp");
        assert_eq!(of(16, 8, FULL), (4, 2, 2), "halves, every second pair");
        assert_eq!(of(1, 1, FULL), (1, 1, 1), "bytes of the same words");
        assert_eq!(of(128, 4, 0b11), (2, 1, 2), "two lanes");
    }
}
