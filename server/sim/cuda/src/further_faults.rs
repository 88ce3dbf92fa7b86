//! What a run knows while it goes on after a fault, only to find further faults.
//!
//! The lanes whose address is invalid skip their access, so the value that they would load is unknown, and so is whatever
//! depends on it. The search is over where an unknown value decides which lanes run or what they access: each finding is
//! true whatever the skipped accesses would have done.

use rustc_hash::FxHashSet;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Severity, StatementId};

use crate::memory::region::MemoryRegion;

/// Maximum number of unknown words of memory.
const MAX_WORDS: usize = 1 << 20;

/// The search for further faults.
#[derive(Debug, Default)]
pub struct FurtherFaults {
    /// The statements whose faults are reported.
    reported: FxHashSet<StatementId>,
    pub memory: UnknownMemory,
    is_over: bool,
}

impl FurtherFaults {
    /// A search after a run with these findings, if the last one is an invalid access.
    pub(crate) fn after(findings: &[Finding]) -> Option<FurtherFaults> {
        let is_fault = |last: &&Finding| is_invalid_access(last.kind) && last.severity == Severity::Error;
        findings.last().filter(is_fault)?;
        let faults = findings.iter().filter(|finding| is_invalid_access(finding.kind));
        let reported = faults.filter_map(|fault| fault.statement).collect();
        Some(FurtherFaults { reported, ..FurtherFaults::default() })
    }

    /// Whether to report a finding: an invalid access of a statement without one.
    pub(crate) fn admits(&mut self, finding: &Finding) -> bool {
        !self.is_over
            && is_invalid_access(finding.kind)
            && finding.statement.is_some_and(|statement| self.reported.insert(statement))
    }

    /// Whether an invalid access of the statement was reported.
    pub fn has_reported(&self, statement: u32) -> bool {
        self.reported.contains(&StatementId(statement))
    }

    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over || self.memory.words.len() > MAX_WORDS
    }
}

/// Whether lanes can skip an access with this fault.
pub fn is_invalid_access(kind: FindingKind) -> bool {
    matches!(
        kind,
        FindingKind::OutOfBounds
            | FindingKind::NullPointer
            | FindingKind::Misaligned
            | FindingKind::ReadOnly
            | FindingKind::UseAfterFree
    )
}

/// A word of memory, four bytes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownWord {
    pub region: MemoryRegion,
    /// The first block of the cluster for shared memory, the block for local memory.
    pub owner: [u32; 3],
    /// The thread that owns the local memory; 0 in other regions.
    pub thread: u32,
    /// The number of the word in its region.
    pub number: u64,
}

/// The words of memory that may hold unknown values. They stay unknown when other values are stored there.
#[derive(Debug, Default)]
pub struct UnknownMemory {
    words: FxHashSet<UnknownWord>,
    has_local: bool,
}

impl UnknownMemory {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether there are unknown words in the local memory of any thread.
    pub fn has_local(&self) -> bool {
        self.has_local
    }

    pub fn holds(&self, word: &UnknownWord) -> bool {
        self.words.contains(word)
    }

    pub fn insert(&mut self, word: UnknownWord) {
        self.has_local |= word.region == MemoryRegion::Local;
        self.words.insert(word);
    }
}
