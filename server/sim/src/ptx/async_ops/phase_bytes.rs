//! The statements that announce and complete the bytes of the running phase of each mbarrier, for findings about them.

use rustc_hash::FxHashMap;

/// Statements that a finding names.
const MAX_NAMED: usize = 8;

/// The statements of a phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhaseBytes {
    /// The last statement that announced bytes, and how many.
    pub(crate) expected: Option<(u32, u64)>,
    /// The copies that completed bytes, with the bytes of each statement.
    pub(crate) completed: Vec<(u32, u64)>,
}

/// The phases by the offset of their mbarrier in the shared memory of the cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhaseLog(FxHashMap<usize, PhaseBytes>);

impl PhaseLog {
    /// A statement announces bytes.
    pub(crate) fn expect(&mut self, object: usize, statement: u32, bytes: u64) {
        self.0.entry(object).or_default().expected = Some((statement, bytes));
    }

    /// A copy completes bytes.
    pub(crate) fn complete(&mut self, object: usize, statement: u32, bytes: u64) {
        let completed = &mut self.0.entry(object).or_default().completed;
        let named = completed.len();
        match completed.iter_mut().find(|(at, _)| *at == statement) {
            Some((_, sum)) => *sum += bytes,
            None if named < MAX_NAMED => completed.push((statement, bytes)),
            None => {}
        }
    }

    /// The phase is complete: the next one starts.
    pub(crate) fn advance(&mut self, object: usize) {
        if let Some(phase) = self.0.get_mut(&object) {
            phase.completed.clear();
        }
    }

    /// All phases, by the offset of their mbarrier.
    pub(crate) fn phases(&self) -> Vec<(usize, &PhaseBytes)> {
        let mut phases: Vec<_> = self.0.iter().map(|(object, phase)| (*object, phase)).collect();
        phases.sort_unstable_by_key(|(object, _)| *object);
        phases
    }
}
