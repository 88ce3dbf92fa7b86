//! The state spaces of a running block, and accesses to them lane by lane.

use super::access_set::Touched;
use super::heap::Heap;
use super::local::Local;
use crate::memory::DeviceMemory;
use crate::ptx::engine::exec::system_calls::Printed;
use crate::ptx::engine::fault::Fault;
use crate::ptx::engine::schedule::cluster::Own;
use crate::ptx::program::{Address, Place, Space};
use crate::ptx::registers::{Lanes, Registers, WIDTH, lanes};
use crate::ptx::windows;

/// Where the bytes behind an address are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bank {
    Launch,
    Globals,
    Constants,
    Params,
    Shared,
    Local,
}

impl Bank {
    /// Whether threads share it and may write it.
    pub(crate) fn is_common(self) -> bool {
        matches!(self, Bank::Launch | Bank::Globals | Bank::Shared)
    }
}

/// A stretch of addresses that may be accessed as one. Byte 0 of its bank has address `origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) bank: Bank,
    start: u64,
    end: u64,
    origin: u64,
    read_only: bool,
}

impl Extent {
    #[inline(always)]
    fn holds(self, address: u64, span: u64) -> bool {
        address >= self.start && address <= self.end && self.end - address >= span
    }

    /// Where the byte at `address` is in its bank.
    #[inline(always)]
    pub(crate) fn index(self, address: u64) -> usize {
        address.wrapping_sub(self.origin) as usize
    }
}

/// What is done at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Load,
    Store,
}

/// Addresses that have been checked.
pub(crate) enum Checked {
    /// All lanes are in one extent.
    One(Extent),
    /// One extent a lane.
    Each(Box<Lanes<Option<Extent>>>),
}

impl Checked {
    /// Where a lane's address is.
    pub(crate) fn of(&self, lane: usize) -> Option<Extent> {
        match self {
            Checked::One(extent) => Some(*extent),
            Checked::Each(extents) => extents[lane],
        }
    }
}

/// All memory that a block sees but what its threads have for themselves.
#[derive(Clone, Debug)]
pub(crate) struct Spaces {
    pub(crate) launch: DeviceMemory,
    pub(crate) globals: DeviceMemory,
    pub(crate) constants: DeviceMemory,
    pub(crate) params: Vec<u8>,
    /// Of all blocks of the running block's cluster.
    pub(crate) shared: Vec<u8>,
    /// Where its own lies in it.
    pub(crate) own: Own,
    /// The device heap.
    pub(crate) heap: Heap,
    /// What was printed.
    pub(crate) printed: Printed,
    /// Counts what may have changed memory that others see: who spins need not be asked again before it moves.
    pub(crate) changes: u64,
    /// Notes what is accessed of memory that other blocks see, where that is asked for.
    pub(crate) touched: Option<Box<Touched>>,
}

impl Spaces {
    /// The stretch of addresses around `address`.
    fn extent(&self, space: Space, address: u64, local: u64) -> Option<Extent> {
        let window = |bank, origin: u64, len: u64| {
            let read_only = matches!(bank, Bank::Params | Bank::Constants);
            let extent = Extent { bank, start: origin, end: origin + len, origin, read_only };
            extent.holds(address, 0).then_some(extent)
        };
        match space {
            Space::Shared => self.shared(address, 0),
            Space::Local => window(Bank::Local, 0, local),
            Space::Param => window(Bank::Params, 0, self.params.len() as u64),
            Space::Const => {
                let extent = device(&self.constants, Bank::Constants, address.wrapping_add(windows::CONST))?;
                let shift = |at: u64| at - windows::CONST;
                Some(Extent { start: shift(extent.start), end: shift(extent.end), origin: 0, ..extent })
            }
            Space::Global => self.global(address),
            Space::Generic => match address {
                windows::GLOBAL.. => self.global(address),
                windows::MODULE.. => self.global(address),
                windows::CONST.. => device(&self.constants, Bank::Constants, address),
                windows::PARAM.. => window(Bank::Params, windows::PARAM, self.params.len() as u64),
                windows::LOCAL.. => window(Bank::Local, windows::LOCAL, local),
                windows::SHARED.. => self.shared(address, windows::SHARED),
                _ => None,
            },
        }
    }

    /// Shared memory, whose window begins at `start`: mostly the block's own.
    #[inline(always)]
    fn shared(&self, address: u64, start: u64) -> Option<Extent> {
        let size = u64::from(self.own.size);
        match address - start <= size {
            true => {
                let origin = start.wrapping_sub(u64::from(self.own.rank) * size);
                Some(Extent { bank: Bank::Shared, start, end: start + size, origin, read_only: false })
            }
            false => self.shared_of_another(address, start),
        }
    }

    #[cold]
    fn shared_of_another(&self, address: u64, start: u64) -> Option<Extent> {
        let (rank, within) = self.own.block_at(address - start);
        let size = u64::from(self.own.size);
        let is_there = rank < self.own.blocks.into() && self.own.ended >> rank & 1 == 0 && within <= size;
        let start = address - within;
        let origin = start.wrapping_sub(rank * size);
        is_there.then_some(Extent { bank: Bank::Shared, start, end: start + size, origin, read_only: false })
    }

    /// The rank of the block that an address means, if it has ended.
    fn ended_block(&self, space: Space, address: u64) -> Option<u64> {
        let start = match space {
            Space::Shared => 0,
            Space::Generic if (windows::SHARED..windows::LOCAL).contains(&address) => windows::SHARED,
            _ => return None,
        };
        let (rank, _) = self.own.block_at(address.checked_sub(start)?);
        (rank < self.own.blocks.into() && self.own.ended >> rank & 1 == 1).then_some(rank)
    }

    fn global(&self, address: u64) -> Option<Extent> {
        if address >= windows::GLOBAL {
            device(&self.launch, Bank::Launch, address)
        } else {
            device(&self.globals, Bank::Globals, address)
        }
    }

    /// Checks that every lane of `mask` may access `span` bytes at its address, and notes that they do.
    #[inline(always)]
    pub(crate) fn check(
        &mut self,
        space: Space,
        addresses: &Lanes<u64>,
        span: u64,
        how: Use,
        mask: u32,
        local: &Local,
    ) -> Result<Checked, Fault> {
        let checked = self.find(space, addresses, span, how, mask, local)?;
        if let Some(touched) = &mut self.touched {
            match &checked {
                Checked::One(extent) => touched.note(*extent, addresses, span, how, mask),
                Checked::Each(extents) => {
                    for lane in lanes(mask) {
                        extents[lane]
                            .inspect(|&extent| touched.note(extent, addresses, span, how, 1 << lane));
                    }
                }
            }
        }
        Ok(checked)
    }

    #[inline(always)]
    fn find(
        &self,
        space: Space,
        addresses: &Lanes<u64>,
        span: u64,
        how: Use,
        mask: u32,
        local: &Local,
    ) -> Result<Checked, Fault> {
        let first = mask.trailing_zeros() as usize % WIDTH;
        // With no lane at all there is nothing to refuse; what `check_each` gives then is never looked at.
        if let Some(extent) = self.extent(space, addresses[first], local.len())
            && !(how == Use::Store && extent.read_only)
        {
            let mut outside = 0;
            for (lane, &address) in addresses.iter().enumerate() {
                let wrong = !extent.holds(address, span) || address & (span - 1) != 0;
                outside |= u32::from(wrong) << lane;
            }
            if outside & mask == 0 {
                return Ok(Checked::One(extent));
            }
        }
        self.find_each(space, addresses, span, how, mask, local)
    }

    fn find_each(
        &self,
        space: Space,
        addresses: &Lanes<u64>,
        span: u64,
        how: Use,
        mask: u32,
        local: &Local,
    ) -> Result<Checked, Fault> {
        let mut extents = [None; WIDTH];
        let mut fault: Option<Fault> = None;
        for lane in lanes(mask) {
            let address = addresses[lane];
            let extent =
                self.extent(space, address, local.len()).filter(|extent| extent.holds(address, span));
            let wrong = match extent {
                None => Some(self.miss(space, address, span, how)),
                Some(_) if address & (span - 1) != 0 => Some(Fault::misaligned(space, address, span, how)),
                Some(extent) if how == Use::Store && extent.read_only => {
                    Some(Fault::read_only(space, address))
                }
                Some(_) => None,
            };
            extents[lane] = extent;
            match (wrong, &mut fault) {
                (Some(wrong), None) => fault = Some(Fault { lanes: 1 << lane, ..wrong }),
                (Some(wrong), Some(fault)) if wrong.code == fault.code => fault.lanes |= 1 << lane,
                _ => {}
            }
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok(Checked::Each(Box::new(extents))),
        }
    }

    /// Describes an access that is in no buffer.
    fn miss(&self, space: Space, address: u64, span: u64, how: Use) -> Fault {
        if let Some(rank) = self.ended_block(space, address) {
            return Fault::after_the_end(rank, how);
        }
        let global = matches!(space, Space::Global | Space::Generic) && address >= windows::MODULE;
        if !global {
            return Fault::outside(space, address, span, how, None);
        }
        let memory = if address >= windows::GLOBAL { &self.launch } else { &self.globals };
        Fault::outside(space, address, span, how, memory.nearest(address))
    }

    /// The bytes of a bank that is not local.
    pub(crate) fn bytes(&self, bank: Bank) -> &[u8] {
        match bank {
            Bank::Launch => self.launch.raw().1,
            Bank::Globals => self.globals.raw().1,
            Bank::Constants => self.constants.raw().1,
            Bank::Params => &self.params,
            Bank::Shared => &self.shared,
            Bank::Local => &[],
        }
    }

    /// As [`Self::bytes`], to write to.
    pub(crate) fn bytes_mut(&mut self, bank: Bank) -> &mut [u8] {
        match bank {
            Bank::Launch => self.launch.raw_mut().1,
            Bank::Globals => self.globals.raw_mut().1,
            Bank::Constants => self.constants.raw_mut().1,
            Bank::Params => &mut self.params,
            Bank::Shared => &mut self.shared,
            Bank::Local => &mut [],
        }
    }

    /// Up to eight bytes of one lane at an address that has yet to be checked, for what runs only where nobody needs to know
    /// what was touched.
    pub(crate) fn peek(
        &self,
        space: Space,
        address: u64,
        size: u32,
        lane: usize,
        local: &Local,
    ) -> Result<u64, Fault> {
        let checked = self.find(space, &[address; WIDTH], size.into(), Use::Load, 1 << lane, local)?;
        Ok(match checked {
            Checked::One(extent) => self.read(extent, local, lane, address, size),
            Checked::Each(extents) => {
                extents[lane].map_or(0, |extent| self.read(extent, local, lane, address, size))
            }
        })
    }

    /// Up to eight bytes at a checked address.
    pub(crate) fn read(&self, extent: Extent, local: &Local, lane: usize, address: u64, size: u32) -> u64 {
        let index = extent.index(address);
        match extent.bank {
            Bank::Local => local.read(lane, index as u64, size),
            bank => read(self.bytes(bank), index, size),
        }
    }

    /// Writes up to eight bytes at a checked address.
    pub(crate) fn write(
        &mut self,
        extent: Extent,
        local: &mut Local,
        lane: usize,
        address: u64,
        size: u32,
        value: u64,
    ) {
        let index = extent.index(address);
        match extent.bank {
            Bank::Local => local.write(lane, index as u64, size, value),
            bank => write(self.bytes_mut(bank), index, size, value),
        }
    }
}

fn device(memory: &DeviceMemory, bank: Bank, address: u64) -> Option<Extent> {
    let buffer = memory.buffer_of(address, 0)?;
    let (origin, _) = memory.raw();
    let (start, end) = (buffer.address, buffer.address + buffer.len);
    Some(Extent { bank, start, end, origin, read_only: buffer.read_only })
}

/// `size` bytes (1, 2, 4 or 8), little-endian.
#[inline(always)]
pub(crate) fn read(bytes: &[u8], at: usize, size: u32) -> u64 {
    match size {
        1 => bytes[at].into(),
        2 => bytes[at..].first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes).into()),
        4 => bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes).into()),
        _ => bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)),
    }
}

/// Writes `size` bytes (1, 2, 4 or 8), little-endian.
#[inline(always)]
pub(crate) fn write(bytes: &mut [u8], at: usize, size: u32, value: u64) {
    match size {
        1 => bytes[at] = value as u8,
        2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
    }
}

/// The addresses of all lanes.
#[inline(always)]
pub(crate) fn addresses(address: &Address, registers: &Registers, frame_base: u32) -> Lanes<u64> {
    let frame = if address.frame { u64::from(frame_base) } else { 0 };
    let offset = (address.offset as u64).wrapping_add(frame);
    let mut addresses = [offset; WIDTH];
    match address.base {
        // What a 32-bit register holds wraps there.
        Some(Place::Word(slot)) => {
            let base = registers.get::<u32>(slot);
            for lane in 0..WIDTH {
                addresses[lane] = base[lane].wrapping_mul(address.scale).wrapping_add(offset as u32).into();
            }
        }
        Some(Place::Double(slot) | Place::Quad(slot)) => {
            let base = registers.get::<u64>(slot);
            for lane in 0..WIDTH {
                addresses[lane] = base[lane].wrapping_mul(address.scale.into()).wrapping_add(offset);
            }
        }
        Some(Place::Predicate(_)) | None => {}
    }
    addresses
}
