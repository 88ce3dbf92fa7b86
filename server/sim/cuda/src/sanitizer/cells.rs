//! The accesses to tensor memory that are recorded.

use super::stamp::Stamp;
use crate::tensor_memory::cells::CellRange;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellAccessKind {
    /// `tcgen05.ld`, by a whole warp
    Load,
    /// `tcgen05.st`, by a whole warp
    Store,
    /// An operand of a product, which one thread starts.
    ReadByProduct,
    /// The result of a product.
    WrittenByProduct,
    /// The destination of `tcgen05.cp`, which one thread starts.
    Copy,
    /// `tcgen05.dealloc`, by a whole warp
    Free,
}

impl CellAccessKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            CellAccessKind::Load => "tcgen05.ld",
            CellAccessKind::Store => "tcgen05.st",
            CellAccessKind::ReadByProduct | CellAccessKind::WrittenByProduct => "tcgen05.mma",
            CellAccessKind::Copy => "tcgen05.cp",
            CellAccessKind::Free => "tcgen05.dealloc",
        }
    }

    pub(super) fn writes(self) -> bool {
        !matches!(self, CellAccessKind::Load | CellAccessKind::ReadByProduct)
    }

    /// Whether the warp waits for it.
    pub(super) fn is_of_warp(self) -> bool {
        matches!(self, CellAccessKind::Load | CellAccessKind::Store)
    }

    /// What orders another access after it.
    pub(super) fn advice(self) -> &'static str {
        match self {
            CellAccessKind::Load => {
                "after `tcgen05.wait::ld` in the loading warp, synchronize it with this thread, as with `bar.sync` or an arrival at \
                 an mbarrier for which this thread waits"
            }
            CellAccessKind::Store => {
                "after `tcgen05.wait::st` in the storing warp, synchronize it with this thread, as with `bar.sync` or an arrival at \
                 an mbarrier for which this thread waits"
            }
            _ => {
                "wait here for the mbarrier of its `tcgen05.commit`, or synchronize with a thread that has waited for it"
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CellAccess {
    pub(super) kind: CellAccessKind,
    pub(super) range: CellRange,
    /// The access, once it is known to be complete; its epoch is that of the wait, or of the commit.
    pub(super) stamp: Stamp,
    pub(super) is_complete: bool,
    /// The warp of the cluster.
    pub(super) warp: u32,
    /// The group of the thread's commits to which an operation belongs.
    pub(super) group: u32,
}

/// The last accesses to tensor memory of a cluster, by statement, warp and cells.
#[derive(Clone, Debug, Default)]
pub(super) struct CellAccesses(pub(super) Vec<CellAccess>);
