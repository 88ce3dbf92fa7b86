//! Accesses of one lane, of up to eight bytes.

use super::access::{fetch, scatter};
use crate::cuda::fault::Fault;
use crate::cuda::memory::region::{AccessMode, CheckedAddresses};
use crate::cuda::memory::spaces::{AddressCheck, addresses};
use crate::cuda::registers::{Registers, WIDTH};
use crate::cuda::sanitizer::copies::CopyCompletion;
use crate::cuda::sanitizer::event::AccessKind;
use crate::ptx::engine::exec::context::{ExecContext, MemoryRequest};
use crate::ptx::program::{Address, Space};

/// The address of one lane.
#[derive(Clone, Copy)]
pub(super) struct LaneAddress {
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) lane: usize,
}

impl LaneAddress {
    /// The address that an operand has in a lane.
    pub(super) fn of(
        operand: &Address,
        space: Space,
        lane: usize,
        r: &Registers,
        ctx: &ExecContext<'_>,
    ) -> LaneAddress {
        LaneAddress { space, address: addresses(operand, r, ctx.frame_base)[lane], lane }
    }

    /// The address some bytes further.
    pub(super) fn offset(self, bytes: u64) -> LaneAddress {
        LaneAddress { address: self.address.wrapping_add(bytes), ..self }
    }

    /// Checks an access of `span` bytes.
    pub(super) fn check(
        self,
        span: u64,
        mode: AccessMode,
        ctx: &mut ExecContext<'_>,
    ) -> Result<CheckedAddresses, Fault> {
        let (space, addresses, mask) = (self.space, &[self.address; WIDTH], 1 << self.lane);
        ctx.spaces.check(&AddressCheck { space, addresses, span, unit: span, mode, mask }, ctx.local)
    }

    /// Loads bytes.
    pub(super) fn load(self, size: u32, ctx: &mut ExecContext<'_>) -> Result<u64, Fault> {
        self.report(AccessKind::Read, size, 0, ctx)?;
        self.get(size, ctx)
    }

    /// Loads bytes without a report to the sanitizer.
    pub(super) fn get(self, size: u32, ctx: &mut ExecContext<'_>) -> Result<u64, Fault> {
        let checked = self.check(size.into(), AccessMode::Load, ctx)?;
        Ok(fetch(&checked, &[self.address; WIDTH], 0, size, ctx, 1 << self.lane)[self.lane])
    }

    /// Stores bytes.
    pub(super) fn store(self, size: u32, value: u64, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        self.report(AccessKind::Store, size, value, ctx)?;
        self.put(size, value, ctx)
    }

    /// Stores bytes without a report to the sanitizer.
    pub(super) fn put(self, size: u32, value: u64, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        let checked = self.check(size.into(), AccessMode::Store, ctx)?;
        ctx.spaces.changes += u64::from(checked.is_common());
        scatter(&checked, &[self.address; WIDTH], 0, size, &[value; WIDTH], ctx, 1 << self.lane);
        Ok(())
    }

    /// Reports an access to the sanitizer, if there is one.
    pub(super) fn report(
        self,
        kind: AccessKind,
        size: u32,
        value: u64,
        ctx: &mut ExecContext<'_>,
    ) -> Result<(), Fault> {
        if ctx.sanitizer.is_none() {
            return Ok(());
        }
        let addresses = [self.address; WIDTH];
        let request = MemoryRequest::new(kind, self.space, &addresses, (size, 1), 1 << self.lane);
        ctx.resolve(&MemoryRequest { value: &|_, at| (value >> (8 * at)) as u8, ..request }).map(|_| ())
    }

    /// Reports to the sanitizer that a reported access of `span` bytes is a copy in flight.
    pub(super) fn copy_started(
        self,
        span: u64,
        mode: AccessMode,
        until: CopyCompletion,
        ctx: &mut ExecContext<'_>,
    ) -> Result<(), Fault> {
        if ctx.sanitizer.is_some() && span != 0 {
            let checked = self.check(1, mode, ctx)?;
            ctx.copy_started(&checked, self.address, span, self.lane, mode == AccessMode::Store, until);
        }
        Ok(())
    }
}
