//! The state spaces of a running block.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::schedule::LaneOrder;
use warplens_sim_warp::trace::{Related, RunOptions};

use super::access_set::AccessSet;
use super::cluster_window::ClusterWindow;
use super::heap::Heap;
use super::local::Local;
use super::polled::{PolledMemory, PolledValue};
use super::print_buffer::PrintBuffer;
use super::region::{AccessMode, CheckedAddresses, Extent, InvalidAccess, MemoryRegion};
use super::write_log::WriteLog;
use crate::address::{Address, Relative, Space};
use crate::async_ops::queue::Queue;
use crate::fault::{Fault, Result};
use crate::objects::ProgramObjects;
use crate::registers::{PerLane, Registers, WIDTH, lanes};
use crate::slot::RegisterSlot;
use crate::tensor_memory::cells::TensorMemory;
use crate::windows;

/// All memory that a block accesses, except local memory.
#[derive(Clone, Debug, Default)]
pub struct Spaces {
    pub launch: DeviceMemory,
    pub globals: DeviceMemory,
    pub constants: DeviceMemory,
    pub params: Vec<u8>,
    /// The shared memory of all blocks of the running cluster.
    pub shared: Vec<u8>,
    /// The running block's part of the shared memory.
    pub window: ClusterWindow,
    /// The ranks beyond the cluster for which `mapa` computed addresses, by the rank in the address.
    pub ranks_beyond: FxHashMap<u64, RankBeyond>,
    pub heap: Heap,
    pub printed: PrintBuffer,
    /// The objects of the program that have no buffer.
    pub objects: Arc<ProgramObjects>,
    /// Number of changes to shared and global memory; a spinning warp need not run before it increases.
    pub changes: u64,
    /// Number of loads that saw older values than those in memory.
    pub older_loads: u64,
    /// Whether stores are compared with memory, so that only those of other values count as changes.
    pub compares_stores: bool,
    /// How far clocks are ahead of the executed instructions, because time is skipped while all threads wait.
    pub skipped_time: u64,
    /// Asynchronous operations in flight of the running cluster.
    pub asynchronous: Queue,
    pub tensor_memory: TensorMemory,
    /// Records accesses to memory that blocks share, if requested.
    pub access_set: Option<Box<AccessSet>>,
    /// Whether nobody reads the message of an invalid access, which takes long.
    pub is_silent: bool,
    /// The order in which the lanes of an atomic are served.
    pub lane_order: LaneOrder,
    /// Reports the writes of asynchronous operations to a recording.
    pub write_log: Option<Box<WriteLog>>,
}

/// A rank for which `mapa` computed an address although the cluster has no such block, and the statement, if it is known.
#[derive(Clone, Copy, Debug)]
pub struct RankBeyond {
    pub rank: u32,
    pub statement: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Bases {
    pub frame: u32,
    pub shared: u32,
}

/// An access of `span` bytes at the address of each lane in `mask`.
pub struct AddressCheck<'a> {
    pub space: Space,
    pub addresses: &'a PerLane<u64>,
    pub span: u64,
    /// Bytes of an element, for messages.
    pub unit: u64,
    pub mode: AccessMode,
    pub mask: u32,
}

impl Spaces {
    /// The memory at the start of a run whose program has no variables and no parameters.
    pub fn new(launch: DeviceMemory, objects: Arc<ProgramObjects>, options: &RunOptions) -> Spaces {
        Spaces {
            launch,
            printed: PrintBuffer::new(options.limits.max_output),
            objects,
            asynchronous: Queue::new(options.eager),
            ..Spaces::default()
        }
    }

    fn extent(&self, space: Space, address: u64, local: &Local) -> Option<Extent> {
        let window = |region, origin: u64, len: u64| {
            let read_only = matches!(region, MemoryRegion::Params | MemoryRegion::Constants);
            let extent = Extent { region, start: origin, end: origin + len, origin, read_only };
            extent.holds(address, 0).then_some(extent)
        };
        match space {
            Space::Shared => self.shared(address, 0, windows::SHARED_RANK),
            Space::Local => self.local(address, 0, local),
            Space::Param => window(MemoryRegion::Params, 0, self.params.len() as u64),
            Space::Const => {
                let extent =
                    device(&self.constants, MemoryRegion::Constants, address.wrapping_add(windows::CONST))?;
                let shift = |at: u64| at - windows::CONST;
                Some(Extent { start: shift(extent.start), end: shift(extent.end), origin: 0, ..extent })
            }
            Space::Global => self.global(address),
            Space::Generic => match address {
                windows::GLOBAL.. => self.global(address),
                windows::MODULE.. => self.global(address),
                windows::CONST.. => device(&self.constants, MemoryRegion::Constants, address),
                windows::PARAM.. => window(MemoryRegion::Params, windows::PARAM, self.params.len() as u64),
                windows::LOCAL.. => self.local(address, windows::LOCAL, local),
                windows::SHARED.. => self.shared(address, windows::SHARED, windows::RANK),
                _ => None,
            },
        }
    }

    /// The local memory of the running call and its callers; its window starts at `origin`.
    fn local(&self, address: u64, origin: u64, local: &Local) -> Option<Extent> {
        let (start, end) = local.frames.range(address - origin, &self.objects)?;
        let end = end.min(local.bytes_per_thread());
        let region = MemoryRegion::Local;
        Some(Extent { region, start: origin + start, end: origin + end, origin, read_only: false })
    }

    /// Shared memory; its window starts at `start` and has a block every `stride` bytes. Usually the address is in the
    /// running block's own.
    #[inline(always)]
    fn shared(&self, address: u64, start: u64, stride: u64) -> Option<Extent> {
        let (size, rank) = (u64::from(self.window.size), u64::from(self.window.rank));
        let own = start + rank * stride;
        match address.wrapping_sub(own) <= size {
            true => Some(Extent {
                region: MemoryRegion::Shared,
                start: own,
                end: own + size,
                origin: own.wrapping_sub(rank * size),
                read_only: false,
            }),
            false => self.shared_of_another(address, start, stride),
        }
    }

    #[cold]
    fn shared_of_another(&self, address: u64, start: u64, stride: u64) -> Option<Extent> {
        let (rank, within) = ((address - start) / stride, (address - start) % stride);
        let size = u64::from(self.window.size);
        let is_there =
            rank < self.window.blocks.into() && self.window.ended >> rank & 1 == 0 && within <= size;
        let start = address - within;
        let origin = start.wrapping_sub(rank * size);
        is_there.then_some(Extent {
            region: MemoryRegion::Shared,
            start,
            end: start + size,
            origin,
            read_only: false,
        })
    }

    /// The fault of an access to the shared memory of a block that has exited, or that the cluster does not have.
    pub(super) fn absent_block(&self, space: Space, address: u64, mode: AccessMode) -> Option<Fault> {
        let is_shared = space == Space::Shared
            || space == Space::Generic && (windows::SHARED..windows::LOCAL).contains(&address);
        let (rank, _) = self.window.block_at(space, address).filter(|_| is_shared)?;
        if rank < self.window.blocks.into() {
            return (self.window.ended >> rank & 1 == 1).then(|| Fault::after_the_end(rank, mode));
        }
        let RankBeyond { rank, statement } = *self.ranks_beyond.get(&rank)?;
        let details = format!(
            "the {} uses an address that `mapa` computed for this rank; pass a rank of the cluster, or guard the access",
            mode.name()
        );
        let origin =
            |statement| Box::new(Related::new(statement, "`mapa` computes the address here".to_owned()));
        let fault = Fault::beyond_cluster(rank, self.window.blocks, &details, 0);
        Some(Fault { related: statement.map(origin), ..fault })
    }

    fn global(&self, address: u64) -> Option<Extent> {
        if address >= windows::GLOBAL {
            device(&self.launch, MemoryRegion::Launch, address)
        } else {
            device(&self.globals, MemoryRegion::Globals, address)
        }
    }

    /// Checks that every lane may access its address, and records the access.
    #[inline(always)]
    pub fn check(&mut self, request: &AddressCheck<'_>, local: &Local) -> Result<CheckedAddresses> {
        let checked = self.find(request, local, !self.is_silent)?;
        if let Some(touched) = &mut self.access_set {
            let &AddressCheck { addresses, span, mode, mask, .. } = request;
            match &checked {
                CheckedAddresses::One(extent) => touched.note(*extent, addresses, span, mode, mask),
                CheckedAddresses::Each(extents) => {
                    for lane in lanes(mask) {
                        extents[lane]
                            .inspect(|&extent| touched.note(extent, addresses, span, mode, 1 << lane));
                    }
                }
            }
        }
        Ok(checked)
    }

    /// The extents of valid addresses, without recording the access; `None` if an address is invalid.
    #[inline]
    pub fn locate(&self, request: &AddressCheck<'_>, local: &Local) -> Option<CheckedAddresses> {
        self.find(request, local, false).ok()
    }

    #[inline(always)]
    fn find(&self, request: &AddressCheck<'_>, local: &Local, explains: bool) -> Result<CheckedAddresses> {
        let &AddressCheck { space, addresses, span, mode, mask, .. } = request;
        let first = mask.trailing_zeros() as usize % WIDTH;
        // With an empty mask there is nothing to check, and the caller does not use the extents.
        if let Some(extent) = self.extent(space, addresses[first], local)
            && !(mode == AccessMode::Store && extent.read_only)
        {
            let is_wrong = |address: u64| !extent.holds(address, span) || address & (span - 1) != 0;
            let outside = match mask.is_power_of_two() {
                true => u32::from(is_wrong(addresses[first])) << first,
                false => addresses
                    .iter()
                    .enumerate()
                    .fold(0, |outside, (lane, &address)| outside | u32::from(is_wrong(address)) << lane),
            };
            if outside & mask == 0 {
                return Ok(CheckedAddresses::One(extent));
            }
        }
        self.find_each(request, local, explains)
    }

    /// Without an explanation, a fault only has its lanes.
    fn find_each(
        &self,
        request: &AddressCheck<'_>,
        local: &Local,
        explains: bool,
    ) -> Result<CheckedAddresses> {
        let &AddressCheck { space, addresses, span, unit, mode, mask } = request;
        let mut extents = [None; WIDTH];
        let mut fault: Option<Fault> = None;
        for lane in lanes(mask) {
            let address = addresses[lane];
            let extent = self.extent(space, address, local).filter(|extent| extent.holds(address, span));
            let access = InvalidAccess { space, address, span, unit, mode };
            let wrong = match extent {
                _ if !explains => {
                    let is_valid = extent.is_some_and(|extent| {
                        address & (span - 1) == 0 && !(mode == AccessMode::Store && extent.read_only)
                    });
                    (!is_valid).then(|| Fault::new(FindingKind::OutOfBounds, "", 0))
                }
                None => Some(self.miss(access, local)),
                Some(_) if address & (span - 1) != 0 => Some(self.misaligned(access, local)),
                Some(extent) if mode == AccessMode::Store && extent.read_only => {
                    Some(self.read_only(access, local))
                }
                Some(_) => None,
            };
            extents[lane] = extent;
            match (wrong, &mut fault) {
                (Some(wrong), None) => fault = Some(Fault { lanes: 1 << lane, ..wrong }),
                (Some(wrong), Some(fault)) if wrong.kind == fault.kind => fault.lanes |= 1 << lane,
                _ => {}
            }
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok(CheckedAddresses::Each(Box::new(extents))),
        }
    }

    #[inline]
    pub fn bytes(&self, region: MemoryRegion) -> &[u8] {
        match region {
            MemoryRegion::Launch => self.launch.raw().1,
            MemoryRegion::Globals => self.globals.raw().1,
            MemoryRegion::Constants => self.constants.raw().1,
            MemoryRegion::Params => &self.params,
            MemoryRegion::Shared => &self.shared,
            MemoryRegion::Local => &[],
        }
    }

    #[inline]
    pub fn bytes_mut(&mut self, region: MemoryRegion) -> &mut [u8] {
        match region {
            MemoryRegion::Launch => self.launch.raw_mut().1,
            MemoryRegion::Globals => self.globals.raw_mut().1,
            MemoryRegion::Constants => self.constants.raw_mut().1,
            MemoryRegion::Params => &mut self.params,
            MemoryRegion::Shared => &mut self.shared,
            MemoryRegion::Local => &mut [],
        }
    }

    /// An empty set of accesses to the memory that blocks share.
    pub fn new_access_set(&self) -> AccessSet {
        let [launch, globals] = self.device_bytes();
        AccessSet::new(launch.len(), globals.len())
    }

    /// The bytes of the memory that blocks share: the launch's buffers and the module's variables.
    #[inline]
    pub fn device_bytes(&self) -> [&[u8]; 2] {
        [self.launch.raw().1, self.globals.raw().1]
    }

    /// The running block is alone in its cluster, with this shared memory.
    pub(crate) fn enter_alone(&mut self, shared: &[u8]) {
        self.shared.clear();
        self.shared.extend_from_slice(shared);
        self.window = ClusterWindow { rank: 0, blocks: 1, size: shared.len() as u32, ended: 0 };
    }

    #[inline]
    pub fn device_bytes_mut(&mut self) -> [&mut [u8]; 2] {
        [self.launch.raw_mut().1, self.globals.raw_mut().1]
    }

    /// Reads up to eight bytes of one lane at an unchecked address, without recording the access.
    #[inline]
    pub fn peek(&self, space: Space, address: u64, size: u32, lane: usize, local: &Local) -> Result<u64> {
        let (span, mode, mask) = (size.into(), AccessMode::Load, 1 << lane);
        let checked = self.find(
            &AddressCheck { space, addresses: &[address; WIDTH], span, unit: span, mode, mask },
            local,
            true,
        )?;
        Ok(match checked {
            CheckedAddresses::One(extent) => self.read(extent, local, lane, address, size),
            CheckedAddresses::Each(extents) => {
                extents[lane].map_or(0, |extent| self.read(extent, local, lane, address, size))
            }
        })
    }

    /// Counts a store of elements of `size` bytes at the address of each lane in `mask`, before it is made. `value` returns an
    /// element that a lane stores, by its number.
    #[inline(always)]
    pub fn count_store(
        &mut self,
        checked: &CheckedAddresses,
        (addresses, mask): (&PerLane<u64>, u32),
        elements: (u32, usize),
        value: &dyn Fn(usize, usize) -> u128,
    ) {
        let changes = checked.is_common()
            && (!self.compares_stores || self.would_change(checked, (addresses, mask), elements, value));
        self.changes += u64::from(changes);
    }

    #[cold]
    fn would_change(
        &self,
        checked: &CheckedAddresses,
        (addresses, mask): (&PerLane<u64>, u32),
        (size, count): (u32, usize),
        value: &dyn Fn(usize, usize) -> u128,
    ) -> bool {
        let size = size as usize;
        lanes(mask).any(|lane| {
            let extent = checked.of(lane).filter(|extent| extent.region.is_common());
            extent.is_some_and(|extent| {
                let index = extent.index(addresses[lane]);
                let held = self.bytes(extent.region)[index..index + size * count].chunks(size);
                held.zip(0..).any(|(bytes, number)| *bytes != value(lane, number).to_le_bytes()[..size])
            })
        })
    }

    #[inline]
    pub fn has_changed(&self, polled: &PolledMemory) -> bool {
        polled.values.iter().any(|polled| self.polled(polled) != polled.value)
    }

    /// The bits on which a wait depends, as they are now.
    #[inline]
    pub(crate) fn polled(&self, polled: &PolledValue) -> u64 {
        read(self.bytes(polled.region), polled.index, polled.size) & polled.mask
    }

    /// Reads up to eight bytes at a checked address.
    #[inline]
    pub fn read(&self, extent: Extent, local: &Local, lane: usize, address: u64, size: u32) -> u64 {
        let index = extent.index(address);
        match extent.region {
            MemoryRegion::Local => local.read(lane, index as u64, size),
            region => read(self.bytes(region), index, size),
        }
    }

    /// Writes up to eight bytes at a checked address.
    #[inline]
    pub fn write(
        &mut self,
        extent: Extent,
        local: &mut Local,
        lane: usize,
        address: u64,
        size: u32,
        value: u64,
    ) {
        let index = extent.index(address);
        match extent.region {
            MemoryRegion::Local => local.write(lane, index as u64, size, value),
            region => write(self.bytes_mut(region), index, size, value),
        }
    }
}

fn device(memory: &DeviceMemory, region: MemoryRegion, address: u64) -> Option<Extent> {
    let buffer = memory.buffer_of(address, 0)?;
    let (origin, _) = memory.raw();
    let (start, end) = (buffer.address, buffer.address + buffer.len);
    Some(Extent { region, start, end, origin, read_only: buffer.read_only })
}

/// Reads `size` bytes (1, 2, 4 or 8) in little-endian order.
#[inline(always)]
pub fn read(bytes: &[u8], at: usize, size: u32) -> u64 {
    match size {
        1 => bytes[at].into(),
        2 => bytes[at..].first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes).into()),
        4 => bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes).into()),
        _ => bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)),
    }
}

/// Writes `size` bytes (1, 2, 4 or 8) in little-endian order.
#[inline(always)]
pub fn write(bytes: &mut [u8], at: usize, size: u32, value: u64) {
    match size {
        1 => bytes[at] = value as u8,
        2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
    }
}

#[inline(always)]
pub fn addresses(address: &Address, registers: &Registers, bases: Bases) -> PerLane<u64> {
    let base = match address.relative {
        Relative::No => 0,
        Relative::Frame => bases.frame,
        Relative::Block => bases.shared,
    };
    let offset = (address.offset as u64).wrapping_add(base.into());
    let mut addresses = [offset; WIDTH];
    match address.base {
        // 32-bit addresses wrap at 32 bits.
        Some(RegisterSlot::Word(slot)) => {
            let base = registers.get::<u32>(slot);
            for lane in 0..WIDTH {
                addresses[lane] = base[lane].wrapping_mul(address.scale).wrapping_add(offset as u32).into();
            }
        }
        Some(RegisterSlot::Double(slot) | RegisterSlot::Quad(slot)) => {
            let base = registers.get::<u64>(slot);
            for lane in 0..WIDTH {
                addresses[lane] = base[lane].wrapping_mul(address.scale.into()).wrapping_add(offset);
            }
        }
        Some(RegisterSlot::Predicate(_)) | None => {}
    }
    addresses
}
