//! Races and reads of what nobody wrote, in words.

use super::copies::{Family, UNDER_WAY, Until, WARPS};
use super::shadow::{Clash, Conflict, Stamp, Strength};
use super::{Deed, Told, Watch};
use crate::ptx::engine::memory::spaces::{Bank, Spaces};
use crate::ptx::engine::schedule::cluster::Own;
use crate::trace::{Finding, Related, Severity, StatementId};

/// The conflicts of one instruction, those with the same statement together.
#[derive(Default)]
pub(super) struct Clashes {
    found: Vec<(Conflict, u32, Vec<LaneConflict>)>,
}

/// Where a lane met an earlier access.
#[derive(Clone, Copy)]
struct LaneConflict {
    conflict: Conflict,
    lane: u32,
    /// Where the lane's own access begins.
    index: u64,
}

/// Whether it matters who is first.
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

/// The thread of the earlier access, as the warp that runs sees it.
struct Other {
    name: String,
    in_warp: bool,
    in_block: bool,
    in_cluster: bool,
}

impl Clashes {
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn add(&mut self, conflict: Conflict, lane: u32, index: u64) {
        let same = |have: &Conflict| {
            have.clash == conflict.clash && have.before.statement() == conflict.before.statement()
        };
        let lane_conflict = LaneConflict { conflict, lane, index };
        match self.found.iter_mut().find(|(have, ..)| same(have)) {
            Some((_, mask, lane_conflicts)) => {
                *mask |= 1 << lane;
                lane_conflicts.push(lane_conflict);
            }
            None => self.found.push((conflict, 1 << lane, vec![lane_conflict])),
        }
    }
}

impl Watch {
    pub(super) fn report_races(&mut self, told: &Told<'_>, clashes: &Clashes, spaces: &Spaces) {
        for (_, mask, lane_conflicts) in &clashes.found {
            let raced = |lane_conflict: &LaneConflict| {
                lane_conflict.conflict.fresh && lane_conflict.conflict.clash == Clash::WriteAfterRead
            };
            let differs =
                lane_conflicts.iter().find(|lane_conflict| !self.same_value(told, lane_conflict, spaces));
            let Some(&lane_conflict) = differs.or(lane_conflicts.first()) else { continue };
            if differs.is_some() && lane_conflicts.iter().any(raced) {
                self.raced.push(StatementId(lane_conflict.conflict.before.statement()));
            }
            let race = if differs.is_some() { Race::Data } else { Race::SameValue };
            self.report_race(told, lane_conflict, *mask, race, spaces);
        }
    }

    /// Whether a store leaves the bytes as they are, or as the other side makes them.
    fn same_value(&self, told: &Told<'_>, lane_conflict: &LaneConflict, spaces: &Spaces) -> bool {
        let LaneConflict { conflict, lane, index } = *lane_conflict;
        if told.deed != Deed::Store {
            return false;
        }
        let Some(extent) = told.extent(lane as usize) else { return false };
        let bytes = spaces.bytes(extent.bank);
        let end = (conflict.at + 4).min(index + told.span());
        let before = conflict.before;
        let of_this_visit = before.statement() == self.visit.statement
            && self
                .sync
                .origin(before.epoch)
                .is_some_and(|origin| (origin.block, origin.warp) == (self.sync.running(), self.visit.warp))
            && told.mask >> before.lane() & 1 == 1;
        (conflict.at..end).all(|at| {
            let value = (told.value)(lane as usize, at - index);
            let other = before.lane() as usize;
            let others = told.extent(other).map(|extent| extent.index(told.addresses[other]) as u64);
            match others.filter(|start| of_this_visit && (*start..start + told.span()).contains(&at)) {
                Some(start) => (told.value)(other, at - start) == value,
                None => bytes.get(at as usize) == Some(&value),
            }
        })
    }

    fn report_race(
        &mut self,
        told: &Told<'_>,
        lane_conflict: LaneConflict,
        mask: u32,
        race: Race,
        spaces: &Spaces,
    ) {
        let LaneConflict { conflict, lane, .. } = lane_conflict;
        let Conflict { clash, before, at, .. } = conflict;
        let (code, severity) = race.code();
        let key = (code, self.visit.statement, before.statement());
        if !self.reported.insert(key) {
            return;
        }
        let Some(extent) = told.extent(lane as usize) else { return };
        let place = place(extent.bank, at, spaces);
        if before.epoch >= UNDER_WAY {
            return self.report_late(told, lane_conflict, mask, &place);
        }
        let (here, there) = match clash {
            Clash::ReadAfterWrite => ("reads", "wrote"),
            Clash::WriteAfterWrite => ("writes", "wrote"),
            Clash::WriteAfterRead => ("writes", "read"),
        };
        let other = self.other(before);
        let (mend, other) = (self.mend(told, race, &conflict, &other), other.name);
        let what = if race == Race::SameValue { "lane" } else { "data race: lane" };
        let message = format!(
            "{what} {lane} {here} {place} that {other} {there} with nothing between to order them; {mend}"
        );
        let related = Related {
            statement: StatementId(before.statement()),
            message: format!("{other} {there} it here"),
        };
        self.news.push(Finding {
            code,
            severity,
            message,
            statement: Some(StatementId(self.visit.statement)),
            cta: self.block.cta,
            warp: self.visit.warp,
            lanes: mask.into(),
            related: vec![related],
        });
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

    /// What orders the two, or why nothing has to.
    fn mend(&self, told: &Told<'_>, race: Race, conflict: &Conflict, other: &Other) -> &'static str {
        let Conflict { clash, before, .. } = *conflict;
        if race == Race::SameValue && clash == Clash::WriteAfterRead {
            "it writes what is there already, so the outcome does not depend on who is first"
        } else if race == Race::SameValue {
            "both write the same value, so the outcome does not depend on who is first"
        } else if (before.strength() != Strength::Weak) != (told.deed == Deed::Atomic)
            && self.is_mixed(told, before)
        {
            "one side is atomic or volatile and the other is not: make both so, or order them"
        } else if other.in_warp && before.statement() == self.visit.statement && told.deed == Deed::Store {
            "which lane's value stays is not defined: let one lane store, or give each a place of its own"
        } else if other.in_warp {
            "put a `bar.warp.sync` between the two"
        } else if other.in_block {
            "put a `bar.sync` between the two, on the way of all threads"
        } else if other.in_cluster {
            "put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two, on the way of all threads"
        } else {
            "no barrier orders blocks: use an atomic, or a fence and a flag, or a second launch"
        }
    }

    /// Somebody comes before a copy is done.
    fn report_late(&mut self, told: &Told<'_>, lane_conflict: LaneConflict, mask: u32, place: &str) {
        let LaneConflict { conflict: Conflict { clash, before, .. }, lane, .. } = lane_conflict;
        let warp = before.epoch & !UNDER_WAY;
        let who = match (warp == self.warp_of_cluster(), before.lane() == lane) {
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
        let here = if told.deed.reads() { "reads" } else { "writes" };
        let there = if clash == Clash::WriteAfterRead { "read" } else { "write" };
        let wait = match (self.cluster.copies.until(before), there) {
            (Some(Until::Phase { .. }), _) => {
                "for the mbarrier that is told of the copy, with `mbarrier.try_wait`"
            }
            (Some(Until::Waited(Family::Bulk)), "read") => "with `cp.async.bulk.wait_group.read`",
            (Some(Until::Waited(Family::Bulk)), _) => "with `cp.async.bulk.wait_group`",
            _ => "with `cp.async.wait_group` or `cp.async.wait_all`",
        };
        let others = if who == "it" { "" } else { ", and for the thread that began it, at a barrier" };
        let message = format!(
            "data race: lane {lane} {here} {place} while the copy that {who} began may still {there} it; wait {wait}{others}"
        );
        let related = Related {
            statement: StatementId(before.statement()),
            message: "the copy was begun here".to_owned(),
        };
        self.news.push(Finding {
            code: "data-race",
            severity: Severity::Error,
            message,
            statement: Some(StatementId(self.visit.statement)),
            cta: self.block.cta,
            warp: self.visit.warp,
            lanes: mask.into(),
            related: vec![related],
        });
    }

    /// Says once that no more memory can be watched.
    #[cold]
    pub(super) fn say_exhausted(&mut self) {
        if std::mem::replace(&mut self.exhausted, true) {
            return;
        }
        self.news.push(Finding {
            code: "shadow-limit",
            severity: Severity::Information,
            message: "no more room to watch memory: races and uninitialized reads of what was not touched before are \
                      not found from here on; a smaller launch is watched whole"
                .to_owned(),
            statement: Some(StatementId(self.visit.statement)),
            cta: self.block.cta,
            warp: self.visit.warp,
            lanes: 0,
            related: Vec::new(),
        });
    }

    /// Whether one side only is of the kind that may meet others.
    fn is_mixed(&self, told: &Told<'_>, before: super::shadow::Stamp) -> bool {
        let strong = self.visit.order.strong || told.deed == Deed::Atomic;
        strong != (before.strength() != Strength::Weak)
    }

    fn cta(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [number % x, number / x % y, number / x / y]
    }

    pub(super) fn report_unwritten(&mut self, told: &Told<'_>) {
        let mask = self.unwritten[..told.count].iter().fold(0, |all, &mask| all | mask);
        let lane = mask.trailing_zeros() as usize;
        let Some(extent) = told.extent(lane) else { return };
        if !self.reported.insert(("uninitialized-read", self.visit.statement, u32::MAX)) {
            return;
        }
        let (space, at) = match extent.bank {
            Bank::Local => ("local", extent.index(told.addresses[lane])),
            _ => ("shared", extent.index(told.addresses[lane])),
        };
        let writer = if space == "local" { "the lane has not" } else { "no thread of the block has" };
        let message = format!(
            "lane {lane} reads {space} memory at offset {at}, which {writer} written: it holds anything; store to it first"
        );
        self.news.push(Finding {
            code: "uninitialized-read",
            severity: Severity::Warning,
            message,
            statement: Some(StatementId(self.visit.statement)),
            cta: self.block.cta,
            warp: self.visit.warp,
            lanes: mask.into(),
            related: Vec::new(),
        });
    }
}

fn shared_place(at: u64, own: Own) -> String {
    let size = u64::from(own.size).max(1);
    match at / size == u64::from(own.rank) {
        true => format!("shared memory at offset {}", at % size),
        false => format!("shared memory of block {} of the cluster at offset {}", at / size, at % size),
    }
}

/// A byte of a bank, as people call it.
fn place(bank: Bank, at: u64, spaces: &Spaces) -> String {
    let memory = match bank {
        Bank::Launch => &spaces.launch,
        Bank::Globals => &spaces.globals,
        _ => return shared_place(at, spaces.own),
    };
    let address = memory.raw().0 + at;
    match memory.nearest(address) {
        Some(buffer) => format!("byte {} of `{}`", address - buffer.address, buffer.name),
        None => format!("global memory at {address:#x}"),
    }
}
