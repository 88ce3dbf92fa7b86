//! Reads through the async proxy of values that were written through the generic proxy.
//!
//! A proxy fence must lie between the write and the read. Programs execute it either in the writing threads, before the
//! barrier, or after the barrier in the thread that starts the copy. This check accepts a fence of any thread that
//! knows of the write: it would rather miss errors than report false ones. The completion of a copy includes a fence.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::races::position;
use warplens_sim_warp::trace::Related;

use super::Sanitizer;
use super::event::{AccessEvent, AccessKind};
use super::happens_before::{Origin, Thread};
use super::stamp::{IN_FLIGHT, Stamp};
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::order::ProxyFence;
use crate::registers::lanes;

impl Sanitizer {
    /// Lanes of a warp executed a proxy fence.
    #[cold]
    pub(super) fn fence_proxies(&mut self, warp: u32, executed: u32, fence: ProxyFence) {
        for (clock, covers) in self.proxies.fenced.iter_mut().zip([ProxyFence::Shared, ProxyFence::Global]) {
            if fence == covers || fence == ProxyFence::All {
                self.sync.add_fenced(warp, executed, clock);
            }
        }
    }

    /// An access through the async proxy.
    #[cold]
    pub(super) fn access_async(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        self.proxies.asynchronous.insert(self.visit.statement);
        if event.kind != AccessKind::Read || !self.checks.races {
            return;
        }
        for lane in lanes(event.mask) {
            let Some(extent) = event.extent(lane) else { continue };
            let index = extent.index(event.addresses[lane]) as u64;
            let write = self.unfenced_write(extent.region, index, event.span(), lane as u32);
            if let Some((write, at)) = write {
                let object = spaces.common_element(extent.region, at, event.size.into());
                self.report_unfenced(write, &object, extent.region, lane as u32);
            }
        }
    }

    /// An earlier write that no proxy fence has followed, and its offset.
    fn unfenced_write(&self, region: MemoryRegion, index: u64, span: u64, lane: u32) -> Option<(Stamp, u64)> {
        let thread = Thread { warp: self.visit.warp, lane };
        let (shadow, fenced) = match region {
            MemoryRegion::Shared => (&self.cluster.shared, &self.proxies.fenced[0]),
            MemoryRegion::Launch => (&self.launch, &self.proxies.fenced[1]),
            MemoryRegion::Globals => (&self.globals, &self.proxies.fenced[1]),
            MemoryRegion::Constants | MemoryRegion::Params | MemoryRegion::Local => return None,
        };
        let (sync, asynchronous) = (&self.sync, &self.proxies.asynchronous);
        let is_unfenced = |write: Stamp| {
            let Some(Origin { block, warp }) = sync.origin(write.epoch) else { return false };
            !fenced.covers(block, warp, write.lane() as u8, write.epoch)
                && !asynchronous.contains(&write.statement())
                // If nothing orders the write, it is reported as a race instead.
                && sync.ordered(write, thread, false)
        };
        shadow.find_write(index, span, |write| {
            write.is_there() && write.epoch < IN_FLIGHT && is_unfenced(write)
        })
    }

    fn report_unfenced(&mut self, write: Stamp, object: &str, region: MemoryRegion, lane: u32) {
        if !self.reported.insert((FindingKind::ProxyFence, self.visit.statement, write.statement())) {
            return;
        }
        let other = self.other(write);
        let fence = match region {
            MemoryRegion::Shared => "fence.proxy.async.shared::cta",
            _ => "fence.proxy.async.global",
        };
        let writer = self.thread(other.block, other.warp, other.lane, false);
        let thread = position(writer.thread);
        let message = format!(
            "a copy reads {object} through the async proxy\nthread {thread} (lane {} of warp {}) wrote it through \
             the generic proxy, so the copy may read the old value. Execute `{fence}` in the writing threads, after the \
             store and before the barrier",
            writer.lane, writer.warp
        );
        let related = Related::new(write.statement(), format!("thread {thread} writes {object} here"));
        self.report(FindingKind::ProxyFence, message, self.visit.statement, 1 << lane, Some(related));
    }
}
