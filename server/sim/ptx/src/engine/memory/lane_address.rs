//! Accesses of up to eight bytes by one lane.

use warplens_sim_cuda::async_ops::operation::MemoryPosition;
use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::region::{AccessMode, CheckedAddresses, MemoryRegion};
use warplens_sim_cuda::memory::spaces::{AddressCheck, addresses};
use warplens_sim_cuda::registers::{Registers, WIDTH};
use warplens_sim_cuda::sanitizer::copies::CopyCompletion;
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::work::SMALL_ACCESS;
use warplens_sim_warp::finding_kind::FindingKind;

use crate::engine::exec::context::{ExecContext, MemoryRequest};
use crate::program::{Address, Space};

#[derive(Clone, Copy)]
pub(crate) struct LaneAddress {
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) lane: usize,
}

impl LaneAddress {
    pub(crate) fn of(
        (operand, space): &(Address, Space),
        lane: usize,
        r: &Registers,
        ctx: &ExecContext<'_>,
    ) -> LaneAddress {
        LaneAddress { space: *space, address: addresses(operand, r, ctx.bases)[lane], lane }
    }

    /// The address `bytes` further on.
    pub(crate) fn offset(self, bytes: u64) -> LaneAddress {
        LaneAddress { address: self.address.wrapping_add(bytes), ..self }
    }

    /// The address in the cluster's block of this rank.
    pub(crate) fn in_block(self, rank: u32, ctx: &ExecContext<'_>) -> LaneAddress {
        LaneAddress { address: ctx.spaces.window.mapped(self.space, self.address, rank), ..self }
    }

    pub(crate) fn check(
        self,
        span: u64,
        mode: AccessMode,
        ctx: &mut ExecContext<'_>,
    ) -> Result<CheckedAddresses> {
        let (space, addresses, mask) = (self.space, &[self.address; WIDTH], 1 << self.lane);
        ctx.spaces.check(&AddressCheck { space, addresses, span, unit: span, mode, mask }, ctx.local)
    }

    /// Checks that an access of `span` bytes is valid, and locates its first byte.
    pub(crate) fn place(
        self,
        span: u64,
        mode: AccessMode,
        ctx: &mut ExecContext<'_>,
    ) -> Result<MemoryPosition> {
        match self.check(span, mode, ctx)?.of(self.lane) {
            Some(extent) if extent.region != MemoryRegion::Local => {
                Ok(MemoryPosition { region: extent.region, index: extent.index(self.address) })
            }
            _ => {
                let message = format!(
                    "an asynchronous operation accesses local memory at address {:#x}\nit accesses shared and global \
                     memory only",
                    self.address
                );
                Err(Fault::new(FindingKind::OutOfBounds, message, 1 << self.lane))
            }
        }
    }

    /// Loads bytes that a copy passes on.
    pub(crate) fn load_source(self, size: u32, ctx: &mut ExecContext<'_>) -> Result<u64> {
        let place = self.place(1, AccessMode::Load, ctx)?;
        self.report(source_kind(place.region), size, 0, ctx)?;
        self.get(size, ctx)
    }

    /// Loads bytes without reporting to the sanitizer.
    pub(crate) fn get(self, size: u32, ctx: &mut ExecContext<'_>) -> Result<u64> {
        ctx.meter.count(SMALL_ACCESS)?;
        let checked = self.check(size.into(), AccessMode::Load, ctx)?;
        let read = |extent| ctx.spaces.read(extent, ctx.local, self.lane, self.address, size);
        Ok(checked.of(self.lane).map_or(0, read))
    }

    pub(crate) fn store(self, size: u32, value: u64, ctx: &mut ExecContext<'_>) -> Result {
        self.report(AccessKind::Store, size, value, ctx)?;
        self.put(size, value, ctx)
    }

    /// Stores bytes without reporting to the sanitizer.
    pub(crate) fn put(self, size: u32, value: u64, ctx: &mut ExecContext<'_>) -> Result {
        ctx.meter.count(SMALL_ACCESS)?;
        let checked = self.check(size.into(), AccessMode::Store, ctx)?;
        ctx.spaces.changes += u64::from(checked.is_common());
        if let Some(extent) = checked.of(self.lane) {
            ctx.spaces.write(extent, ctx.local, self.lane, self.address, size, value);
        }
        Ok(())
    }

    /// Reports an access to the sanitizer, if there is one.
    pub(crate) fn report(self, kind: AccessKind, size: u32, value: u64, ctx: &mut ExecContext<'_>) -> Result {
        if ctx.sanitizer.is_none() {
            return Ok(());
        }
        let addresses = [self.address; WIDTH];
        let request = MemoryRequest::new(kind, self.space, &addresses, (size, 1), 1 << self.lane);
        ctx.resolve(&MemoryRequest { value: &|_, _| value.into(), ..request }).map(|_| ())
    }

    /// Reports an access of `span` bytes, an aligned power of two, as elements of at most four bytes.
    pub(crate) fn report_elements(self, kind: AccessKind, span: u64, ctx: &mut ExecContext<'_>) -> Result {
        let size = span.min(4) as u32;
        let addresses = [self.address; WIDTH];
        let elements = (size, (span / u64::from(size)) as usize);
        ctx.resolve(&MemoryRequest::new(kind, self.space, &addresses, elements, 1 << self.lane)).map(|_| ())
    }

    /// Tells the sanitizer that a copy moves bytes from here to `to`. Both accesses were reported before.
    pub(crate) fn copied(self, to: LaneAddress, len: u64, ctx: &mut ExecContext<'_>) -> Result {
        if ctx.sanitizer.is_some() {
            let from = self.place(1, AccessMode::Load, ctx)?;
            let to = to.place(1, AccessMode::Store, ctx)?;
            if let Some(sanitizer) = &mut ctx.sanitizer {
                sanitizer.copied(from, to, len);
            }
        }
        Ok(())
    }

    /// Tells the sanitizer that a reported access of `span` bytes is a copy in flight.
    pub(crate) fn copy_started(
        self,
        span: u64,
        mode: AccessMode,
        until: CopyCompletion,
        ctx: &mut ExecContext<'_>,
    ) -> Result {
        if ctx.sanitizer.is_some() && span != 0 {
            let checked = self.check(1, mode, ctx)?;
            ctx.copy_started(&checked, self.address, span, self.lane, mode == AccessMode::Store, until);
        }
        Ok(())
    }
}

/// How a copy reads a region.
pub(crate) fn source_kind(region: MemoryRegion) -> AccessKind {
    if region == MemoryRegion::Launch { AccessKind::Source } else { AccessKind::Read }
}
