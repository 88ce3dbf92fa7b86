//! A memory access as the sanitizer sees it.

use warplens_sim_warp::scalar_type::ScalarType;

use crate::address::{AtomicOp, Space};
use crate::memory::atomic_operation::apply;
use crate::memory::region::{CheckedAddresses, Extent, MemoryRegion};
use crate::registers::{PerLane, lanes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load that writes each element to a separate register.
    Load,
    Read,
    /// A copy reads bytes of global memory, and passes on those without a value.
    Source,
    Store,
    Atomic,
    /// An atomic that leaves a value even where memory had none.
    Exchange,
    /// A copy completes at an mbarrier: an atomic that publishes all earlier accesses.
    Completion,
}

impl AccessKind {
    /// How an atomic with these operands accesses memory. `exch` leaves a value whatever memory held, and so do operations such as
    /// `min` with 0. `and` and `or` count too, except in global memory: the bits that they clear or set have a value, and the use may
    /// be of these bits only.
    pub fn of_atomic(
        op: AtomicOp,
        ty: ScalarType,
        space: Space,
        mut operands: impl Iterator<Item = u128>,
    ) -> AccessKind {
        // Zero and the ends of both orders of integers.
        let all = u128::MAX >> (128 - ty.bits());
        let ends = [all, all >> 1, all ^ all >> 1];
        let result = |old, operand| apply(op, ty, space, old, operand, 0);
        let is_constant = |operand| ends.iter().all(|end| result(*end, operand) == result(0, operand));
        let leaves_value = match op {
            AtomicOp::Exchange => true,
            AtomicOp::CompareSwap => false,
            AtomicOp::And | AtomicOp::Or if space != Space::Global => true,
            _ => operands.all(is_constant),
        };
        if leaves_value { AccessKind::Exchange } else { AccessKind::Atomic }
    }

    #[inline(always)]
    pub fn reads(self) -> bool {
        matches!(self, AccessKind::Load | AccessKind::Read | AccessKind::Source)
    }

    #[inline(always)]
    pub(super) fn is_strong(self) -> bool {
        matches!(self, AccessKind::Atomic | AccessKind::Exchange | AccessKind::Completion)
    }
}

pub struct AccessEvent<'t> {
    pub kind: AccessKind,
    pub checked: &'t CheckedAddresses,
    pub addresses: &'t PerLane<u64>,
    /// The size of an element, and the number of contiguous elements.
    pub size: u32,
    pub count: usize,
    pub mask: u32,
    /// Returns an element that a lane stores, by its number. Bits beyond its size are ignored.
    pub value: &'t dyn Fn(usize, usize) -> u128,
}

impl AccessEvent<'_> {
    pub(super) fn is_shared(&self) -> bool {
        let first = lanes(self.mask).next().and_then(|lane| self.extent(lane));
        first.is_some_and(|extent| extent.region == MemoryRegion::Shared)
    }

    #[inline]
    pub(super) fn span(&self) -> u64 {
        u64::from(self.size) * self.count as u64
    }

    /// At most eight bytes that a lane stores, from an offset from its address on.
    pub(super) fn bytes(&self, lane: usize, offset: u64, len: u64) -> u64 {
        let size = u64::from(self.size);
        let first = (self.value)(lane, (offset / size) as usize) >> (8 * (offset % size));
        let here = len.min(size - offset % size);
        let bytes = first as u64 & u64::MAX >> (64 - 8 * here);
        match len - here {
            0 => bytes,
            rest => bytes | self.bytes(lane, offset + here, rest) << (8 * here),
        }
    }

    #[inline]
    pub(super) fn extent(&self, lane: usize) -> Option<Extent> {
        self.checked.of(lane)
    }
}
