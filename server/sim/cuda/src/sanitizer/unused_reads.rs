//! Races with loads whose value is not used.
//!
//! Compilers let all warps of a block load what only one of them stores: in the others, the load may race with the store, and
//! its value reaches no other access, not even through an exchange of values in the warp. Which lanes use a value is known only
//! when their block has ended, so these races are recorded, and removed from the findings at the end of the run.

use rustc_hash::FxHashMap;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::ids::StatementId;
use warplens_sim_warp::trace::Finding;

use super::conflicts::LaneConflict;
use super::happens_before::HappensBefore;
use super::shadow::Hazard;
use super::used_lanes::UsedLanes;
use crate::grown::grown;
use crate::registers::FULL;

/// Maximum number of recorded warps, and of readers of a race. The values of other warps count as used.
const MAX_ENTRIES: usize = 1 << 14;

/// Loads whose value only memory accesses use: a lane that executes none of them does not use the value.
#[derive(Debug, Default)]
pub struct PassedOn {
    loads: FxHashMap<u32, u32>,
    /// By statement, the numbers of the loads whose values it uses, and from which lanes.
    accesses: Vec<Vec<(u32, UsedLanes)>>,
}

impl PassedOn {
    pub fn add(&mut self, load: u32, accesses: impl IntoIterator<Item = (u32, UsedLanes)>) {
        let number = self.loads.len() as u32;
        self.loads.insert(load, number);
        let accesses = accesses.into_iter();
        accesses.for_each(|(access, lanes)| grown(&mut self.accesses, access).push((number, lanes)));
    }
}

/// The lanes of a block that used the values of such loads, by warp and number of the load.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockUses(Vec<u32>);

impl BlockUses {
    #[inline]
    pub(super) fn accessed(&mut self, passed_on: &PassedOn, (statement, warp): (u32, u32), mask: u32) {
        for &(load, lanes) in passed_on.accesses.get(statement as usize).into_iter().flatten() {
            let used = match lanes {
                UsedLanes::Warp if mask != 0 => FULL,
                _ => mask,
            };
            *grown(&mut self.0, warp * passed_on.loads.len() as u32 + load) |= used;
        }
    }
}

/// A load, a block and a warp.
type Reader = (u32, u32, u32);

#[derive(Debug, Default)]
pub(crate) struct UnusedReads {
    /// The lanes that used a value, in warps in which not all lanes did.
    used: FxHashMap<Reader, u32>,
    /// For each race with such a load, its statement and the other one: the lanes that read.
    readers: FxHashMap<(StatementId, StatementId), Vec<(Reader, u32)>>,
}

impl UnusedReads {
    pub(super) fn block_ended(&mut self, passed_on: &PassedOn, uses: &mut BlockUses, block: u32, warps: u32) {
        let loads = passed_on.loads.len() as u32;
        let uses = std::mem::take(&mut uses.0);
        for (warp, load) in (0..warps).flat_map(|warp| (0..loads).map(move |load| (warp, load))) {
            let used = uses.get((warp * loads + load) as usize).copied().unwrap_or(0);
            if used != FULL && self.used.len() < MAX_ENTRIES {
                self.used.insert((load, block, warp), used);
            }
        }
    }

    /// Records the readers of a race between the running statement and an earlier one.
    pub(super) fn raced(
        &mut self,
        passed_on: &PassedOn,
        (statement, warp): (u32, u32),
        sync: &HappensBefore,
        conflicts: &[LaneConflict],
    ) {
        let Some(first) = conflicts.first().map(|first| first.conflict) else { return };
        let there = first.before.statement();
        let load = match first.hazard {
            Hazard::ReadAfterWrite => statement,
            Hazard::WriteAfterRead => there,
            Hazard::WriteAfterWrite => return,
        };
        let Some(&load) = passed_on.loads.get(&load) else { return };
        let readers = self.readers.entry((StatementId(statement), StatementId(there))).or_default();
        // Lanes beyond the limit count like the others.
        if readers.len() >= MAX_ENTRIES {
            return;
        }
        for LaneConflict { conflict, lane, .. } in conflicts {
            let own = (sync.running(), warp, *lane);
            let (block, warp, lane) = match first.hazard {
                Hazard::ReadAfterWrite => own,
                _ => sync
                    .origin(conflict.before.epoch)
                    .map_or(own, |origin| (origin.block, origin.warp, conflict.before.lane())),
            };
            let reader = (load, block, warp);
            match readers.iter_mut().find(|(other, _)| *other == reader) {
                Some((_, mask)) => *mask |= 1 << lane,
                None => readers.push((reader, 1 << lane)),
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used.is_empty() && self.readers.is_empty()
    }

    pub(crate) fn merge(&mut self, other: UnusedReads) {
        self.used.extend(other.used);
        for (race, readers) in other.readers {
            self.readers.entry(race).or_default().extend(readers);
        }
    }

    /// Whether no reader of this race used the value.
    pub(crate) fn explains(&self, finding: &Finding) -> bool {
        let is_race = matches!(finding.kind, FindingKind::DataRace | FindingKind::SameValueRace);
        let pair = finding.statement.zip(finding.related.first().map(|related| related.statement));
        let readers = pair.filter(|_| is_race).and_then(|pair| self.readers.get(&pair));
        readers.is_some_and(|readers| {
            readers.iter().all(|(reader, mask)| self.used.get(reader).is_some_and(|used| used & mask == 0))
        })
    }
}
