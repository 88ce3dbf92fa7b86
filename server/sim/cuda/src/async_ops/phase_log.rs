//! What happened in the phases of each mbarrier, for findings and hovers about them.

use rustc_hash::FxHashMap;

/// Statements that are kept of a phase.
const MAX_ENTRIES: usize = 8;
/// Completed phases that are kept of an mbarrier, the first ones.
const MAX_PHASES: usize = 8;

/// What a statement does to a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseAction {
    /// Sets the number of arrivals, and starts phase 0.
    Initialize,
    /// Arrives.
    Arrive,
    /// Announces bytes.
    Expect,
    /// Completes bytes.
    Complete,
}

/// What a statement did to a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseEntry {
    /// The statement.
    pub statement: u32,
    /// The action.
    pub action: PhaseAction,
    /// Arrivals or bytes, of all threads together.
    pub count: u64,
}

/// The phases of an mbarrier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phases {
    /// The number of completed phases.
    pub completed: u64,
    /// What happened in the running phase.
    pub running: Vec<PhaseEntry>,
    /// What happened in the first completed phases.
    pub first: Vec<Vec<PhaseEntry>>,
    /// The statements that waited for phases.
    pub waits: Vec<u32>,
    /// The last statement that announced bytes.
    pub announced: Option<u32>,
}

/// The phases by the offset of their mbarrier in the shared memory of the cluster.
#[derive(Clone, Debug, Default)]
pub struct PhaseLog(FxHashMap<usize, Phases>);

impl PhaseLog {
    /// A statement acts on the running phase.
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

    /// A statement has waited for a phase.
    pub fn waited(&mut self, object: usize, statement: u32) {
        let waits = &mut self.0.entry(object).or_default().waits;
        if !waits.contains(&statement) && waits.len() < MAX_ENTRIES {
            waits.push(statement);
        }
    }

    /// The running phase is complete: the next one starts.
    pub fn advance(&mut self, object: usize) {
        let phases = self.0.entry(object).or_default();
        let ended = std::mem::take(&mut phases.running);
        if phases.first.len() < MAX_PHASES {
            phases.first.push(ended);
        }
        phases.completed += 1;
    }

    /// The phases of the mbarrier at an offset.
    pub fn of(&self, object: usize) -> Option<&Phases> {
        self.0.get(&object)
    }

    /// All phases, by the offset of their mbarrier.
    pub fn all(&self) -> Vec<(usize, &Phases)> {
        let mut phases: Vec<_> = self.0.iter().map(|(object, phases)| (*object, phases)).collect();
        phases.sort_unstable_by_key(|(object, _)| *object);
        phases
    }
}

impl Phases {
    /// The copies that completed bytes of the running phase: their statements and bytes.
    pub fn copies(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let copies = self.running.iter().filter(|entry| entry.action == PhaseAction::Complete);
        copies.map(|entry| (entry.statement, entry.count))
    }
}
