//! Special registers.

use warplens_hir::ptx::Component;

use crate::program::Special;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Fixed(Special),
    Clock,
    ClockHigh,
    /// The address of this byte of the reserved shared memory.
    Reserved(u32),
}

/// The bytes of each block's shared memory that the system keeps for itself (CUDA programming guide, *Compute Capability 8.x*).
/// Cooperative groups of several warps have their barriers there.
pub(super) const RESERVED_SHARED: u32 = 1024;

/// Whether a special register tells where the reserved shared memory is.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(source(name, None), Some(Source::Reserved(_)))
}

/// Whether a special register holds part of the grid workspace's address.
pub(crate) fn is_workspace(name: &str) -> bool {
    matches!(source(name, None), Some(Source::Fixed(Special::WorkspaceHigh | Special::WorkspaceLow)))
}

/// Whether a special register's value differs between the threads of a block.
pub(crate) fn distinguishes_threads(name: &str) -> bool {
    let Some(Source::Fixed(special)) = source(name, None) else { return false };
    matches!(
        special,
        Special::ThreadId(_)
            | Special::Lane
            | Special::Warp
            | Special::MaskEqual
            | Special::MaskLess
            | Special::MaskLessEqual
            | Special::MaskGreater
            | Special::MaskGreaterEqual
    )
}

/// The source of a special register; `None` if the register is not simulated.
pub(super) fn source(name: &str, component: Option<Component>) -> Option<Source> {
    let dimension = component.and_then(Component::element).unwrap_or(0);
    let axis = dimension as u8;
    // The fourth component of these vectors is always 0.
    let of = |special: fn(u8) -> Special| if dimension < 3 { special(axis) } else { Special::Number(0) };
    Some(Source::Fixed(match name.strip_prefix('%').unwrap_or(name) {
        "tid" => of(Special::ThreadId),
        "ntid" => of(Special::BlockSize),
        "ctaid" => of(Special::BlockId),
        "nctaid" => of(Special::GridSize),
        "clusterid" => of(Special::ClusterId),
        "nclusterid" => of(Special::Clusters),
        "cluster_ctaid" => of(Special::BlockInCluster),
        "cluster_nctaid" => of(Special::ClusterSize),
        "cluster_ctarank" => Special::ClusterRank,
        "cluster_nctarank" => Special::ClusterBlocks,
        "is_explicit_cluster" => Special::IsClustered,
        "laneid" => Special::Lane,
        "warpid" => Special::Warp,
        "nwarpid" => Special::Warps,
        "lanemask_eq" => Special::MaskEqual,
        "lanemask_lt" => Special::MaskLess,
        "lanemask_le" => Special::MaskLessEqual,
        "lanemask_gt" => Special::MaskGreater,
        "lanemask_ge" => Special::MaskGreaterEqual,
        "dynamic_smem_size" => Special::DynamicShared,
        "total_smem_size" | "aggr_smem_size" => Special::TotalShared,
        // `cooperative_groups::details::get_grid_workspace` reads these registers.
        "envreg1" => Special::WorkspaceHigh,
        "envreg2" => Special::WorkspaceLow,
        "nsmid" => Special::Number(1),
        "WARP_SZ" => Special::Number(32),
        "smid" | "gridid" | "current_graph_exec" => Special::Number(0),
        "clock" | "clock64" | "globaltimer" | "globaltimer_lo" => return Some(Source::Clock),
        "clock_hi" | "globaltimer_hi" => return Some(Source::ClockHigh),
        "reserved_smem_offset_begin" | "reserved_smem_offset_0" => return Some(Source::Reserved(0)),
        "reserved_smem_offset_1" => return Some(Source::Reserved(RESERVED_SHARED / 2)),
        "reserved_smem_offset_end" => return Some(Source::Reserved(RESERVED_SHARED)),
        "reserved_smem_offset_cap" => Special::Number(RESERVED_SHARED),
        // Performance counters are not simulated: they read as 0.
        name if ["pm", "envreg"].iter().any(|known| name.starts_with(known)) => Special::Number(0),
        _ => return None,
    }))
}
