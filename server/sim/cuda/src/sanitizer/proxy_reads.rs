//! Accesses through the async proxy to what was written through the generic proxy.
//!
//! A proxy fence must lie between the write and a copy that reads or overwrites it. Programs execute it either in the writing threads, before the
//! barrier, or after the barrier in the thread that starts the copy. This check accepts a fence of any thread that
//! knows of the write: it would rather miss errors than report false ones. The completion of a copy includes a fence.

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::races::position;
use warplens_sim_warp::trace::Related;

use super::event::{AccessEvent, AccessKind};
use super::happens_before::{HappensBefore, Origin, Thread};
use super::memory::ShadowMemory;
use super::report::Report;
use super::stamp::{IN_FLIGHT, Stamp};
use super::vector_clock::VectorClock;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;
use crate::order::{ProxyFence, SpecialOrder};
use crate::registers::lanes;

#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// The writes that precede a proxy fence: in shared memory, and in global memory.
    fenced: [VectorClock; 2],
    /// Executed statements whose writes need no fence.
    exempt: FxHashSet<u32>,
}

impl Proxies {
    /// The writes of a statement need no fence: they go through the async proxy, or programs have read them before the memory is used for
    /// copies, like the address that `tcgen05.alloc` writes.
    pub(super) fn exempt(&mut self, statement: u32) {
        self.exempt.insert(statement);
    }

    /// Lanes that know this execute a proxy fence.
    #[cold]
    pub(super) fn fence(&mut self, known: &[(usize, Arc<VectorClock>)], fence: ProxyFence) {
        for (clock, covers) in self.fenced.iter_mut().zip([ProxyFence::Shared, ProxyFence::Global]) {
            if fence == covers || fence == ProxyFence::All {
                // Lanes without knowledge of their own share one clock.
                let distinct = known.chunk_by(|(_, one), (_, next)| Arc::ptr_eq(one, next));
                distinct.for_each(|lanes| clock.join(&lanes[0].1));
            }
        }
    }

    /// `objects` are the statements that initialize or invalidate an mbarrier: copies may use its memory afterwards.
    #[cold]
    pub(super) fn accessed(
        &mut self,
        event: &AccessEvent<'_>,
        objects: [&FxHashSet<u32>; 2],
        (sync, memory): (&HappensBefore, &mut ShadowMemory),
        report: &mut Report,
        spaces: &Spaces,
    ) {
        self.exempt(report.visit.statement);
        let writes = matches!(event.kind, AccessKind::Store | AccessKind::Atomic)
            && report.visit.order.special == SpecialOrder::AsyncProxy;
        let reads = matches!(event.kind, AccessKind::Read | AccessKind::Source);
        if !(reads || writes) || !report.checks.races {
            return;
        }
        // The bytes of a copy have one stamp.
        let harmless = Cell::new(Stamp::default());
        for lane in lanes(event.mask) {
            let Some(extent) = event.extent(lane) else { continue };
            let index = extent.index(event.addresses[lane]) as u64;
            let thread = Thread { warp: report.visit.warp, lane: lane as u32 };
            let is_unfenced = |write: Stamp, Origin { block, warp }: Origin| {
                let fenced = &self.fenced[usize::from(extent.region != MemoryRegion::Shared)];
                !self.exempt.contains(&write.statement())
                    && !fenced.covers(block, warp, write.lane() as u8, write.epoch)
                    // If nothing orders the write, it is reported as a race instead.
                    && sync.ordered(write, thread, false)
            };
            let Some((shadow, _)) = memory.of(extent.region) else { continue };
            let write = shadow.find_write(index, event.span(), |write| {
                if !write.is_there() || write == harmless.get() || write.epoch >= IN_FLIGHT {
                    return false;
                }
                let is_object = || objects.iter().any(|of| of.contains(&write.statement()));
                if writes && is_object() {
                    return false;
                }
                let found = sync.origin(write.epoch).is_some_and(|origin| is_unfenced(write, origin));
                harmless.set(if found { harmless.get() } else { write });
                found
            });
            if let Some((write, at)) = write
                && report.note_new(FindingKind::ProxyFence, Some(write.statement()))
                && let Some(writer) = sync.origin(write.epoch)
            {
                let object = spaces.common_element(extent.region, at, event.size.into());
                report_unfenced(report, write, writer, &object, (extent.region, event.kind), lane as u32);
            }
        }
    }
}

fn report_unfenced(
    report: &mut Report,
    write: Stamp,
    writer: Origin,
    object: &str,
    (region, kind): (MemoryRegion, AccessKind),
    lane: u32,
) {
    let fence = match region {
        MemoryRegion::Shared => "fence.proxy.async.shared::cta",
        _ => "fence.proxy.async.global",
    };
    let writer = report.thread(writer.block, writer.warp, write.lane(), false);
    let thread = position(writer.thread);
    let is_product = report.visit.order.special == SpecialOrder::AsyncProduct;
    let noun = match kind {
        AccessKind::Atomic => "reduction",
        _ if is_product => "product",
        _ => "copy",
    };
    let (verb, effect) = match kind {
        AccessKind::Store => ("overwrites", format!("its store may land after the {noun}")),
        _ => ("reads", format!("the {noun} may read the old value")),
    };
    let message = format!(
        "a {noun} {verb} {object} through the async proxy\nthread {thread} (lane {} of warp {}) wrote it through \
             the generic proxy, so {effect}. Execute `{fence}` in the writing threads, after the \
             store and before the barrier",
        writer.lane, writer.warp
    );
    let related = Related::new(write.statement(), format!("thread {thread} writes {object} here"));
    report.add(FindingKind::ProxyFence, message, 1 << lane, [related]);
}
