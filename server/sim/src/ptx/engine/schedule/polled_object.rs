//! The names of objects that waiting threads poll.

use crate::memory::DeviceMemory;
use crate::ptx::engine::launch::Launch;
use crate::ptx::engine::memory::polled::PolledValue;
use crate::ptx::engine::memory::region::MemoryRegion;
use crate::ptx::engine::memory::spaces::Spaces;

/// A polled object by name: `flag`, `flags[3]`, or its address.
pub(super) fn object(polled: &PolledValue, launch: &Launch<'_>, spaces: &Spaces) -> String {
    let named = |memory: &DeviceMemory| {
        let address = memory.raw().0 + polled.index as u64;
        let buffer = memory.buffer_of(address, polled.size.into())?;
        let (offset, size) = (address - buffer.address, u64::from(polled.size));
        Some(match buffer.len == size {
            true => format!("`{}`", buffer.name),
            false if offset.is_multiple_of(size) => format!("`{}[{}]`", buffer.name, offset / size),
            false => format!("byte {offset} of `{}`", buffer.name),
        })
    };
    let name = match polled.region {
        MemoryRegion::Launch => named(&spaces.launch),
        MemoryRegion::Globals => named(&spaces.globals),
        _ => None,
    };
    name.unwrap_or_else(|| {
        let block = (launch.program.shared_size + launch.dynamic_shared).max(1) as usize;
        format!("at shared memory offset {:#x}", polled.index % block)
    })
}
