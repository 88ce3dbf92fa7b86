//! The memory accesses of a run as a recording has them.

use warplens_sim_warp::recording::{Access, LateWrite, Space, Tap};
use warplens_sim_warp::trace::WarpId;

use super::local::Local;
use super::region::MemoryRegion;
use super::spaces::Spaces;
use crate::async_ops::operation::{Issuer, MemoryPosition};
use crate::registers::WIDTH;
use crate::sanitizer::listed::ListedAccess;

impl Spaces {
    /// The accesses of a statement that has run, with what they left in memory.
    pub fn recorded(&self, listed: Vec<ListedAccess>, local: &Local) -> Vec<Access> {
        listed.into_iter().map(|listed| self.recorded_access(listed, local)).collect()
    }

    fn recorded_access(&self, listed: ListedAccess, local: &Local) -> Access {
        let ListedAccess { region, reads, writes, bytes, lanes } = listed;
        let mut data = Vec::new();
        if writes {
            for &(lane, index) in &lanes {
                match region {
                    MemoryRegion::Local => data.extend(
                        (0..bytes).map(|byte| local.read(lane as usize, index as u64 + byte, 1) as u8),
                    ),
                    region => {
                        let held = self.bytes(region).get(index..index + bytes as usize);
                        data.extend_from_slice(held.unwrap_or_default());
                    }
                }
            }
        }
        let (space, owner, _) =
            lanes.first().map_or((Space::Global, 0, 0), |(_, index)| self.position(region, *index));
        let address = |(lane, index): (u32, usize)| (lane, self.position(region, index).2);
        Access { space, owner, reads, writes, bytes, lanes: lanes.into_iter().map(address).collect(), data }
    }

    /// The space, the owner and the address of a byte of a region, as a recording has them.
    pub fn position(&self, region: MemoryRegion, index: usize) -> (Space, u64, u64) {
        let at = index as u64;
        match region {
            MemoryRegion::Launch => (Space::Global, 0, self.launch.raw().0 + at),
            MemoryRegion::Globals => (Space::Global, 0, self.globals.raw().0 + at),
            MemoryRegion::Constants => (Space::Const, 0, at),
            MemoryRegion::Params => (Space::Param, 0, at),
            MemoryRegion::Local => (Space::Local, 0, at),
            MemoryRegion::Shared => {
                let size = u64::from(self.window.size).max(1);
                let blocks = self.write_log.as_ref().map_or(&[][..], |log| &log.blocks);
                let owner = blocks.get((at / size) as usize).copied().unwrap_or(0);
                (Space::Shared, owner, at % size)
            }
        }
    }

    /// Sends what the memory that blocks share holds to a recording that begins.
    pub(crate) fn send_held(&mut self, tap: &Tap) {
        let initial = self.write_log.as_mut().and_then(|log| log.initial.take());
        let Some(initial) = initial else { return };
        for (before, now) in initial.iter().zip([&self.launch, &self.globals]) {
            let (base, bytes) = now.raw();
            tap.holds_bytes((Space::Global, 0, base), before.raw().1, bytes);
        }
    }

    /// A user changes bytes, which [`Self::position`] names. Bytes that the launch does not have stay as they are.
    pub fn set_bytes(&mut self, local: &mut Local, (space, owner, address): (Space, u64, u64), data: &[u8]) {
        self.changes += 1;
        let len = data.len() as u64;
        let held = match space {
            Space::Global => match self.launch.bytes_mut(address, len) {
                Some(held) => Some(held),
                None => self.globals.bytes_mut(address, len),
            },
            Space::Shared => {
                let blocks = self.write_log.as_ref().map_or(&[][..], |log| &log.blocks);
                let rank = blocks.iter().position(|block| *block == owner);
                let start = rank.map(|rank| rank * self.window.size as usize + address as usize);
                start.and_then(|start| self.shared.get_mut(start..start + data.len()))
            }
            Space::Local => {
                let lane = (owner % 64) as usize;
                let end = local.bytes_per_thread();
                let each = (address..end).zip(data);
                each.for_each(|(at, byte)| local.write(lane, at, 1, (*byte).into()));
                None
            }
            Space::Param | Space::Const => None,
        };
        if let Some(held) = held {
            held.copy_from_slice(data);
        }
    }

    /// An asynchronous operation has written bytes, which it copied from `source` if that is known.
    pub(crate) fn wrote_late(
        &self,
        (region, index, len): (MemoryRegion, usize, usize),
        source: Option<MemoryPosition>,
        issuer: Issuer,
        statement: u32,
    ) {
        let Some(log) = self.write_log.as_ref().filter(|log| log.tap.is_on()) else { return };
        let Some(data) = self.bytes(region).get(index..index + len) else { return };
        let (space, owner, address) = self.position(region, index);
        let block = log.blocks.get(issuer.rank as usize).copied().unwrap_or(0);
        let (issuer, lanes) = ((block, issuer.warp), issuer.lanes);
        log.tap.wrote_late(LateWrite {
            space,
            owner,
            address,
            data: data.to_vec(),
            source: source.map(|source| self.position(source.region, source.index)),
            issuer,
            lanes,
            statement,
        });
    }
}

impl Local {
    /// Sends what the local memory of a warp holds to a recording.
    pub fn send_held(&self, warp: WarpId, tap: &Tap) {
        let number = tap.number(warp);
        for (start, end) in self.written_ranges() {
            for lane in 0..WIDTH {
                let bytes: Vec<u8> = (start..end).map(|address| self.read(lane, address, 1) as u8).collect();
                tap.holds_bytes((Space::Local, Space::local_owner(number, lane as u32), start), &[], &bytes);
            }
        }
    }
}
