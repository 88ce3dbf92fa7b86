//! The state that an operation may access in addition to its registers.
use warplens_sim_cuda::async_ops::operation::Issuer;
use warplens_sim_cuda::fault::Result;
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::region::{AccessMode, CheckedAddresses};
use warplens_sim_cuda::memory::spaces::{AddressCheck, Bases, Spaces};
use warplens_sim_cuda::meter::Meter;
use warplens_sim_cuda::registers::PerLane;
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::copies::{CopyCompletion, CopyRange};
use warplens_sim_cuda::sanitizer::event::{AccessEvent, AccessKind};
use warplens_sim_cuda::sanitizer::older_values::OlderLoad;
use warplens_sim_warp::trace::StatementId;

use super::register_count::RegisterCounts;
use crate::program::{Function, Space};
use crate::tensor::products::Products;
use crate::tensor_memory::loaded_registers::LoadedRegisters;

pub(crate) struct ExecContext<'w> {
    pub(crate) spaces: &'w mut Spaces,
    pub(crate) local: &'w mut Local,
    /// The warp's number in its block.
    pub(crate) warp: u32,
    /// Base addresses of the frame's and the block's variables.
    pub(crate) bases: Bases,
    pub(crate) carry: &'w mut u32,
    pub(crate) products: &'w mut Products,
    pub(crate) loaded: &'w mut LoadedRegisters,
    pub(crate) register_counts: &'w mut RegisterCounts,
    pub(crate) live: u32,
    /// Instructions that the launch has executed.
    pub(crate) clock: u64,
    pub(crate) meter: Meter<'w>,
    pub(crate) sanitizer: Option<&'w mut Sanitizer>,
}

impl ExecContext<'_> {
    /// Checks space, bounds and alignment of a memory instruction in every lane, and reports the access to the sanitizer
    /// before memory is read or written.
    #[inline(always)]
    pub(crate) fn resolve(&mut self, request: &MemoryRequest<'_>) -> Result<CheckedAddresses> {
        let &MemoryRequest { kind, space, addresses, size, count, mask, reported, value } = request;
        let mode = if kind.reads() { AccessMode::Load } else { AccessMode::Store };
        let span = u64::from(size) * count as u64;
        let unit = u64::from(size);
        let checked =
            self.spaces.check(&AddressCheck { space, addresses, span, unit, mode, mask }, self.local)?;
        self.report(&AccessEvent { kind, checked: &checked, addresses, size, count, mask: reported, value });
        Ok(checked)
    }

    /// Reports an access to the sanitizer, after the address check and before memory is read or written.
    #[inline(always)]
    pub(crate) fn report(&mut self, event: &AccessEvent<'_>) {
        if let Some(sanitizer) = &mut self.sanitizer {
            sanitizer.accessed(event, self.spaces, self.local);
        }
    }

    /// The older values that lanes see in the load that was just resolved.
    #[inline(always)]
    pub(crate) fn take_older(&mut self) -> Option<OlderLoad> {
        let older = self.sanitizer.as_mut().and_then(|sanitizer| sanitizer.take_older());
        self.spaces.older_loads += u64::from(older.is_some());
        older
    }

    #[inline(always)]
    pub(crate) fn begin(&mut self, function: &Function, pc: u32, executed: u32) {
        if let Some(sanitizer) = &mut self.sanitizer {
            let statement = StatementId(function.first_statement + pc);
            sanitizer.begin(statement, &function.orders[pc as usize], self.warp, self.live, executed);
        }
    }

    /// Lanes of the running warp as the issuer of asynchronous operations.
    pub(crate) fn issuer(&self, lanes: u32) -> Issuer {
        Issuer { rank: self.spaces.window.rank, warp: self.warp, lanes }
    }

    /// The running statement, if the run has a sanitizer.
    pub(crate) fn statement(&self) -> u32 {
        self.sanitizer.as_ref().map_or(0, |sanitizer| sanitizer.report.visit.statement)
    }

    /// Reports that the copy of a range is in flight. The range was reported as an access before.
    pub(crate) fn copy_started(
        &mut self,
        checked: &CheckedAddresses,
        address: u64,
        span: u64,
        lane: usize,
        writes: bool,
        until: CopyCompletion,
    ) {
        if let Some(sanitizer) = &mut self.sanitizer
            && let Some(extent) = checked.of(lane)
        {
            let index = extent.index(address) as u64;
            sanitizer.copy_started(CopyRange { region: extent.region, index, span, writes }, lane, until);
        }
    }
}

pub(crate) struct MemoryRequest<'a> {
    pub(crate) kind: AccessKind,
    pub(crate) space: Space,
    pub(crate) addresses: &'a PerLane<u64>,
    /// Bytes per element; `count` contiguous elements.
    pub(crate) size: u32,
    pub(crate) count: usize,
    pub(crate) mask: u32,
    /// The lanes to report to the sanitizer: a subset of `mask` if several lanes access the same element.
    pub(crate) reported: u32,
    /// The element with this number that a lane stores.
    pub(crate) value: &'a dyn Fn(usize, usize) -> u128,
}

impl<'a> MemoryRequest<'a> {
    /// A request that reports all lanes, for kinds whose stored values do not matter.
    #[inline(always)]
    pub(crate) fn new(
        kind: AccessKind,
        space: Space,
        addresses: &'a PerLane<u64>,
        (size, count): (u32, usize),
        mask: u32,
    ) -> MemoryRequest<'a> {
        MemoryRequest { kind, space, addresses, size, count, mask, reported: mask, value: &|_, _| 0 }
    }
}
