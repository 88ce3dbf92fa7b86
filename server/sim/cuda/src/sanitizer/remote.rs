//! Accesses to the shared memory of other blocks of the cluster. A block must not exit before them.
//!
//! The check does not depend on the schedule: when a block exits, at least one of its threads must know of each access
//! to its memory, through a barrier of the cluster or an mbarrier.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::races::position;
use warplens_sim_warp::trace::WarpId;

use super::event::AccessEvent;
use super::happens_before::{HappensBefore, Thread};
use super::report::{Report, RunningVisit};
use super::stamp::{Stamp, Strength};
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::registers::{WIDTH, lanes};

/// The last access by one statement and warp to the memory of another block.
#[derive(Clone, Copy, Debug)]
struct RemoteAccess {
    /// The rank of the block that owns the memory.
    rank: u32,
    stamp: Stamp,
    /// The accessing block and warp.
    block: u32,
    warp: u32,
}

/// Accesses to the shared memory of blocks that have not exited.
#[derive(Clone, Default)]
pub(super) struct RemoteAccesses(Vec<RemoteAccess>);

impl RemoteAccesses {
    /// Records an access by a block in a cluster of several blocks.
    #[cold]
    pub(super) fn note(
        &mut self,
        event: &AccessEvent<'_>,
        sync: &mut HappensBefore,
        visit: &RunningVisit,
        spaces: &Spaces,
    ) {
        let (window, RunningVisit { statement, warp, .. }) = (spaces.window, *visit);
        for lane in lanes(event.mask) {
            let Some(extent) = event.extent(lane).filter(|extent| extent.region == MemoryRegion::Shared)
            else {
                continue;
            };
            let rank = (extent.index(event.addresses[lane]) as u32).checked_div(window.size).unwrap_or(0);
            if rank == window.rank {
                continue;
            }
            let stamp = Stamp::new(sync.epoch(warp), statement, lane as u32, Strength::Weak);
            let access = RemoteAccess { rank, stamp, block: sync.running(), warp };
            let same = |other: &&mut RemoteAccess| {
                (other.rank, other.block, other.warp, other.stamp.statement())
                    == (rank, access.block, warp, statement)
            };
            match self.0.iter_mut().find(same) {
                Some(other) => *other = access,
                None => self.0.push(access),
            }
        }
    }

    /// The running block exits. Accesses to its memory that none of its threads knows of might come after the exit.
    pub(super) fn check_exit(&mut self, rank: u32, sync: &HappensBefore, report: &mut Report) {
        let warps = report.warps();
        let is_known = |access: &RemoteAccess| {
            let mut threads =
                (0..warps).flat_map(|warp| (0..WIDTH as u32).map(move |lane| Thread { warp, lane }));
            threads.any(|thread| sync.ordered(access.stamp, thread, false))
        };
        for access in self.0.extract_if(.., |access| access.rank == rank) {
            let statement = access.stamp.statement();
            if is_known(&access)
                || !report.checks.races
                || !report.reported.insert((FindingKind::ClusterExit, statement, None))
            {
                continue;
            }
            let (exited, cta) = (report.cta_of(sync.running()), report.cta_of(access.block));
            let message = format!(
                "block {} may have exited before this access to its shared memory\nno synchronization orders the exit after the \
                 access. Let all blocks execute `barrier.cluster.arrive` and `barrier.cluster.wait` before they exit",
                position(exited)
            );
            let warp = WarpId { cta, warp: access.warp };
            let finding =
                warp.finding(FindingKind::ClusterExit, message, statement, 1u32 << access.stamp.lane());
            report.findings.push(finding);
        }
    }
}
