//! Arrivals and waits at mbarriers that may belong to another phase than the one they are meant for.
//!
//! An mbarrier counts arrivals, and a wait tests one bit. In every schedule
//!
//! * an arrival counts in its phase only if it happens after the phase before has completed;
//! * a wait sees its phase only if something that the next phase needs happens after the wait, because two phases later the parity
//!   is the same, and if the wait by parity happens after the phase before has completed;
//! * announced bytes hold up their phase only if something that the phase needs happens after the announcement.
//!
//! A thread knows that a phase has completed if it, or a thread that it synchronized with, has waited for it: its clock then has the
//! epoch that stands for the completion. Otherwise it has to know of each arrival.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::races::position;
use warplens_sim_warp::trace::{Related, WarpId};

use super::Sanitizer;
use super::happens_before::{Arrival, MemoryLocation, Origin, PhaseKey, Thread};
use super::phases::{Needs, Phases};
use super::stamp::{Stamp, Strength};
use crate::memory::mbarrier_object::Object;
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::{Spaces, read};
use crate::order::AccessClass;
use crate::registers::lanes;

/// What a lane does at an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseEvent {
    Initialize,
    Invalidate,
    Arrive,
    /// Arrives when the thread's `cp.async` copies so far are complete. If not `counted`, the phase waits for one more arrival.
    ArriveAfterCopies {
        counted: bool,
    },
    /// Arrives when the thread's tensor memory operations so far are complete.
    Commit,
    Expect,
    /// Starts a copy, which completes bytes later.
    Copy,
    /// A wait passes. `by_parity`: not by the token of an arrival.
    Wait {
        by_parity: bool,
    },
}

impl PhaseEvent {
    /// Whether the running phase waits for an arrival that comes later.
    fn arrives_later(self) -> bool {
        matches!(self, PhaseEvent::Commit | PhaseEvent::ArriveAfterCopies { counted: true })
    }

    fn name(self) -> &'static str {
        match self {
            PhaseEvent::Expect => "`expect_tx`",
            PhaseEvent::Copy => "a copy",
            _ => "an arrival",
        }
    }
}

#[derive(Clone, Copy)]
struct Act {
    thread: Thread,
    object: u64,
    event: PhaseEvent,
    now: Arrival,
}

impl Sanitizer {
    /// A lane of the running warp acts at an mbarrier of the cluster. Call it before the access is reported.
    pub fn at_mbarrier(&mut self, lane: usize, object: u64, event: PhaseEvent, spaces: &Spaces) {
        if !self.report.checks.races {
            return;
        }
        self.note_validity(lane, object, event, spaces);
        if !self.patterns.awaits_phases || event == PhaseEvent::Invalidate {
            return;
        }
        let thread = Thread { warp: self.report.visit.warp, lane: lane as u32 };
        let stamp = Stamp::new(self.sync.epoch(thread.warp), self.report.visit.statement, 0, Strength::Weak);
        let act = Act { thread, object, event, now: Arrival { stamp, lanes: 1 << lane } };
        if event == PhaseEvent::Initialize {
            self.cluster.mbarriers.0.remove(&object);
            return self.sync.keep_phase(self.location(object));
        }
        let mut mbarriers = std::mem::take(&mut self.cluster.mbarriers);
        let phases = mbarriers.0.entry(object).or_default();
        self.advance(phases, object, spaces);
        match event {
            PhaseEvent::Wait { by_parity } => self.wait(phases, act, by_parity, spaces),
            _ => self.contribute(phases, act, spaces),
        }
        self.cluster.mbarriers = mbarriers;
    }

    fn location(&self, object: u64) -> MemoryLocation {
        (MemoryRegion::Shared, object | u64::from(self.cluster.clock.number()) << 32)
    }

    pub(super) fn key(&self, object: u64) -> PhaseKey {
        PhaseKey { cluster: self.cluster.clock.number(), object: object as u32 }
    }

    /// Phases may have completed since the last statement that used the object.
    fn advance(&mut self, phases: &mut Phases, object: u64, spaces: &Spaces) {
        let completed = spaces.asynchronous.phases.of(object as usize).map_or(0, |phases| phases.completed);
        if completed <= phases.completed {
            return;
        }
        if !(phases.waits.is_empty() && phases.announced.is_empty()) {
            self.compare_others(phases);
            self.report_overtaken(phases, object, spaces);
            phases.waits.clear();
            phases.announced.clear();
        }
        phases.is_early = spaces.asynchronous.bytes_for(object as usize) > 0;
        let ended = std::mem::take(&mut phases.running);
        phases.before = std::mem::replace(&mut phases.last, ended);
        phases.epochs = [self.sync.start_event(), phases.epochs[0]];
        phases.known = std::mem::take(&mut phases.arrived);
        phases.completed = completed;
        phases.compared = None;
        phases.together.clear();
        self.sync.keep_phase(self.location(object));
    }

    fn wait(&mut self, phases: &mut Phases, act: Act, by_parity: bool, spaces: &Spaces) {
        let [last, before] = phases.epochs;
        if by_parity && phases.completed >= 2 && !self.knows(act, before, &phases.before) {
            self.report_early_wait(phases, act, spaces);
        }
        self.sync.learn_phase(act.thread, self.key(act.object), last);
        self.sync.learn(act.thread, &phases.known);
        for wait in &mut phases.waits {
            if self.is_of(wait, self.sync.running(), act.thread.warp) {
                wait.lanes &= !act.now.lanes;
            }
        }
        phases.waits.retain(|wait| wait.lanes != 0);
        match phases.waits.last_mut().filter(|wait| wait.stamp == act.now.stamp) {
            Some(wait) => wait.lanes |= act.now.lanes,
            None => phases.waits.push(act.now),
        }
    }

    /// A lane arrives, announces bytes or starts a copy.
    fn contribute(&mut self, phases: &mut Phases, act: Act, spaces: &Spaces) {
        if act.event == PhaseEvent::Expect && std::mem::take(&mut phases.is_early) {
            return self.report_late_announcement(phases, act, spaces);
        }
        let epoch = phases.epochs[0];
        if phases.completed > 0 && !self.knows(act, epoch, &phases.last) {
            self.report_early(phases.completed, &phases.last, act, spaces);
        } else if act.event.arrives_later() && self.exceeds(act.object, spaces) {
            self.report_early(phases.completed + 1, &phases.running, act, spaces);
        }
        if act.event == PhaseEvent::Expect {
            phases.announced.push(act.now);
            return;
        }
        self.compare(phases, act);
        if self.patterns.is_relaxed && act.event != PhaseEvent::Copy {
            let live = self.report.visit.live;
            phases.arrived.join(&self.sync.known_of_class(AccessClass::Phases, act.thread, live));
        }
        let running = &mut phases.running;
        match act.event {
            PhaseEvent::Copy => running.copies.push(act.now),
            _ => running.arrivals.push(act.now),
        }
        running.has_commits |= act.event == PhaseEvent::Commit;
    }

    /// Removes the waits and announcements that happen before what a lane does now.
    fn compare(&self, phases: &mut Phases, act: Act) {
        let (block, thread, statement) = (self.sync.running(), act.thread, act.now.stamp.statement());
        let is_together = phases.compared.is_some_and(|(of_block, last, at)| {
            (of_block, last.warp, at) == (block, thread.warp, statement) && last.lane < thread.lane
        });
        phases.compared = Some((block, thread, statement));
        if is_together {
            phases.together.push((block, thread));
        }
        for earlier in phases.waits.iter_mut().chain(&mut phases.announced) {
            if !is_together {
                earlier.lanes = self.unordered(*earlier, thread);
            } else if self.is_of(earlier, block, thread.warp) {
                earlier.lanes &= !act.now.lanes;
            }
        }
        phases.waits.retain(|wait| wait.lanes != 0);
        phases.announced.retain(|announced| announced.lanes != 0);
    }

    /// Removes the waits and announcements that may happen before what lanes did that were not compared with them.
    fn compare_others(&self, phases: &mut Phases) {
        let running = self.sync.running();
        for (block, thread) in std::mem::take(&mut phases.together) {
            for earlier in phases.waits.iter_mut().chain(&mut phases.announced) {
                earlier.lanes = match block == running {
                    true => self.unordered(*earlier, thread),
                    // What threads of other blocks know is not at hand.
                    false => 0,
                };
            }
        }
        phases.waits.retain(|wait| wait.lanes != 0);
        phases.announced.retain(|announced| announced.lanes != 0);
    }

    /// The lanes whose act at an mbarrier comes before what the thread does now in no known order.
    fn unordered(&self, earlier: Arrival, thread: Thread) -> u32 {
        let is_unordered = |lane: &usize| {
            let stamp = earlier.stamp.of_lane(*lane as u32);
            !self.sync.ordered_in_class(AccessClass::Phases, stamp, thread, false)
        };
        let unordered = self.sync.unordered(earlier, thread, false);
        lanes(unordered).filter(is_unordered).fold(0, |unordered, lane| unordered | 1 << lane)
    }

    fn is_of(&self, arrival: &Arrival, block: u32, warp: u32) -> bool {
        let origin = self.sync.origin(arrival.stamp.epoch);
        origin.is_some_and(|origin| (origin.block, origin.warp) == (block, warp))
    }

    /// Whether the thread knows that a phase has completed.
    fn knows(&mut self, act: Act, epoch: u32, phase: &Needs) -> bool {
        let key = self.key(act.object);
        if self.sync.knows_phase(act.thread, key, epoch) {
            return true;
        }
        let is_ordered = |earlier: &Arrival| self.unordered(*earlier, act.thread) == 0;
        let known = !phase.has_commits && phase.copies.is_empty() && phase.arrivals.iter().all(is_ordered);
        if known {
            self.sync.learn_phase(act.thread, key, epoch);
        }
        known
    }

    /// Whether the running lane has arrived at an mbarrier more than once in the mbarrier's current phase.
    pub fn arrived_again(&self, lane: usize, object: u64) -> bool {
        let (running, warp) = (self.sync.running(), self.report.visit.warp);
        let arrivals =
            self.cluster.mbarriers.0.get(&object).map_or(&[][..], |phases| &phases.running.arrivals);
        let own = |arrival: &&Arrival| arrival.lanes >> lane & 1 == 1 && self.is_of(arrival, running, warp);
        arrivals.iter().filter(own).count() > 1
    }

    /// Whether the operations in flight already bring all arrivals for which the running phase waits.
    fn exceeds(&self, object: u64, spaces: &Spaces) -> bool {
        let at = object as usize;
        let bytes = spaces.bytes(MemoryRegion::Shared).get(at..at + 8);
        let pending =
            bytes.and_then(|bytes| Object::of_bits(read(bytes, 0, 8))).map_or(0, |object| object.pending);
        spaces.asynchronous.arrivals_for(at) >= pending
    }

    /// An arrival, an announcement or a copy that nothing orders after the completion of the phase before.
    fn report_early(&mut self, phase: u64, before: &Needs, act: Act, spaces: &Spaces) {
        let unordered = |earlier: &Arrival| {
            let lanes = self.unordered(*earlier, act.thread);
            (lanes != 0).then(|| Arrival { lanes, ..*earlier }.first_lane())
        };
        let last = before.all().next_back().map(|last| last.first_lane());
        let earlier = before.all().find_map(unordered).or(last);
        let other = earlier.map(|earlier| earlier.statement());
        if !self.report.note_new(FindingKind::MbarrierPhase, other) {
            return;
        }
        let (last, name) = (phase - 1, act.event.name());
        let object = spaces.common_element(MemoryRegion::Shared, act.object, 8);
        let thread = self.name_of(self.sync.running(), act.thread.warp, act.thread.lane);
        let message = format!(
            "{name} at {object} may count in phase {last} or {phase}\n{thread} is meant for phase {phase} here, but nothing orders it after the \
             completion of phase {last}: if it comes first, it counts in phase {last}, which then completes without another thread or copy, and \
             the waits see the wrong phase. Wait for phase {last} before it, in this thread or in one that synchronizes with it, or use \
             another mbarrier"
        );
        let related = earlier.map(|earlier| {
            let thread = self.name_at(earlier);
            Related::new(earlier.statement(), format!("phase {last} needs {thread} here"))
        });
        self.report.add(FindingKind::MbarrierPhase, message, act.now.lanes, related);
    }

    /// A wait by parity that nothing orders after the completion of the phase before the one that it saw.
    fn report_early_wait(&mut self, phases: &Phases, act: Act, spaces: &Spaces) {
        let missing = phases.before.all().next().map(|first| first.first_lane());
        if !self.report.note_new(FindingKind::MbarrierPhase, missing.map(|missing| missing.statement())) {
            return;
        }
        let seen = phases.completed - 1;
        let before = seen - 1;
        let object = spaces.common_element(MemoryRegion::Shared, act.object, 8);
        let too_early = match before.checked_sub(1) {
            Some(earlier) => {
                format!("while phase {earlier} is the last complete one, which has the same parity")
            }
            None => "before any phase is complete, as the first wait of a producer does".to_owned(),
        };
        let message = format!(
            "a wait for phase {seen} of {object} may pass without it\nthe wait passes {too_early}, and nothing orders it after the completion of \
             phase {before}. Wait for each phase in turn and change the parity after each wait, or synchronize with a thread that has waited \
             for phase {before}"
        );
        let related = missing.map(|missing| {
            let thread = self.name_at(missing);
            Related::new(missing.statement(), format!("phase {before} needs {thread} here"))
        });
        self.report.add(FindingKind::MbarrierPhase, message, act.now.lanes, related);
    }

    /// The running phase completes. Reports the waits for the phase before, and the announcements, that may come too late for it.
    fn report_overtaken(&mut self, phases: &Phases, object: u64, spaces: &Spaces) {
        let needs = phases.running.all().next().map(|first| first.first_lane());
        let running = phases.completed;
        let object = spaces.common_element(MemoryRegion::Shared, object, 8);
        for wait in &phases.waits {
            let seen = match running.checked_sub(1) {
                Some(seen) => format!("a wait for phase {seen} of {object} may be overtaken"),
                None => format!("the first wait for {object} may be overtaken"),
            };
            let message = format!(
                "{seen}\nnothing that phase {running} needs is ordered after this wait: phase {running} may complete first, and the parity for \
                 which the thread waits is then that of the running phase again, so that it waits for one more phase, or forever. Let a \
                 thread arrive for phase {running} only after it knows that this thread has passed the wait, as with an mbarrier for \
                 empty slots or `bar.warp.sync`"
            );
            self.report_at(*wait, message, needs, &format!("in phase {running}"));
        }
        for announced in &phases.announced {
            let message = format!(
                "phase {running} of {object} may complete before this `expect_tx`\nnothing that the phase needs is ordered after it, so the phase \
                 need not wait for the bytes. Announce them before the last arrival, as with `mbarrier.arrive.expect_tx`"
            );
            self.report_at(*announced, message, needs, "for the phase");
        }
    }

    /// Bytes are announced although the phase of their copies has completed.
    fn report_late_announcement(&mut self, phases: &Phases, act: Act, spaces: &Spaces) {
        let arrival = phases.last.arrivals.last().map(|last| last.first_lane());
        if !self.report.note_new(FindingKind::MbarrierPhase, arrival.map(|arrival| arrival.statement())) {
            return;
        }
        let phase = phases.completed - 1;
        let object = spaces.common_element(MemoryRegion::Shared, act.object, 8);
        let message = format!(
            "phase {phase} of {object} may complete before this `expect_tx`\nthe copies in flight started in phase {phase}, which has completed \
             without them. Announce the bytes before the last arrival, as with `mbarrier.arrive.expect_tx`"
        );
        let related = arrival
            .map(|arrival| Related::new(arrival.statement(), "the last arrival may complete the phase here"));
        self.report.add(FindingKind::MbarrierPhase, message, act.now.lanes, related);
    }

    /// Reports a problem of an earlier statement.
    fn report_at(&mut self, at: Arrival, message: String, other: Option<Stamp>, when: &str) {
        let statement = at.stamp.statement();
        let key = (FindingKind::MbarrierPhase, statement, other.map(|other| other.statement()));
        if !self.report.reported.insert(key) {
            return;
        }
        let origin =
            self.sync.origin(at.stamp.epoch).unwrap_or(Origin { block: self.sync.running(), warp: 0 });
        let id = WarpId { cta: self.report.cta_of(origin.block), warp: origin.warp };
        let related = other.map(|other| {
            let thread = self.name_at(other);
            Related::new(other.statement(), format!("{thread} is counted {when} here"))
        });
        let finding = id.finding(FindingKind::MbarrierPhase, message, statement, at.lanes).with(related);
        self.report.findings.push(finding);
    }

    /// The thread of a stamp.
    fn name_at(&self, stamp: Stamp) -> String {
        let running = self.sync.running();
        let origin = self.sync.origin(stamp.epoch).unwrap_or(Origin { block: running, warp: 0 });
        self.name_of(origin.block, origin.warp, stamp.lane())
    }

    fn name_of(&self, block: u32, warp: u32, lane: u32) -> String {
        let thread = position(self.report.thread(block, warp, lane, false).thread);
        match self.cluster.clock.has_several_blocks() {
            true => format!("thread {thread} of block {}", position(self.report.cta_of(block))),
            false => format!("thread {thread}"),
        }
    }
}
