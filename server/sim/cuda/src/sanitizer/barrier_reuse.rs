//! Arrivals at a barrier of the block that may be counted in another generation than the one they are meant for.
//!
//! A barrier counts arrivals and not threads. An arrival belongs to a generation under every schedule only if it happens after all
//! arrivals of the generation before: otherwise it may come first and complete that one in place of another thread.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::races::position;
use warplens_sim_warp::trace::{Finding, Related, WarpId};

use super::Sanitizer;
use super::generations::Generations;
use super::happens_before::{Arrival, Thread, all_wait};
use super::stamp::{Stamp, Strength};
use crate::grown::grown;
use crate::registers::lanes;

/// Lanes of a warp that arrive at a barrier of the block.
#[derive(Clone, Copy, Debug)]
pub struct BarrierArrival {
    pub barrier: u32,
    pub warp: u32,
    pub live: u32,
    pub mask: u32,
    pub statement: u32,
    pub waits: bool,
}

impl Sanitizer {
    /// Lanes of the running block arrive at a barrier. Returns a finding if nothing orders them after the generation before.
    pub fn arrived(&mut self, arrival: BarrierArrival) -> Option<Finding> {
        if !self.report.checks.races {
            return None;
        }
        let BarrierArrival { barrier, warp, live, mask, statement, waits } = arrival;
        let finding = self.early_arrival(&arrival);
        let stamp = Stamp::new(self.sync.epoch(warp), statement, 0, Strength::Weak);
        grown(&mut self.block.barriers, barrier).running.push(Arrival { stamp, lanes: mask });
        if !waits {
            self.sync.arrive_only(barrier, warp, live, mask);
        }
        finding
    }

    /// A barrier of the block completed. All masks are per warp: the lanes that waited and those that are live.
    pub fn barrier_completed(&mut self, barrier: u32, waited: Vec<u32>, live: impl Iterator<Item = u32>) {
        if !self.report.checks.races {
            return;
        }
        let live: Vec<u32> = live.collect();
        let epoch = self.sync.open(barrier, &waited, &live);
        self.order_tensor_memory();
        let generations = grown(&mut self.block.barriers, barrier);
        generations.completed += 1;
        generations.epoch = epoch;
        std::mem::swap(&mut generations.running, &mut generations.last);
        generations.running.clear();
        if all_wait(&waited, &live) {
            generations.last.clear();
        }
        generations.waited = waited;
    }

    /// The first lane that nothing orders after all arrivals of the last generation.
    fn early_arrival(&mut self, arrival: &BarrierArrival) -> Option<Finding> {
        let &BarrierArrival { barrier, warp, mask, statement, .. } = arrival;
        let is_checked = |known: &&Generations| !known.last.is_empty() && !known.is_ambiguous;
        let generations = self.block.barriers.get(barrier as usize).filter(is_checked)?;
        let waited = generations.waited.get(warp as usize).copied().unwrap_or(0);
        // Lanes that arrived together before arrive in this order again.
        let is_other = |last: &Arrival, lane: usize| {
            let is_own = self.sync.origin(last.stamp.epoch).is_some_and(|origin| origin.warp == warp);
            !(is_own && last.lanes >> lane & 1 == 1)
        };
        let (lane, before) = lanes(mask & !waited).find_map(|lane| {
            let thread = Thread { warp, lane: lane as u32 };
            if self.sync.knows_generation(thread, barrier, generations.epoch) {
                return None;
            }
            let others = generations.last.iter().filter(|last| is_other(last, lane));
            let mut unordered =
                others.map(|last| Arrival { lanes: self.sync.unordered(*last, thread, true), ..*last });
            unordered.find(|last| last.lanes != 0).map(|last| (lane, last.first_lane()))
        })?;
        let (last, this) = (generations.completed - 1, generations.completed);
        grown(&mut self.block.barriers, barrier).is_ambiguous = true;
        let key = (FindingKind::BarrierReuse, statement, Some(before.statement()));
        if !self.report.reported.insert(key) {
            return None;
        }
        let other_warp = self.sync.origin(before.epoch).map_or(warp, |origin| origin.warp);
        let running = self.sync.running();
        let name = |warp, lane| position(self.report.thread(running, warp, lane, false).thread);
        let (here, there) = (name(warp, lane as u32), name(other_warp, before.lane()));
        let message = format!(
            "an arrival at barrier {barrier} may count in generation {last} or {this}\nthread {here} arrives for generation {this}, and \
             nothing orders it after the arrival of thread {there} for generation {last}: it may come first and take that one's place, so that \
             threads pass the barrier too early and later wait forever. Let the thread wait until generation {last} is complete, with \
             `bar.sync`, or at a second barrier at which the threads that have passed barrier {barrier} arrive"
        );
        let id = WarpId { cta: self.report.cta, warp };
        let related = Related::new(
            before.statement(),
            format!(
                "thread {there} ({} of warp {other_warp}) arrives here for generation {last}",
                LaneSet(1 << before.lane())
            ),
        );
        Some(id.finding(FindingKind::BarrierReuse, message, statement, mask).with([related]))
    }
}
