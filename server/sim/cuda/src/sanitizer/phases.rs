//! The phases of the mbarriers of a cluster: what they need, and who waits for them.

use rustc_hash::FxHashMap;

use super::happens_before::{Arrival, Thread};
use super::vector_clock::VectorClock;

/// What a phase needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    pub(super) arrivals: Vec<Arrival>,
    pub(super) copies: Vec<Arrival>,
    /// Whether some arrivals come later than the statements in `arrivals`, and no wait of their thread covers them.
    pub(super) has_commits: bool,
}

impl Needs {
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = &Arrival> {
        self.arrivals.iter().chain(&self.copies)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    pub(super) completed: u64,
    /// The epochs that stand for the completion of the last phase and of the one before; 0 if there is none.
    pub(super) epochs: [u32; 2],
    pub(super) running: Needs,
    /// What the threads that arrived in the running phase had waited for and announced, and the same for the last phase. It is kept only
    /// if the program has relaxed arrivals or waits: others make it known by themselves.
    pub(super) arrived: VectorClock,
    pub(super) known: VectorClock,
    pub(super) last: Needs,
    pub(super) before: Needs,
    /// The waits that saw the last completed phase, without those that happen before something that the running phase needs.
    pub(super) waits: Vec<Arrival>,
    /// The announcements of bytes for the running phase, without those that happen before something that the phase needs.
    pub(super) announced: Vec<Arrival>,
    /// The last lane that was compared with `waits` and `announced`.
    pub(super) compared: Option<(u32, Thread, u32)>,
    /// Lanes that arrived in the running phase together with the one that was compared: they are expected to know the same.
    pub(super) together: Vec<(u32, Thread)>,
    /// Whether copies were in flight when the last phase completed.
    pub(super) is_early: bool,
}

/// The mbarriers of a cluster, by their offset in its shared memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Mbarriers(pub(super) FxHashMap<u64, Phases>);
