//! Accesses to the shared memory of other blocks of the cluster. A block must not exit before them.
//!
//! The check does not depend on the schedule: when a block exits, at least one of its threads must know of each access
//! to its memory, through a barrier of the cluster or an mbarrier.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::races::position;
use warplens_sim_warp::trace::WarpId;

use super::Sanitizer;
use super::event::AccessEvent;
use super::happens_before::Thread;
use super::remote_access::RemoteAccess;
use super::stamp::{Stamp, Strength};
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::registers::{WIDTH, lanes};

impl Sanitizer {
    /// Records an access by a block in a cluster of several blocks.
    #[cold]
    pub(super) fn note_remote(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        let window = spaces.window;
        for lane in lanes(event.mask) {
            let Some(extent) = event.extent(lane).filter(|extent| extent.region == MemoryRegion::Shared)
            else {
                continue;
            };
            let rank = (extent.index(event.addresses[lane]) as u32).checked_div(window.size).unwrap_or(0);
            if rank == window.rank {
                continue;
            }
            let (warp, statement) = (self.visit.warp, self.visit.statement);
            let stamp = Stamp::new(self.sync.epoch(warp), statement, lane as u32, Strength::Weak);
            let access = RemoteAccess { rank, stamp, block: self.sync.running(), warp };
            let same = |other: &&mut RemoteAccess| {
                (other.rank, other.block, other.warp, other.stamp.statement())
                    == (rank, access.block, warp, statement)
            };
            match self.cluster.remote.iter_mut().find(same) {
                Some(other) => *other = access,
                None => self.cluster.remote.push(access),
            }
        }
    }

    /// The running block exits. Accesses to its memory that no thread of its `warps` knows of might come after the
    /// exit.
    pub(super) fn check_exit(&mut self) {
        if self.cluster.remote.is_empty() {
            return;
        }
        let rank = self.cluster.clock.rank(self.sync.running());
        let (remote, sync) = (&mut self.cluster.remote, &self.sync);
        let accesses: Vec<RemoteAccess> = remote.extract_if(.., |access| access.rank == rank).collect();
        let warps = self.block_size.iter().product::<u32>().div_ceil(WIDTH as u32);
        let is_known = |access: &RemoteAccess| {
            let mut threads =
                (0..warps).flat_map(|warp| (0..WIDTH as u32).map(move |lane| Thread { warp, lane }));
            threads.any(|thread| sync.ordered(access.stamp, thread, false))
        };
        let unknown: Vec<RemoteAccess> = accesses.into_iter().filter(|access| !is_known(access)).collect();
        for access in unknown {
            let statement = access.stamp.statement();
            if !self.checks.races || !self.reported.insert((FindingKind::ClusterExit, statement, u32::MAX)) {
                continue;
            }
            let (exited, cta) = (self.cta(self.sync.running()), self.cta(access.block));
            let message = format!(
                "block {} may have exited before this access to its shared memory\nno synchronization orders the exit after the \
                 access. Let all blocks execute `barrier.cluster.arrive` and `barrier.cluster.wait` before they exit",
                position(exited)
            );
            let warp = WarpId { cta, warp: access.warp };
            let finding =
                warp.finding(FindingKind::ClusterExit, message, statement, 1u32 << access.stamp.lane());
            self.findings.push(finding);
        }
    }
}
