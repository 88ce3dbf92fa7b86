//! Reports of data races.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::race_scope::RaceScope;
use warplens_sim_warp::races::{RaceReport, RacingThread, position};
use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::trace::{Finding, Related, Severity, StatementId};

use super::Sanitizer;
use super::conflicts::{Conflicts, LaneConflict};
use super::copies::{CopyCompletion, CopyFamily, PendingCopy, WARPS};
use super::event::{AccessEvent, AccessKind};
use super::report::RunningVisit;
use super::shadow::{Conflict, Hazard};
use super::stamp::{IN_FLIGHT, Stamp, Strength};
use crate::memory::region::MemoryRegion;
use crate::memory::spaces::Spaces;

/// Whether the order of the accesses matters.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Race {
    Data,
    /// Between a plain load and an atomic: a compare-and-swap repairs a stale value.
    Repaired,
    /// Between strong accesses of different sizes.
    TwoSizes,
    SameValue,
    /// Between lanes of one store, whose floats differ by rounding.
    Rounded,
}

impl Race {
    fn kind(self) -> (FindingKind, Severity) {
        match self {
            Race::Data => (FindingKind::DataRace, Severity::Error),
            Race::Repaired | Race::TwoSizes => (FindingKind::DataRace, Severity::Warning),
            Race::SameValue | Race::Rounded => (FindingKind::SameValueRace, Severity::Information),
        }
    }
}

/// The thread of the earlier access, relative to the running warp.
pub(super) struct Other {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) lane: u32,
    pub(super) scope: RaceScope,
}

impl Sanitizer {
    pub(super) fn report_races(&mut self, event: &AccessEvent<'_>, conflicts: &Conflicts, spaces: &Spaces) {
        for (_, mask, lane_conflicts) in &conflicts.found {
            let raced = |lane_conflict: &LaneConflict| match lane_conflict.conflict.hazard {
                Hazard::WriteAfterRead => lane_conflict.conflict.uninitialized,
                // An atomic reads what it updates.
                Hazard::WriteAfterWrite => true,
                Hazard::ReadAfterWrite => false,
            };
            let differs =
                lane_conflicts.iter().find(|lane_conflict| !self.same_value(event, lane_conflict, spaces));
            let Some(&lane_conflict) = differs.or(lane_conflicts.first()) else { continue };
            let unused = &mut self.report.races.unused;
            let visit = (self.report.visit.statement, self.report.visit.warp);
            unused.raced(&self.patterns.uses, visit, &self.sync, lane_conflicts);
            if differs.is_some() && lane_conflicts.iter().any(raced) {
                self.report.races.raced.insert(StatementId(lane_conflict.conflict.before.statement()));
            }
            // One store instruction by which several threads write one value: compilers replicate values this way.
            if differs.is_none() && lane_conflict.conflict.before.statement() == self.report.visit.statement {
                continue;
            }
            let is_rounded = differs.is_some()
                && lane_conflicts.iter().all(|lane_conflict| {
                    self.same_value(event, lane_conflict, spaces)
                        || self.is_rounded(event, lane_conflict, spaces)
                });
            if differs.is_some() && !is_rounded {
                self.note_scope(lane_conflicts);
            }
            let statements = [self.report.visit.statement, lane_conflict.conflict.before.statement()];
            let race = match differs {
                None => Race::SameValue,
                Some(_) if is_rounded => Race::Rounded,
                Some(_) if self.patterns.is_repaired_by_swap(statements) => Race::Repaired,
                Some(_) if self.differ_in_size(event, lane_conflict.conflict.before) => Race::TwoSizes,
                Some(_) => Race::Data,
            };
            self.report_race(event, lane_conflict, *mask, race, spaces);
        }
    }

    /// Whether a store leaves the bytes unchanged, or stores the value that the other access stored.
    fn same_value(&self, event: &AccessEvent<'_>, lane_conflict: &LaneConflict, spaces: &Spaces) -> bool {
        let LaneConflict { conflict, lane, index } = *lane_conflict;
        if event.kind != AccessKind::Store
            || self.patterns.accumulating.contains(&conflict.before.statement())
        {
            return false;
        }
        let Some(extent) = event.extent(lane as usize) else { return false };
        // The simulator's zeros in uninitialized memory are no value that a store could leave unchanged.
        if conflict.uninitialized && extent.region == MemoryRegion::Shared {
            return false;
        }
        let at = conflict.at;
        let len = (at + 4).min(index + event.span()) - at;
        self.earlier_bytes(event, conflict.before, (extent.region, at, len), spaces)
            == Some(event.bytes(lane as usize, at - index, len))
    }

    /// The bytes that an earlier access stored from an offset of a region on, or will store if it is a copy in flight.
    fn earlier_bytes(
        &self,
        event: &AccessEvent<'_>,
        before: Stamp,
        (region, at, len): (MemoryRegion, u64, u64),
        spaces: &Spaces,
    ) -> Option<u64> {
        let of_this_visit = before.statement() == self.report.visit.statement
            && self.sync.origin(before.epoch).is_some_and(|origin| {
                (origin.block, origin.warp) == (self.sync.running(), self.report.visit.warp)
            })
            && event.mask >> before.lane() & 1 == 1;
        let other = before.lane() as usize;
        let start = event.extent(other).map(|extent| extent.index(event.addresses[other]) as u64);
        let stores = |at: u64| start.filter(|start| of_this_visit && at.wrapping_sub(*start) < event.span());
        if let Some(start) = stores(at)
            && stores(at + len - 1).is_some()
        {
            return Some(event.bytes(other, at - start, len));
        }
        let byte = |at: u64| match stores(at) {
            Some(start) => Some(event.bytes(other, at - start, 1)),
            None => Self::held_byte(before, region, at as usize, spaces).map(u64::from),
        };
        (at..at + len).rev().try_fold(0, |bytes, at| Some(bytes << 8 | byte(at)?))
    }

    /// The byte of a region at an offset, or the one that a copy in flight will store there.
    fn held_byte(before: Stamp, region: MemoryRegion, at: usize, spaces: &Spaces) -> Option<u8> {
        let arriving = if before.epoch >= IN_FLIGHT { spaces.arriving_byte(region, at) } else { None };
        arriving.or_else(|| spaces.bytes(region).get(at).copied())
    }

    /// Whether only their sizes make two strong accesses race.
    fn differ_in_size(&self, event: &AccessEvent<'_>, before: Stamp) -> bool {
        let RunningVisit { statement, order, .. } = self.report.visit;
        let strength = Strength::of(order.strong || event.kind.is_strong(), self.scope_of(order));
        let reaches = ![strength, before.strength()].contains(&Strength::Block)
            || self.scope(before) <= RaceScope::Block;
        let element =
            self.patterns.element(statement, order).filter(|_| strength != Strength::Weak && reaches);
        element.is_some_and(|bytes| before.differs_in_size(Stamp::default().of_elements(bytes)))
    }

    /// Whether both accesses belong to one store of reduced floats, which differ by rounding here.
    fn is_rounded(&self, event: &AccessEvent<'_>, lane_conflict: &LaneConflict, spaces: &Spaces) -> bool {
        let LaneConflict { conflict, lane, index } = *lane_conflict;
        let statement = self.report.visit.statement;
        let Some(&ty) = self.patterns.rounded_stores.get(&statement) else { return false };
        let Some(extent) = event.extent(lane as usize) else { return false };
        let is_one_store = conflict.before.statement() == statement
            && conflict.hazard == Hazard::WriteAfterWrite
            && conflict.before.epoch < IN_FLIGHT
            && event.kind == AccessKind::Store;
        let size = ty.bytes() as u64;
        let start = conflict.at - (conflict.at - index) % size;
        let end = (conflict.at + 4).min(index + event.span());
        is_one_store
            && (start..end).step_by(size as usize).all(|at| {
                let own = event.bytes(lane as usize, at - index, size);
                let other = self.earlier_bytes(event, conflict.before, (extent.region, at, size), spaces);
                let read = |bytes: u64| ty.read(&bytes.to_le_bytes()[..size as usize]);
                other.is_some_and(|other| differ_by_rounding(ty, read(own), read(other)))
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
        let Conflict { hazard, before, .. } = conflict;
        let (kind, severity) = race.kind();
        let (here, there) = (self.report.visit.statement, before.statement());
        let key = match race {
            // The cause is the same whichever access comes first, so the pair is reported once.
            Race::Repaired => (kind, here.min(there), Some(here.max(there))),
            Race::Data | Race::TwoSizes | Race::SameValue | Race::Rounded => (kind, here, Some(there)),
        };
        if !self.report.reported.insert(key) {
            return;
        }
        let Some(extent) = event.extent(lane as usize) else { return };
        let (region, object) = (extent.region, self.object(event, &lane_conflict, extent.region, spaces));
        if before.epoch >= IN_FLIGHT {
            return self.report_in_flight(event, lane_conflict, race, mask, &object, spaces);
        }
        let other = self.other(before);
        let advice = self.advice(event, race, &lane_conflict, &other, region);
        let report = RaceReport {
            same_value: kind == FindingKind::SameValueRace,
            memory: memory_name(region),
            object: &object,
            later: self.report.thread(
                self.sync.running(),
                self.report.visit.warp,
                lane,
                hazard == Hazard::ReadAfterWrite,
            ),
            earlier: self.report.thread(
                other.block,
                other.warp,
                other.lane,
                hazard == Hazard::WriteAfterRead,
            ),
            earlier_statement: StatementId(before.statement()),
            missing: self.missing(event, before, &other),
            fix: advice.text,
        };
        if let Some((kind, message, related)) = self.race_of_mbarrier(here, there, &object) {
            return self.report.add(kind, message, mask, [related]);
        }
        let finding = self.report.warp().finding(kind, report.message(), here, mask);
        let finding = finding.with_severity(severity).with([report.related()]);
        let has_computed_address =
            [here, there].iter().any(|at| self.patterns.computed_addresses.contains(at));
        let (advice, racing) = (Some(advice), Some(other.scope));
        self.report.findings.push(Finding { advice, racing, has_computed_address, ..finding });
    }

    /// A race with the initialization or the invalidation of an mbarrier has a name of its own.
    fn race_of_mbarrier(
        &self,
        here: u32,
        there: u32,
        object: &str,
    ) -> Option<(FindingKind, String, Related)> {
        if self.invalidators.contains(&here) || self.invalidators.contains(&there) {
            let message = format!(
                "{object} is invalidated while other threads may still use it\nnothing orders this use and `mbarrier.inval`. Put `bar.sync` \
                 between them"
            );
            return Some((FindingKind::MbarrierPhase, message, Related::new(there, "the other use is here")));
        }
        if self.initializers.contains(&here) || self.initializers.contains(&there) {
            let message = format!(
                "{object} is used by a thread that may not see its initialization\nput `bar.sync` between \
                 `mbarrier.init` and the uses by other threads of the block; in a cluster, \
                 `fence.mbarrier_init.release.cluster` and a barrier of the cluster"
            );
            return Some((
                FindingKind::MbarrierInit,
                message,
                Related::new(there, "the other access is here"),
            ));
        }
        None
    }

    fn other(&self, before: Stamp) -> Other {
        let running = self.sync.running();
        let origin = self.sync.origin(before.epoch);
        let block = origin.map_or(running, |origin| origin.block);
        let warp = origin.map_or(self.report.visit.warp, |origin| origin.warp);
        Other { block, warp, lane: before.lane(), scope: self.scope(before) }
    }

    fn scope(&self, before: Stamp) -> RaceScope {
        let Some(origin) = self.sync.origin(before.epoch) else { return RaceScope::Warp };
        match origin.block == self.sync.running() {
            true if origin.warp == self.report.visit.warp => RaceScope::Warp,
            true => RaceScope::Block,
            false if self.cluster.clock.holds(origin.block) => RaceScope::Cluster,
            false => RaceScope::Grid,
        }
    }

    /// Records the widest scope of the races for this statement and for the other ones.
    fn note_scope(&mut self, lane_conflicts: &[LaneConflict]) {
        let others = lane_conflicts.iter().map(|lane_conflict| lane_conflict.conflict.before);
        let widest = others.filter(|before| before.epoch < IN_FLIGHT).map(|before| self.scope(before)).max();
        let statements = [self.report.visit.statement, lane_conflicts[0].conflict.before.statement()];
        for (statement, scope) in statements.into_iter().zip(widest.into_iter().cycle()) {
            if self.report.scopes.get(&statement).is_none_or(|known| *known < scope) {
                self.report.scopes.insert(statement, scope);
                self.report.races.widen(StatementId(statement), scope);
            }
        }
    }

    /// The element that both accesses of a conflict touch.
    fn object(
        &self,
        event: &AccessEvent<'_>,
        conflict: &LaneConflict,
        region: MemoryRegion,
        spaces: &Spaces,
    ) -> String {
        let LaneConflict { conflict: Conflict { at, .. }, index, .. } = *conflict;
        let size = u64::from(event.size).max(1);
        let element = index + at.saturating_sub(index) / size * size;
        spaces.common_element(region, element, size)
    }

    /// Reports an access that conflicts with a copy in flight.
    fn report_in_flight(
        &mut self,
        event: &AccessEvent<'_>,
        lane_conflict: LaneConflict,
        race: Race,
        mask: u32,
        object: &str,
        spaces: &Spaces,
    ) {
        let LaneConflict { conflict: Conflict { hazard, before, .. }, lane, .. } = lane_conflict;
        let warp = before.epoch & !IN_FLIGHT;
        let (block, starter) = match warp == self.warp_of_cluster() {
            true => (self.sync.running(), self.report.visit.warp),
            false => (self.cluster.clock.block(warp / WARPS), warp % WARPS),
        };
        let own = self.report.thread(self.sync.running(), self.report.visit.warp, lane, true);
        let starter = named_for(&own, &self.report.thread(block, starter, before.lane(), true));
        let thread = position(own.thread);
        let here = if event.kind.reads() { "read" } else { "written" };
        let there = if hazard == Hazard::WriteAfterRead { "read" } else { "write" };
        let copies = &self.cluster.copies;
        let copy = copies.of(before);
        let completion = copy.map(|copy| copies.completion(copy));
        let noun = copy.map_or("copy", PendingCopy::noun);
        let wait = wait_for(completion, hazard, noun);
        let others = if starter == "it" { "" } else { ", then synchronize with the thread that started it" };
        let advice = match self.unannounced(before, spaces) {
            Some(copy) => format!(
                "the phase completed before the bytes of the {copy} were announced: `mbarrier.arrive.expect_tx` is missing"
            ),
            None => format!("wait {wait}{others}"),
        };
        let memory = event.extent(lane as usize).map_or("Shared", |extent| memory_name(extent.region));
        let message = format!(
            "{memory}-memory race: {} {here} by thread {thread} while a {noun} may {there} it\n{starter} started the {noun}; \
             {advice}",
            object.replace('`', "")
        );
        let related = Related::new(before.statement(), format!("the {noun} was started here"));
        let kind = match (completion, hazard) {
            _ if race == Race::SameValue => FindingKind::SameValueRace,
            (Some(_), Hazard::WriteAfterRead) => FindingKind::AsyncSource,
            (Some(CopyCompletion::Waited(CopyFamily::Single)) | None, _) => FindingKind::DataRace,
            _ => FindingKind::AsyncResult,
        };
        self.report.add(kind, message, mask, [related]);
    }
}

/// Whether two floats may be results of one sum in different orders: they agree in more than half of the digits of their type.
fn differ_by_rounding(ty: ScalarType, one: u64, other: u64) -> bool {
    let (one, other) = (ty.float_of_bits(one), ty.float_of_bits(other));
    let relative = match ty {
        ScalarType::F64 => 2f64.powi(-32),
        ScalarType::F32 => 2f64.powi(-13),
        ScalarType::F16 => 2f64.powi(-8),
        _ => 2f64.powi(-6),
    };
    one == other
        || one.is_nan() && other.is_nan()
        || (one - other).abs() <= relative * one.abs().max(other.abs())
            && one.is_finite()
            && other.is_finite()
}

/// How a thread waits for a copy in flight.
fn wait_for(completion: Option<CopyCompletion>, hazard: Hazard, noun: &str) -> String {
    let wait = match completion {
        Some(CopyCompletion::Phase { .. }) => {
            return format!("for the mbarrier that tracks the {noun}, with `mbarrier.try_wait`");
        }
        Some(CopyCompletion::Waited(CopyFamily::Bulk)) if hazard == Hazard::WriteAfterRead => {
            "with `cp.async.bulk.wait_group.read`"
        }
        Some(CopyCompletion::Waited(CopyFamily::Bulk)) => "with `cp.async.bulk.wait_group`",
        Some(CopyCompletion::Waited(CopyFamily::Products)) => "with `wgmma.wait_group`",
        Some(CopyCompletion::Waited(CopyFamily::TensorMemory)) => {
            "with `tcgen05.commit` and a wait for its mbarrier"
        }
        Some(CopyCompletion::Waited(CopyFamily::CellStores)) => "with `tcgen05.wait::st`",
        None | Some(CopyCompletion::Waited(CopyFamily::Single)) => {
            "with `cp.async.wait_group` or `cp.async.wait_all`"
        }
    };
    wait.to_owned()
}

/// The memory of a race, as the term of the finding names it.
fn memory_name(region: MemoryRegion) -> &'static str {
    match region {
        MemoryRegion::Shared => "Shared",
        MemoryRegion::Local => "Local",
        _ => "Global",
    }
}

fn named_for(own: &RacingThread, other: &RacingThread) -> String {
    let (thread, block) = (position(other.thread), position(other.block));
    let of_warp = format!("(lane {} of warp {})", other.lane, other.warp);
    match (own.block == other.block, own.thread == other.thread) {
        (true, true) => "it".to_owned(),
        (true, false) => format!("thread {thread} {of_warp}"),
        _ => format!("thread {thread} of block {block} {of_warp}"),
    }
}
