//! Faults and warnings of operations, and their messages.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Related, Severity, WarpId};

use super::memory::polled::PolledValue;
use super::memory::region::AccessMode;

/// An operation that did not succeed. Boxed in results, so that a result is one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecError {
    /// The run stops at this instruction.
    Fault(Fault),
    /// The instruction was executed, but is used incorrectly.
    Warning(Fault),
    /// The instruction was executed, and its thread waits for other threads.
    Yield(Option<PendingBarriers>),
}

/// The states of the mbarriers whose test failed, because their current phases are incomplete.
pub type PendingBarriers = Vec<PolledValue>;

impl From<Fault> for Box<ExecError> {
    fn from(fault: Fault) -> Box<ExecError> {
        Box::new(ExecError::Fault(fault))
    }
}

pub type Result<T = (), E = Fault> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FindingKind,
    pub message: String,
    pub lanes: u32,
    /// Boxed, so that results stay small.
    pub related: Option<Box<Related>>,
}

impl Fault {
    /// The fault as a finding about a warp. It stops the run, so it is always an error.
    pub fn finding(self, warp: WarpId, statement: u32) -> Finding {
        self.warning(warp, statement).with_severity(Severity::Error)
    }

    /// The fault as a finding about incorrect use that does not stop the run.
    pub fn warning(self, warp: WarpId, statement: u32) -> Finding {
        warp.finding(self.kind, self.message, statement, self.lanes)
            .with(self.related.map(|related| *related))
    }

    /// An access to the shared memory of an exited block of the cluster.
    pub(crate) fn after_the_end(rank: u64, mode: AccessMode) -> Fault {
        let message = format!(
            "{} in the shared memory of block {rank} of the cluster\nthe block has exited; make its threads wait \
             at `barrier.cluster` until the last access",
            mode.name()
        );
        Fault::new(FindingKind::ClusterExit, message, 0)
    }

    /// A rank that no block of the cluster has. `details` say where it comes from and what to do.
    pub fn beyond_cluster(rank: u32, blocks: u32, details: &str, lanes: u32) -> Fault {
        let ranks = match blocks {
            1 => "the cluster has one block, of rank 0".to_owned(),
            _ => format!("the ranks of the cluster are 0 to {}", blocks - 1),
        };
        Fault::new(FindingKind::ClusterRank, format!("{rank}, {ranks}\n{details}"), lanes)
    }

    pub fn new(kind: FindingKind, message: impl Into<String>, lanes: u32) -> Fault {
        Fault { kind, message: message.into(), lanes, related: None }
    }
}
