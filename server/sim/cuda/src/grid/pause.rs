//! Why a warp stops running, and why it continues.

use warplens_sim_warp::trace::Status;

#[derive(Debug)]
pub enum Pause<W> {
    Ended,
    Arrived(Arrival<W>),
    ArrivedAtCluster(ClusterArrival),
    /// All remaining lanes wait at barriers.
    Waiting,
    /// The warp repeats an iteration until the memory that it polls changes.
    Spinning,
    /// The warp polls memory, but may also stop by itself.
    Polling,
    /// The warp tested an mbarrier that other threads have yet to complete.
    Yielding,
    /// The warp may be waiting, and the turn of its cluster is over.
    TurnOver,
    Due,
    /// In a run under a schedule: the warp is before a statement that synchronizes.
    Preempted,
    Stopped(Status),
}

#[derive(Clone, Copy, Debug)]
pub struct Arrival<W> {
    pub number: u32,
    /// Number of threads that must arrive, if the instruction specifies it.
    pub count: Option<u32>,
    pub form: ArrivalForm,
    /// The lanes that execute the instruction.
    pub mask: u32,
    /// The lanes that count as arrived.
    pub arrived: u32,
    /// Arriving threads, as the hardware counts them.
    pub threads: u32,
    /// The lanes whose predicate is true, in a reduction.
    pub yes: u32,
    pub statement: u32,
    /// What the lanes need when they continue; `None` if they do not wait.
    pub wait: Option<W>,
}

/// What the threads at a barrier exchange; all threads that one completion releases must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalForm {
    Plain,
    And,
    Or,
    Count,
    /// The machine code does not tell.
    Unknown,
}

/// Lanes that arrive at the barrier of the cluster, or wait for it.
#[derive(Clone, Copy, Debug)]
pub struct ClusterArrival {
    pub mask: u32,
    pub statement: u32,
    pub action: ClusterAction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterAction {
    Arrive,
    /// An arrival that orders no memory accesses.
    ArriveRelaxed,
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The memory that it polls has changed.
    Changed,
    /// No warp can run, and this one may stop by itself.
    Turn,
    /// No other warp of the cluster can run.
    Alone,
}

/// The predicates of the lanes that arrived, for a reduction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Votes {
    /// Lanes whose predicate is true.
    pub yes: u32,
    pub voters: u32,
}

impl Votes {
    pub fn all(self) -> bool {
        self.yes == self.voters
    }

    pub fn any(self) -> bool {
        self.yes != 0
    }
}
