//! Detects loops that wait for other threads: decides when to observe a warp, and gives the verdict.

use warplens_sim_cuda::memory::polled::PolledMemory;
use warplens_sim_cuda::registers::Registers;

use super::loop_watch::LoopWatch;
use super::poll_window::{PollWindow, Verdict};
use super::snapshot::{Snapshot, WarpView};
use crate::program::{Callee, Function, Op, Program, Space};

/// Backward branches before the first observation of a loop whose memory accesses look like polling.
const POLLING: u64 = 16;
/// Backward branches before the first observation of any other loop.
const OTHER: u64 = 1024;
/// Backward branches between two inspections of the code of a loop that is not observed yet.
const RECHECK: u64 = 256;
/// Call depth to which a loop's code is searched.
const MAX_DEPTH: u32 = 3;
/// Maximum number of backward branches for which a polling warp runs before it is observed again.
const MAX_SLICE: u64 = 1 << 16;
/// Maximum number of instructions in the first observation; it doubles after each one without a result.
const STEPS: u64 = 1024;

#[derive(Clone, Copy, Debug)]
pub(crate) struct BranchCounter {
    branches: u64,
    due: u64,
    watch: Option<LoopWatch>,
}

impl BranchCounter {
    /// Counts a backward branch of a group in the frame of `registers`; returns whether the detector must examine the warp.
    #[inline(always)]
    pub(crate) fn backward(&mut self, from: u32, to: u32, registers: &Registers) -> bool {
        self.branches += 1;
        self.branches >= self.due && self.is_to_compare(from, to, registers)
    }

    #[inline(never)]
    fn is_to_compare(&mut self, from: u32, to: u32, registers: &Registers) -> bool {
        self.watch.as_mut().is_none_or(|watch| watch.backward((from, to), self.branches, registers))
    }

    /// Ends the watch: the warp diverges, or executes what a watched loop must not contain.
    #[inline(always)]
    pub(crate) fn end_watch(&mut self) {
        self.watch = None;
    }
}

/// The backward branch at which the detector examines a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackwardBranch {
    pub(crate) from: u32,
    /// Whether the group that branched is the only one of the warp.
    pub(crate) alone: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct SpinDetector {
    pub(crate) counter: BranchCounter,
    pub(crate) window: Option<Box<PollWindow>>,
    /// The state at the start of a watch. If the watch ends, it stays until the warp is examined next.
    start: Option<Box<Snapshot>>,
    /// Observations without a result since the last wait.
    misses: u32,
    /// Backward branches after which any loop is observed.
    other: u64,
    /// Backward branches that a polling warp may take in its next turn.
    slice: u64,
}

impl Default for SpinDetector {
    fn default() -> SpinDetector {
        let counter = BranchCounter { branches: 0, due: POLLING, watch: None };
        SpinDetector { counter, window: None, start: None, misses: 0, other: OTHER, slice: POLLING }
    }
}

impl SpinDetector {
    /// Examines the warp, whose running group branched back to the position in `warp`.
    pub(crate) fn examine(&mut self, branch: BackwardBranch, warp: &WarpView<'_>) -> Verdict {
        if let Some(start) = self.start.take() {
            return self.compare(start, warp);
        }
        let Some(window) = &mut self.window else {
            self.begin(branch, warp);
            return Verdict::Runs;
        };
        match window.examine(warp) {
            None => {
                self.missed();
                Verdict::Runs
            }
            Some(Verdict::Runs) => Verdict::Runs,
            Some(waits) => {
                self.window = None;
                waits
            }
        }
    }

    fn begin(&mut self, branch: BackwardBranch, warp: &WarpView<'_>) {
        let branches = self.counter.branches;
        let range = (warp.pc, branch.from);
        if warp.groups.may_end_waits() {
            self.counter.due = branches + POLLING;
        } else if branches < self.other
            && !any_in(warp.pc..branch.from + 1, warp.function, warp.program, 0, polls)
        {
            self.counter.due = self.other.min(branches + RECHECK);
        } else if branch.alone && LoopWatch::allows(range, warp.function) {
            let iterations = self.steps() / u64::from(range.1 - range.0 + 1);
            self.start = Some(Box::new(Snapshot::of(warp)));
            self.counter.watch = Some(LoopWatch::new(range, branches + iterations));
            self.counter.due = 0;
        } else {
            self.open_window(warp);
        }
    }

    fn steps(&self) -> u64 {
        STEPS << self.misses.min(8)
    }

    fn open_window(&mut self, warp: &WarpView<'_>) {
        self.window = Some(Box::new(PollWindow::new(warp, self.steps() as usize)));
        self.counter.due = 0;
    }

    /// Compares the warp with its state at the start of a watch. If the warp did more than compute, it is observed through a
    /// log instead.
    fn compare(&mut self, start: Box<Snapshot>, warp: &WarpView<'_>) -> Verdict {
        let Some(mut watch) = self.counter.watch.take().filter(|watch| watch.holds(warp.function)) else {
            self.open_window(warp);
            return Verdict::Runs;
        };
        if start.is_at(warp) {
            let difference = start.compare(warp);
            if difference.is_empty() {
                return Verdict::Repeats(PolledMemory::default());
            }
            watch.compare_first(&difference, &start);
        }
        if watch.has_ended(self.counter.branches) {
            self.missed();
        } else {
            (self.start, self.counter.watch) = (Some(start), Some(watch));
        }
        Verdict::Runs
    }

    fn missed(&mut self) {
        let branches = self.counter.branches;
        self.window = None;
        self.misses += 1;
        self.other = branches * 4;
        self.counter.due = branches + (POLLING << (2 * self.misses.min(20)));
    }

    /// Bytes of host memory.
    pub(crate) fn bytes(&self) -> u64 {
        let window = self.window.as_ref().map_or(0, |window| window.bytes());
        window + self.start.as_ref().map_or(0, |start| start.bytes())
    }

    /// The warp waits at the instruction that it just executed, so it is observed from its next backward branch on, unless
    /// earlier observations had no result.
    pub(crate) fn hint(&mut self) {
        if self.window.is_none() {
            let soon = self.counter.branches + (1 << (2 * self.misses.min(20)));
            self.counter.due = self.counter.due.min(soon);
        }
    }

    /// Called when a waiting warp continues because the memory that it polls has changed.
    pub(crate) fn woken(&mut self) {
        (self.misses, self.slice) = (0, POLLING);
        self.counter.due = self.counter.branches + 1;
    }

    /// Called when a polling warp gets a turn although nothing has changed; `jumps` tells whether time advances instead.
    pub(crate) fn takes_turn(&mut self, jumps: bool) {
        self.counter.due = self.counter.branches + self.slice;
        self.slice = if jumps { POLLING } else { (self.slice * 4).min(MAX_SLICE) };
    }
}

/// Whether the program has loops that may wait for other blocks. Pipelines wait in loops, too, but at mbarriers.
pub(crate) fn may_wait_for_blocks(program: &Program) -> bool {
    program.functions.iter().any(|function| {
        let backward = function.code.iter().zip(0u32..).filter_map(|(instruction, from)| {
            let head = function.targets_of(instruction)?.into_iter().min()?;
            (head <= from).then(|| head..from + 1)
        });
        backward.into_iter().any(|range| any_in(range, function, program, 0, polls_device_memory))
    })
}

/// Whether an instruction of a range, or of the functions that it calls, is of a kind.
fn any_in(
    code: std::ops::Range<u32>,
    function: &Function,
    program: &Program,
    depth: u32,
    is_of_kind: fn(&Function, u32) -> bool,
) -> bool {
    code.into_iter().any(|pc| match function.code.get(pc as usize).map(|instruction| instruction.op) {
        Some(Op::Call(id, _)) => match function.tables[id].callee {
            Callee::Direct(callee) if depth < MAX_DEPTH => {
                let callee = &program.functions[callee as usize];
                any_in(0..callee.code.len() as u32, callee, program, depth + 1, is_of_kind)
            }
            Callee::Direct(_) | Callee::System(_) => false,
            Callee::Indirect(_) => true,
        },
        Some(_) => is_of_kind(function, pc),
        None => false,
    })
}

/// Whether an instruction accesses memory as loops that wait for other threads do.
fn polls(function: &Function, pc: u32) -> bool {
    match function.code[pc as usize].op {
        Op::Load(_) => function.orders[pc as usize].strong,
        Op::Atomic(id) => !function.tables[id].old.is_empty(),
        Op::Mbarrier(id) => function.tables[id].action.waits(),
        Op::Sleep => true,
        _ => false,
    }
}

fn polls_device_memory(function: &Function, pc: u32) -> bool {
    let space = match function.code[pc as usize].op {
        Op::Load(id) => function.tables[id].space,
        Op::Atomic(id) => function.tables[id].space,
        Op::Sleep => Space::Global,
        _ => return false,
    };
    matches!(space, Space::Global | Space::Generic) && polls(function, pc)
}
