//! Which runs can be compared: a run that reads outside of its buffers, or that has a data race, has no specified results.

use warplens_sim_warp::{Finding, FindingKind, RunResult, Severity, Status};

/// Findings about accesses outside of the buffers of a launch.
const ADDRESSES: [FindingKind; 4] =
    [FindingKind::MemoryLimit, FindingKind::Misaligned, FindingKind::NullPointer, FindingKind::OutOfBounds];

/// Findings after which the language does not say what the results are.
const UNSPECIFIED: [FindingKind; 6] = [
    FindingKind::BitField,
    FindingKind::DataRace,
    FindingKind::DivisionByZero,
    FindingKind::ShuffleInactive,
    FindingKind::UninitializedRead,
    FindingKind::WrongMembermask,
];

/// Why the results of a run are not comparable.
#[derive(Debug, Clone)]
pub enum Unusable {
    /// An access outside of the buffers, or a result that the language does not specify.
    Found(Box<Finding>),
    /// It did not finish.
    Status(Status),
}

/// Why the results of a run cannot be compared with those of another kernel. A run of the `other` kernel that does not finish is
/// usable: that is a difference.
pub fn unusable(result: &RunResult, other: bool) -> Option<Unusable> {
    let is_reason = |finding: &&Finding| {
        ADDRESSES.contains(&finding.kind)
            || finding.kind == FindingKind::Unsupported
            || !other && (UNSPECIFIED.contains(&finding.kind) || finding.severity == Severity::Error)
    };
    let found = result.findings.iter().find(is_reason).cloned();
    let is_limit = matches!(result.status, Status::StepLimit | Status::Unsupported);
    let status = result.status != Status::Finished && (!other || is_limit);
    found
        .map(|finding| Unusable::Found(Box::new(finding)))
        .or_else(|| status.then_some(Unusable::Status(result.status)))
}
