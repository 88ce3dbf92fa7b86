//! Faults and warnings of operations, and their messages.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Severity, WarpId};

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
}

impl Fault {
    /// The fault as a finding about a warp. It stops the run, so it is always an error.
    pub fn finding(self, warp: WarpId, statement: u32) -> Finding {
        self.warning(warp, statement).with_severity(Severity::Error)
    }

    /// The fault as a finding about incorrect use that does not stop the run.
    pub fn warning(self, warp: WarpId, statement: u32) -> Finding {
        warp.finding(self.kind, self.message, statement, self.lanes)
    }

    /// An access to the shared memory of an exited block of the cluster.
    pub(crate) fn after_the_end(rank: u64, mode: AccessMode) -> Fault {
        let message = format!(
            "{} in the shared memory of block {rank} of the cluster\nthe block has exited; make its threads wait \
             at `barrier.cluster` until the last access",
            mode.name()
        );
        Fault { kind: FindingKind::ClusterExit, message, lanes: 0 }
    }

    pub fn new(kind: FindingKind, message: impl Into<String>, lanes: u32) -> Fault {
        Fault { kind, message: message.into(), lanes }
    }
}
