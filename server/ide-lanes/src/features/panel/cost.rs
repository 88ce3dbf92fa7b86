//! The sectors and banks that the lanes of one access touch.

use std::collections::BTreeMap;

use warplens_sim_warp::{AccessSpace, LaneAccesses, Mask};

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Banks of shared memory, of four bytes each.
const BANKS: u64 = 32;

/// The number of lanes that a wavefront serves, by the bytes of a lane's access: a wavefront transfers at most 128 bytes.
const TOGETHER: [(u64, u32); 3] = [(4, 32), (8, 16), (u64::MAX, 8)];

/// A sector or a word that lanes access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) address: u64,
    pub(crate) lanes: Mask,
    pub(crate) bytes: u64,
    /// The wavefront that transfers it, if it is a word of shared memory.
    pub(crate) wavefront: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) parts: Vec<Part>,
    /// Sectors, or wavefronts.
    pub(crate) cost: u64,
    pub(crate) ideal: u64,
}

impl Cost {
    pub(crate) fn of(access: &LaneAccesses) -> Cost {
        match access.space {
            AccessSpace::Global => sectors(access),
            AccessSpace::Shared => wavefronts(access),
        }
    }
}

fn sectors(access: &LaneAccesses) -> Cost {
    let mut lanes: BTreeMap<u64, Mask> = BTreeMap::new();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &(lane, address) in &access.lanes {
        let end = address.saturating_add(access.bytes);
        ranges.push((address, end));
        for sector in address / SECTOR..=(end - 1) / SECTOR {
            *lanes.entry(sector).or_default() |= 1 << lane;
        }
    }
    ranges.sort_unstable();
    let mut bytes: BTreeMap<u64, u64> = BTreeMap::new();
    let mut counted = 0;
    for (start, end) in ranges {
        let mut at = start.max(counted);
        while at < end {
            let stop = end.min((at / SECTOR + 1) * SECTOR);
            *bytes.entry(at / SECTOR).or_default() += stop - at;
            at = stop;
        }
        counted = counted.max(end);
    }
    let ideal = bytes.values().sum::<u64>().div_ceil(SECTOR);
    let part = |(sector, lanes): (u64, Mask)| Part {
        address: sector * SECTOR,
        lanes,
        bytes: bytes.get(&sector).copied().unwrap_or_default(),
        wavefront: 0,
    };
    let parts: Vec<Part> = lanes.into_iter().map(part).collect();
    Cost { cost: parts.len() as u64, parts, ideal }
}

/// Wide accesses are split into halves and quarters of the warp; each bank broadcasts one word to all lanes that access it.
fn wavefronts(access: &LaneAccesses) -> Cost {
    let together = TOGETHER.iter().find(|(bytes, _)| access.bytes <= *bytes).map_or(8, |(_, lanes)| *lanes);
    let (mut parts, mut cost, mut ideal) = (Vec::new(), 0, 0);
    for first in (0..Mask::BITS).step_by(together as usize) {
        let inside = |(lane, _): &&(u32, u64)| (first..first + together).contains(lane);
        let mut words: BTreeMap<u64, Mask> = BTreeMap::new();
        for &(lane, address) in access.lanes.iter().filter(inside) {
            for word in address / 4..=(address + access.bytes - 1) / 4 {
                *words.entry(word).or_default() |= 1 << lane;
            }
        }
        if words.is_empty() {
            continue;
        }
        let mut ways = [0; BANKS as usize];
        for (word, lanes) in words {
            let way = &mut ways[(word % BANKS) as usize];
            let bytes = access.bytes.min(4);
            parts.push(Part { address: word * 4, lanes, bytes, wavefront: cost + *way });
            *way += 1;
        }
        cost += ways.into_iter().max().unwrap_or_default();
        ideal += 1;
    }
    Cost { parts, cost, ideal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(space: AccessSpace, stride: u64, bytes: u64) -> Cost {
        let lanes = (0..32).map(|lane| (lane, 0x1000 + u64::from(lane) * stride)).collect();
        Cost::of(&LaneAccesses { space, bytes, lanes })
    }

    #[test]
    fn sectors_of_rows_and_columns() {
        let cost = strided(AccessSpace::Global, 4, 4);
        assert_eq!((cost.cost, cost.ideal), (4, 4));
        assert!(cost.parts.iter().all(|part| part.bytes == 32 && part.lanes.count_ones() == 8));
        let cost = strided(AccessSpace::Global, 128, 4);
        assert_eq!((cost.cost, cost.ideal), (32, 4));
        assert!(cost.parts.iter().all(|part| part.bytes == 4 && part.lanes.count_ones() == 1));
        let cost = strided(AccessSpace::Global, 0, 4);
        assert_eq!((cost.cost, cost.ideal, cost.parts[0].bytes), (1, 1, 4));
    }

    #[test]
    fn wavefronts_of_rows_and_columns() {
        let of = |stride, bytes| {
            let cost = strided(AccessSpace::Shared, stride, bytes);
            (cost.cost, cost.ideal)
        };
        assert_eq!(of(4, 4), (1, 1));
        assert_eq!(of(128, 4), (32, 1));
        assert_eq!(of(132, 4), (1, 1));
        assert_eq!(of(8, 8), (2, 2));
        assert_eq!(of(16, 16), (4, 4));
        let conflict = strided(AccessSpace::Shared, 128, 4);
        assert_eq!(conflict.parts[31].wavefront, 31);
    }
}
