//! A block: runs its warps in order, each until it waits, exits or spins, and completes barriers.

use rustc_hash::FxHashSet;
use warplens_sim_cuda::memory::cluster_window::ClusterWindow;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::sanitizer::{BlockSanitizer, ClusterSanitizer};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::Lanes;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::{Finding, Related, Status};

use super::exec::BlockPosition;
use super::launch::Launch;
use super::pause::{Arrival, Pause};
use super::program::{Program, Reduction};
use super::undefined::UndefinedMemory;
use super::warp::{RunContext, Warp};

const COUNT: usize = 16;
/// How many warps a finding names.
const MAX_RELATED: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockPause {
    Ended,
    /// Only other blocks can let it continue.
    Stuck,
    Due,
    Stopped(Status),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarpState {
    Ready,
    /// All its lanes wait at barriers.
    Waiting,
    /// It repeats an iteration. The number of memory changes so far.
    Spinning(u64),
    /// It polls memory. The number of memory changes so far.
    Polling(u64),
    Ended,
}

#[derive(Clone, Debug, Default)]
struct BarrierPhase {
    /// Arrived threads, as the machine counts them.
    arrived: u32,
    masks: Vec<u32>,
    expected: Option<u32>,
    /// Warp, lanes, statement.
    waiting: Vec<(usize, u32, u32)>,
    reduction: Option<Reduction>,
    /// Lanes whose predicate is true, in a reduction. `voters` counts all its lanes.
    yes: u32,
    voters: u32,
}

pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) warps: Vec<Warp>,
    states: Vec<WarpState>,
    barriers: [BarrierPhase; COUNT],
    shared: Vec<u8>,
    locks: FxHashSet<u64>,
    sanitizer: BlockSanitizer,
    cluster: ClusterSanitizer,
    turn: usize,
}

impl Block {
    /// `spare` has recorders of finished warps, whose visits are already counted.
    pub(crate) fn new(
        program: &Program,
        launch: &Launch<'_>,
        number: u64,
        spare: &mut Vec<Recorder>,
    ) -> Block {
        let cta = launch.cta(number);
        let position = BlockPosition { grid: launch.grid, block: launch.block, cta, shared: launch.shared };
        let warp = |index| Warp::new(program, launch, position, index, spare);
        let warps: Vec<Warp> = (0..launch.warps()).map(warp).collect();
        Block {
            number,
            states: vec![WarpState::Ready; warps.len()],
            barriers: Default::default(),
            shared: vec![0; launch.shared as usize],
            locks: FxHashSet::default(),
            sanitizer: BlockSanitizer::new(&launch.grid, cta, warps.len()),
            cluster: ClusterSanitizer::new(vec![number as u32]),
            warps,
            turn: 0,
        }
    }

    /// Host memory in bytes while the block is suspended.
    pub(crate) fn bytes(&self) -> u64 {
        self.warps.iter().map(Warp::bytes).sum::<u64>() + self.shared.len() as u64
    }

    /// Runs until all threads have exited, the block cannot continue by itself, or the caller's control is
    /// due.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        launch: &Launch<'_>,
        spaces: &mut Spaces,
        state: &mut RunState,
        undefined: &mut UndefinedMemory,
    ) -> BlockPause {
        std::mem::swap(&mut spaces.shared, &mut self.shared);
        spaces.window = ClusterWindow { rank: 0, blocks: 1, size: launch.shared, ended: 0 };
        if let Some(sanitizer) = &mut state.sanitizer {
            sanitizer.enter(&mut self.sanitizer, &mut self.cluster);
        }
        let mut locks = std::mem::take(&mut self.locks);
        let pause = {
            let mut run = RunContext { program, launch, spaces, state, locks: &mut locks, undefined };
            self.run_warps(&mut run)
        };
        self.locks = locks;
        std::mem::swap(&mut spaces.shared, &mut self.shared);
        if let Some(sanitizer) = &mut state.sanitizer {
            sanitizer.leave(&mut self.sanitizer, &mut self.cluster, pause == BlockPause::Ended);
        }
        pause
    }

    fn run_warps(&mut self, run: &mut RunContext<'_>) -> BlockPause {
        let mut idle = 0;
        while idle < self.warps.len() {
            let index = self.turn;
            if self.is_ready(index, run.spaces) {
                idle = 0;
                if let Some(pause) = self.run_warp(index, run) {
                    return pause;
                }
            } else {
                idle += 1;
            }
            self.turn = (index + 1) % self.warps.len();
        }
        let ended = self.states.iter().all(|state| *state == WarpState::Ended);
        if ended { BlockPause::Ended } else { BlockPause::Stuck }
    }

    fn is_ready(&self, index: usize, spaces: &Spaces) -> bool {
        match self.states[index] {
            WarpState::Ready => true,
            WarpState::Waiting | WarpState::Ended => false,
            WarpState::Spinning(changes) | WarpState::Polling(changes) => changes != spaces.changes,
        }
    }

    fn run_warp(&mut self, index: usize, run: &mut RunContext<'_>) -> Option<BlockPause> {
        self.states[index] = WarpState::Ready;
        loop {
            match self.warps[index].run(run) {
                Pause::Ended => {
                    self.states[index] = WarpState::Ended;
                    self.complete_barriers(run.state);
                    return None;
                }
                Pause::Waiting => {
                    self.states[index] = WarpState::Waiting;
                    self.complete_barriers(run.state);
                    return None;
                }
                Pause::Spinning => {
                    self.states[index] = WarpState::Spinning(run.spaces.changes);
                    return None;
                }
                Pause::Polling => {
                    self.states[index] = WarpState::Polling(run.spaces.changes);
                    return None;
                }
                Pause::Due => return Some(BlockPause::Due),
                Pause::Stopped(status) => return Some(BlockPause::Stopped(status)),
                Pause::Arrived(arrival) => match self.arrive(index, arrival, run) {
                    Ok(true) => return None,
                    Ok(false) => {}
                    Err(status) => return Some(BlockPause::Stopped(status)),
                },
            }
        }
    }

    /// Lanes arrive at a barrier. Returns whether they complete it.
    fn arrive(&mut self, index: usize, arrival: Arrival, run: &mut RunContext<'_>) -> Result<bool, Status> {
        let Arrival { number, count, waits, reduction, yes, mask, statement } = arrival;
        let (warps, warp) = (self.warps.len(), &self.warps[index]);
        let Some(barrier) = self.barriers.get_mut(number as usize) else {
            let message = format!("{number}, a block has the barriers 0 to {}", COUNT - 1);
            run.state.report(warp.id.finding(FindingKind::BarrierNumber, message, statement, mask));
            return Err(Status::Faulted);
        };
        let by_warp = !run.launch.barriers;
        if by_warp && mask != warp.live {
            let message = format!(
                "only {} {} it\nthe others are elsewhere; before sm_70 the warp arrives as a whole: move the \
                 barrier to a point where all lanes reconverge",
                Lanes(mask.into()),
                if mask.count_ones() == 1 { "reaches" } else { "reach" }
            );
            let finding = warp.id.finding(FindingKind::DivergentBarrier, message, statement, mask);
            run.state.report(finding.with(warp.elsewhere(mask)));
        }
        if let Some(&(_, _, other)) = barrier.waiting.first()
            && barrier.expected != count
        {
            let how_many = |count: Option<u32>| count.map_or("all".to_owned(), |count| count.to_string());
            let message = format!(
                "barrier {number} expects {} threads here\nand {} in threads that already wait there; use one count, or another \
                 barrier",
                how_many(count),
                how_many(barrier.expected)
            );
            let finding = warp.id.finding(FindingKind::BarrierMismatch, message, statement, mask);
            run.state.report(
                finding.with([Related::new(
                    other,
                    format!("threads here expect {}", how_many(barrier.expected)),
                )]),
            );
        }
        barrier.masks.resize(warps, 0);
        barrier.masks[index] |= if by_warp { warp.live } else { mask };
        barrier.expected = count.or(barrier.expected);
        barrier.arrived += if by_warp || mask == warp.live { WIDTH as u32 } else { mask.count_ones() };
        barrier.reduction = reduction.or(barrier.reduction);
        barrier.yes += yes.count_ones();
        barrier.voters += mask.count_ones();
        if waits {
            barrier.waiting.push((index, mask, statement));
        }
        self.complete_barriers(run.state);
        Ok(waits && self.barriers[number as usize].waiting.is_empty())
    }

    /// Completes every barrier that all threads have reached.
    fn complete_barriers(&mut self, state: &mut RunState) {
        for index in 0..COUNT {
            let barrier = &self.barriers[index];
            let complete = match barrier.expected {
                _ if barrier.masks.is_empty() => false,
                Some(count) => barrier.arrived >= count,
                None => {
                    self.warps.iter().zip(&barrier.masks).all(|(warp, arrived)| warp.live & !arrived == 0)
                }
            };
            if !complete {
                continue;
            }
            let barrier = std::mem::take(&mut self.barriers[index]);
            let mut waited = vec![0; barrier.masks.len()];
            for &(warp, mask, _) in &barrier.waiting {
                waited[warp] |= mask;
            }
            if let Some(sanitizer) = &mut state.sanitizer {
                let live = self.warps.iter().map(|warp| warp.live);
                sanitizer.barrier_completed(&barrier.masks, &waited, live);
            }
            let reduced = (barrier.yes, barrier.reduction.is_some_and(|op| holds(op, &barrier)));
            for (warp, mask, _) in barrier.waiting {
                if self.states[warp] == WarpState::Waiting {
                    self.states[warp] = WarpState::Ready;
                }
                let warp = &mut self.warps[warp];
                warp.machine.release(mask);
                if barrier.reduction.is_some() {
                    warp.reduced = reduced;
                }
            }
        }
    }

    /// Lets warps that only poll memory continue although it has not changed. Returns whether there are any.
    pub(crate) fn continue_polling(&mut self) -> bool {
        let mut any = false;
        for state in &mut self.states {
            if let WarpState::Polling(_) = state {
                (*state, any) = (WarpState::Ready, true);
            }
        }
        any
    }

    /// Explains why the block cannot make progress.
    pub(crate) fn explain(&self) -> Option<Finding> {
        let spins = |state: &WarpState| matches!(state, WarpState::Spinning(_) | WarpState::Polling(_));
        let mut spinning =
            self.states.iter().zip(&self.warps).filter(|(state, _)| spins(state)).map(|(_, warp)| warp);
        let waiting = || {
            self.barriers.iter().flat_map(|barrier| &barrier.waiting).map(|&(warp, mask, statement)| {
                Related::new(
                    statement,
                    format!("waiting at a barrier: {} of warp {warp}", Lanes(mask.into())),
                )
            })
        };
        if let Some(warp) = spinning.next() {
            let what = if warp.reads {
                "poll memory that no live thread can change"
            } else {
                "iterate here forever"
            };
            let message = format!(
                "{}: {} of warp {} {what}\n{}",
                if warp.reads { "Deadlock" } else { "Livelock" },
                Lanes(warp.live.into()),
                warp.id.warp,
                if warp.reads {
                    "make another thread store the awaited value before it waits or exits"
                } else {
                    "change the exit condition in the loop"
                }
            );
            let finding = warp.id.finding(FindingKind::NoProgress, message, warp.stopped_at, warp.live);
            let others = spinning.take(MAX_RELATED).map(|warp| {
                Related::new(
                    warp.stopped_at,
                    format!("waiting too: {} of warp {}", Lanes(warp.live.into()), warp.id.warp),
                )
            });
            return Some(finding.with(others).with(waiting()));
        }
        let (warp, mask, statement) =
            self.barriers.iter().flat_map(|barrier| &barrier.waiting).next().copied()?;
        let message = format!(
            "Deadlock: {} of warp {warp} wait at a barrier that others do not reach\nmake all threads reach it, or \
             specify the number of threads that do",
            Lanes(mask.into())
        );
        let finding = self.warps[warp].id.finding(FindingKind::NoProgress, message, statement, mask);
        let others = self.warps.iter().enumerate().filter(|(index, other)| *index != warp && other.live != 0);
        let others = others.flat_map(|(_, other)| other.elsewhere(0)).take(MAX_RELATED);
        Some(finding.with(waiting().skip(1)).with(others))
    }
}

fn holds(reduction: Reduction, barrier: &BarrierPhase) -> bool {
    match reduction {
        Reduction::And => barrier.yes == barrier.voters,
        Reduction::Or | Reduction::Count => barrier.yes != 0,
    }
}
