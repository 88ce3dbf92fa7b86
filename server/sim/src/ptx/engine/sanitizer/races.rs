//! Reports of data races and of uninitialized reads.

use super::Sanitizer;
use super::conflicts::{Conflicts, LaneConflict};
use super::copies::{CopyCompletion, CopyFamily, WARPS};
use super::event::{AccessEvent, AccessKind};
use super::shadow::{Conflict, Hazard};
use super::stamp::{IN_FLIGHT, Stamp, Strength};
use crate::ptx::engine::memory::cluster_window::ClusterWindow;
use crate::ptx::engine::memory::region::MemoryRegion;
use crate::ptx::engine::memory::spaces::Spaces;
use crate::trace::{Related, Severity, StatementId};
use crate::warp::races::RaceReport;

/// Whether the order of the accesses matters.
#[derive(Clone, Copy, PartialEq)]
enum Race {
    Data,
    SameValue,
}

impl Race {
    fn code(self) -> (&'static str, Severity) {
        match self {
            Race::Data => ("data-race", Severity::Error),
            Race::SameValue => ("same-value-race", Severity::Information),
        }
    }
}

/// The thread of the earlier access, relative to the running warp.
struct Other {
    name: String,
    in_warp: bool,
    in_block: bool,
    in_cluster: bool,
}

impl Sanitizer {
    pub(super) fn report_races(&mut self, event: &AccessEvent<'_>, conflicts: &Conflicts, spaces: &Spaces) {
        for (_, mask, lane_conflicts) in &conflicts.found {
            let raced = |lane_conflict: &LaneConflict| {
                lane_conflict.conflict.uninitialized
                    && lane_conflict.conflict.hazard == Hazard::WriteAfterRead
            };
            let differs =
                lane_conflicts.iter().find(|lane_conflict| !self.same_value(event, lane_conflict, spaces));
            let Some(&lane_conflict) = differs.or(lane_conflicts.first()) else { continue };
            if differs.is_some() && lane_conflicts.iter().any(raced) {
                self.raced.push(StatementId(lane_conflict.conflict.before.statement()));
            }
            // One store instruction that writes one value from several threads: compilers replicate values this way.
            if differs.is_none() && lane_conflict.conflict.before.statement() == self.visit.statement {
                continue;
            }
            let race = if differs.is_some() { Race::Data } else { Race::SameValue };
            self.report_race(event, lane_conflict, *mask, race, spaces);
        }
    }

    /// Whether a store leaves the bytes unchanged, or writes the same value as the other side.
    fn same_value(&self, event: &AccessEvent<'_>, lane_conflict: &LaneConflict, spaces: &Spaces) -> bool {
        let LaneConflict { conflict, lane, index } = *lane_conflict;
        if event.kind != AccessKind::Store {
            return false;
        }
        let Some(extent) = event.extent(lane as usize) else { return false };
        let bytes = spaces.bytes(extent.region);
        let end = (conflict.at + 4).min(index + event.span());
        let before = conflict.before;
        let of_this_visit = before.statement() == self.visit.statement
            && self
                .sync
                .origin(before.epoch)
                .is_some_and(|origin| (origin.block, origin.warp) == (self.sync.running(), self.visit.warp))
            && event.mask >> before.lane() & 1 == 1;
        (conflict.at..end).all(|at| {
            let value = (event.value)(lane as usize, at - index);
            let other = before.lane() as usize;
            let others = event.extent(other).map(|extent| extent.index(event.addresses[other]) as u64);
            match others.filter(|start| of_this_visit && (*start..start + event.span()).contains(&at)) {
                Some(start) => (event.value)(other, at - start) == value,
                None => bytes.get(at as usize) == Some(&value),
            }
        })
    }

    fn report_race(
        &mut self,
        event: &AccessEvent<'_>,
        lane_conflict: LaneConflict,
        mask: u32,
        race: Race,
        spaces: &Spaces,
    ) {
        let LaneConflict { conflict, lane, .. } = lane_conflict;
        let Conflict { hazard, before, at, .. } = conflict;
        let (code, severity) = race.code();
        let key = (code, self.visit.statement, before.statement());
        if !self.reported.insert(key) {
            return;
        }
        let Some(extent) = event.extent(lane as usize) else { return };
        let location = location(extent.region, at, spaces);
        if before.epoch >= IN_FLIGHT {
            return self.report_in_flight(event, lane_conflict, mask, &location);
        }
        let other = self.other(before);
        let report = RaceReport {
            same_value: race == Race::SameValue,
            lane,
            reads: hazard == Hazard::ReadAfterWrite,
            location: &location,
            other: &other.name,
            other_statement: StatementId(before.statement()),
            other_reads: hazard == Hazard::WriteAfterRead,
            fix: self.remedy(event, race, &conflict, &other),
        };
        self.report(code, severity, report.message(), self.visit.statement, mask, Some(report.related()));
    }

    fn other(&self, before: Stamp) -> Other {
        let origin = self.sync.origin(before.epoch);
        let in_block = origin.is_none_or(|origin| origin.block == self.sync.running());
        let warp = origin.map_or(self.visit.warp, |origin| origin.warp);
        let in_warp = in_block && warp == self.visit.warp;
        let lane = before.lane();
        let name = match (in_warp, in_block) {
            (true, _) => format!("lane {lane}"),
            (_, true) => format!("lane {lane} of warp {warp}"),
            _ => {
                let [x, y, z] = self.cta(origin.map_or(0, |origin| origin.block));
                format!("lane {lane} of warp {warp} of block ({x},{y},{z})")
            }
        };
        let in_cluster = origin.is_some_and(|origin| self.cluster.clock.holds(origin.block));
        Other { name, in_warp, in_block, in_cluster }
    }

    /// How to order the two accesses, or why their order does not matter.
    fn remedy(
        &self,
        event: &AccessEvent<'_>,
        race: Race,
        conflict: &Conflict,
        other: &Other,
    ) -> &'static str {
        let Conflict { hazard, before, .. } = *conflict;
        if race == Race::SameValue && hazard == Hazard::WriteAfterRead {
            "the stored value equals the old value, so the order does not matter"
        } else if race == Race::SameValue {
            "both write the same value, so the order does not matter"
        } else if (before.strength() != Strength::Weak) != (event.kind == AccessKind::Atomic)
            && self.is_mixed(event, before)
        {
            "only one of the accesses is atomic or volatile; make both so, or synchronize them"
        } else if other.in_warp
            && before.statement() == self.visit.statement
            && event.kind == AccessKind::Store
        {
            "the order is unspecified and the last writer wins; store from one lane, or use a distinct \
             address per lane"
        } else if other.in_warp {
            "put a `bar.warp.sync` between the two accesses"
        } else if other.in_block {
            "put a `bar.sync` that all threads execute between the two accesses"
        } else if other.in_cluster {
            "put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all \
             threads execute them"
        } else {
            "barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch"
        }
    }

    /// Reports an access to a copy in flight.
    fn report_in_flight(
        &mut self,
        event: &AccessEvent<'_>,
        lane_conflict: LaneConflict,
        mask: u32,
        location: &str,
    ) {
        let LaneConflict { conflict: Conflict { hazard, before, .. }, lane, .. } = lane_conflict;
        let warp = before.epoch & !IN_FLIGHT;
        let thread = match (warp == self.warp_of_cluster(), before.lane() == lane) {
            (true, true) => "it".to_owned(),
            (true, false) => format!("lane {}", before.lane()),
            (false, _) => {
                let (block, warp) = (self.cluster.clock.block(warp / WARPS), warp % WARPS);
                match block == self.sync.running() {
                    true => format!("lane {} of warp {warp}", before.lane()),
                    false => {
                        let [x, y, z] = self.cta(block);
                        format!("lane {} of warp {warp} of block ({x},{y},{z})", before.lane())
                    }
                }
            }
        };
        let here = if event.kind.reads() { "reads" } else { "writes" };
        let there = if hazard == Hazard::WriteAfterRead { "read" } else { "write" };
        let wait = match (self.cluster.copies.until(before), there) {
            (Some(CopyCompletion::Phase { .. }), _) => {
                "for the mbarrier that tracks the copy, with `mbarrier.try_wait`"
            }
            (Some(CopyCompletion::Waited(CopyFamily::Bulk)), "read") => {
                "with `cp.async.bulk.wait_group.read`"
            }
            (Some(CopyCompletion::Waited(CopyFamily::Bulk)), _) => "with `cp.async.bulk.wait_group`",
            _ => "with `cp.async.wait_group` or `cp.async.wait_all`",
        };
        let others = if thread == "it" { "" } else { ", then synchronize with the thread that started it" };
        let message = format!(
            "data race: lane {lane} {here} {location} while the copy that {thread} started may still \
             {there} it; wait {wait}{others}"
        );
        let related = Related::new(before.statement(), "the copy was started here");
        self.report("data-race", Severity::Error, message, self.visit.statement, mask, Some(related));
    }

    /// Reports once that the shadow memory limit is reached.
    #[cold]
    pub(super) fn report_exhausted(&mut self) {
        if std::mem::replace(&mut self.exhausted, true) {
            return;
        }
        self.report(
            "shadow-limit",
            Severity::Information,
            "shadow memory limit reached: from here on, races and uninitialized reads of memory \
             not accessed before are not detected; use a smaller launch"
                .to_owned(),
            self.visit.statement,
            0,
            None,
        );
    }

    /// Whether only one of the two accesses is strong.
    fn is_mixed(&self, event: &AccessEvent<'_>, before: Stamp) -> bool {
        let strong = self.visit.order.strong || event.kind == AccessKind::Atomic;
        strong != (before.strength() != Strength::Weak)
    }

    fn cta(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [number % x, number / x % y, number / x / y]
    }

    pub(super) fn report_uninitialized(&mut self, event: &AccessEvent<'_>) {
        let mask = self.uninitialized[..event.count].iter().fold(0, |all, &mask| all | mask);
        let lane = mask.trailing_zeros() as usize;
        let Some(extent) = event.extent(lane) else { return };
        if !self.reported.insert(("uninitialized-read", self.visit.statement, u32::MAX)) {
            return;
        }
        let (space, at) = match extent.region {
            MemoryRegion::Local => ("local", extent.index(event.addresses[lane])),
            _ => ("shared", extent.index(event.addresses[lane])),
        };
        let writer = if space == "local" { "the lane has not" } else { "no thread of the block has" };
        let message = format!(
            "uninitialized read: lane {lane} reads {space} memory at offset {at}, which {writer} written; \
             initialize it first"
        );
        self.report("uninitialized-read", Severity::Warning, message, self.visit.statement, mask, None);
    }
}

fn shared_location(at: u64, own: ClusterWindow) -> String {
    let size = u64::from(own.size).max(1);
    match at / size == u64::from(own.rank) {
        true => format!("shared memory at offset {}", at % size),
        false => format!("shared memory of block {} of the cluster at offset {}", at / size, at % size),
    }
}

/// The location of a byte, as shown to users.
fn location(region: MemoryRegion, at: u64, spaces: &Spaces) -> String {
    let memory = match region {
        MemoryRegion::Launch => &spaces.launch,
        MemoryRegion::Globals => &spaces.globals,
        _ => return shared_location(at, spaces.window),
    };
    let address = memory.raw().0 + at;
    match memory.nearest(address) {
        Some(buffer) => format!("byte {} of `{}`", address - buffer.address, buffer.name),
        None => format!("global memory at {address:#x}"),
    }
}
