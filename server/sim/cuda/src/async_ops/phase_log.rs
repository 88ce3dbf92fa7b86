//! What happened in the phases of each mbarrier, for findings and hovers.

use rustc_hash::FxHashMap;

use super::operation::Issuer;

/// Maximum number of statements to keep per phase.
const MAX_ENTRIES: usize = 8;
/// Maximum number of completed phases to keep per mbarrier; the first ones are kept.
const MAX_PHASES: usize = 8;
/// Maximum number of waits of threads to keep per mbarrier.
const MAX_WAITS: usize = 2048;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseAction {
    /// Sets the number of arrivals and starts phase 0.
    Initialize,
    Arrive,
    Expect,
    Complete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseEntry {
    pub statement: u32,
    pub action: PhaseAction,
    /// Arrivals or bytes, summed over all threads.
    pub count: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phases {
    pub completed: u64,
    pub running: Vec<PhaseEntry>,
    /// What happened in the first completed phases.
    pub first: Vec<Vec<PhaseEntry>>,
    pub waits: Vec<u32>,
    /// By wait and thread: the number of completed phases when the wait last passed, and how often it passed again in the same phase.
    passed: FxHashMap<(u32, Issuer), (u64, u64)>,
    /// The last statement that announced bytes.
    pub announced: Option<u32>,
    /// The lanes that have arrived in the current phase, by rank and warp.
    arrived: FxHashMap<(u32, u32), u32>,
    /// How many arrivals the current phase needs in addition, because of `cp.async.mbarrier.arrive` without `.noinc`.
    pub raised: u64,
}

/// The phases of each mbarrier, by its offset in the shared memory of the cluster.
#[derive(Clone, Debug, Default)]
pub struct PhaseLog(FxHashMap<usize, Phases>);

impl PhaseLog {
    pub fn note(&mut self, object: usize, statement: u32, action: PhaseAction, count: u64) {
        let phases = self.0.entry(object).or_default();
        match action {
            PhaseAction::Initialize => *phases = Phases::default(),
            PhaseAction::Expect => phases.announced = Some(statement),
            PhaseAction::Arrive | PhaseAction::Complete => {}
        }
        let is_kept = phases.running.len() < MAX_ENTRIES;
        let same = |entry: &&mut PhaseEntry| (entry.statement, entry.action) == (statement, action);
        match phases.running.iter_mut().find(same) {
            Some(entry) => entry.count += count,
            None if is_kept => phases.running.push(PhaseEntry { statement, action, count }),
            None => {}
        }
    }

    pub fn arrived(&mut self, object: usize, thread: Issuer) {
        let phases = self.0.entry(object).or_default();
        *phases.arrived.entry((thread.rank, thread.warp)).or_default() |= thread.lanes;
    }

    /// The current phase of an object needs another arrival.
    pub fn raised(&mut self, object: usize) {
        self.0.entry(object).or_default().raised += 1;
    }

    /// The object is invalidated: its memory may hold anything from now on, and nothing more is expected of it.
    pub fn invalidated(&mut self, object: usize) {
        if let Some(phases) = self.0.get_mut(&object) {
            phases.running.clear();
            phases.arrived.clear();
            (phases.announced, phases.raised) = (None, 0);
        }
    }

    pub fn waited(&mut self, object: usize, statement: u32, thread: Issuer) {
        let phases = self.0.entry(object).or_default();
        let (completed, is_full) = (phases.completed, phases.passed.len() >= MAX_WAITS);
        match phases.passed.get_mut(&(statement, thread)) {
            Some((at, again)) if *at == completed => *again += 1,
            Some((at, _)) => *at = completed,
            None if is_full => {}
            None => drop(phases.passed.insert((statement, thread), (completed, 0))),
        }
        let waits = &mut phases.waits;
        if !waits.contains(&statement) && waits.len() < MAX_ENTRIES {
            waits.push(statement);
        }
    }

    /// The current phase is complete: starts the next one.
    pub fn advance(&mut self, object: usize) {
        let phases = self.0.entry(object).or_default();
        let ended = std::mem::take(&mut phases.running);
        phases.arrived.clear();
        phases.raised = 0;
        if phases.first.len() < MAX_PHASES {
            phases.first.push(ended);
        }
        phases.completed += 1;
    }

    /// How many phases of an object are complete.
    pub fn completed(&self, object: usize) -> u64 {
        self.of(object).map_or(0, |phases| phases.completed)
    }

    pub fn of(&self, object: usize) -> Option<&Phases> {
        self.0.get(&object)
    }

    /// All phases with the offset of their mbarrier, in ascending order.
    pub fn all(&self) -> Vec<(usize, &Phases)> {
        let mut phases: Vec<_> = self.0.iter().map(|(object, phases)| (*object, phases)).collect();
        phases.sort_unstable_by_key(|(object, _)| *object);
        phases
    }
}

impl Phases {
    /// The wait that most often passed at once, because its thread had already waited for the phase: statement and number.
    pub fn passed_again(&self) -> Option<(u32, u64)> {
        let again = self.passed.iter().map(|((statement, _), (_, again))| (*again, *statement));
        again.filter(|(again, _)| *again > 0).max().map(|(again, statement)| (statement, again))
    }

    /// How many phases were complete when a wait of a thread last passed: `None` if it is unknown, `Some(None)` if none has passed.
    pub fn passed_by(&self, thread: Issuer) -> Option<Option<u64>> {
        let of_thread = self.passed.iter().filter(|((_, other), _)| *other == thread);
        let last = of_thread.map(|(_, (completed, _))| *completed).max();
        (self.passed.len() < MAX_WAITS).then_some(last)
    }

    /// Whether any of these threads have arrived in the current phase.
    pub fn have_arrived(&self, threads: Issuer) -> bool {
        self.arrived.get(&(threads.rank, threads.warp)).is_some_and(|lanes| lanes & threads.lanes != 0)
    }

    /// The copies that completed bytes of the current phase: statements and bytes.
    pub fn copies(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let copies = self.running.iter().filter(|entry| entry.action == PhaseAction::Complete);
        copies.map(|entry| (entry.statement, entry.count))
    }
}
