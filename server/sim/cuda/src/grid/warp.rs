//! What the scheduler of blocks needs from the warps of a language.

use std::ops::Deref;

use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::Tap;
use warplens_sim_warp::trace::{Reconvergence, RegisterValues, Status};
use warplens_sim_warp::values::Values;

use super::launch::GridLaunch;
use super::pause::{Pause, Votes, Wake};
use crate::memory::polled::PolledMemory;
use crate::memory::spaces::Spaces;
use crate::run_state::RunState;
use crate::sanitizer::Sanitizer;

/// The memory of a run, its counters and findings, and what else the language keeps.
pub struct GridState<W: CudaWarp> {
    pub spaces: Spaces,
    pub state: RunState,
    pub extra: W::Extra,
}

pub trait CudaWarp: Sized + Sync {
    type Launch<'p>: Deref<Target = GridLaunch> + Sync;
    /// What a run keeps besides memory, counters and findings. Blocks run in parallel only if they leave it unchanged.
    type Extra: Clone + PartialEq + Sync;
    /// What lanes that wait at a barrier need when they continue.
    type Wait: Copy + Sync;

    /// Instructions between two polls of the caller's control. Even if all of them are of the most expensive kind, they take
    /// only a few milliseconds.
    const SLICE: u64;

    /// How often warps that poll memory continue without a change before the run counts as a deadlock.
    const MAX_IDLE_ROUNDS: u32 = u32::MAX;

    fn new(launch: &Self::Launch<'_>, cta: [u32; 3], index: u32) -> Self;

    /// Resets the warp for a new block, once its trace has been collected. Saves allocations in launches of many short
    /// blocks.
    fn renew(&mut self, launch: &Self::Launch<'_>, cta: [u32; 3]);

    fn sanitizer(launch: &Self::Launch<'_>) -> Option<Box<Sanitizer>>;

    /// Whether the program depends on the order of blocks in ways that memory does not show, such as the clock.
    fn depends_on_order(launch: &Self::Launch<'_>) -> bool;

    /// Whether a pause for the caller's control can decide which path of a warp runs next.
    fn pauses_matter(_launch: &Self::Launch<'_>) -> bool {
        false
    }

    /// Runs until the block must decide what happens next.
    fn run(&mut self, launch: &Self::Launch<'_>, grid: &mut GridState<Self>) -> Pause<Self::Wait>;

    /// Lanes that waited at a barrier of the block continue.
    fn pass_barrier(
        &mut self,
        launch: &Self::Launch<'_>,
        mask: u32,
        statement: u32,
        wait: Self::Wait,
        votes: Votes,
    );

    /// Lanes that waited at the barrier of the cluster continue.
    fn pass_cluster_barrier(&mut self, _mask: u32) {}

    /// For each lane that runs, a copy of the warp in which the others of its group have exited. `None` if lanes that are elsewhere
    /// may run before these have ended, or what the lanes execute next depends on each other.
    fn lone_lanes(&self, _launch: &Self::Launch<'_>) -> Option<Vec<Self>> {
        None
    }

    /// Whether two copies of the warp execute the same from now on, as long as they read the same memory.
    fn is_in_state_of(&self, _other: &Self) -> bool {
        false
    }

    fn live(&self) -> u32;

    /// Bytes of host memory that the warp uses besides its fixed size.
    fn bytes(&self) -> u64;

    /// The memory that the warp polled when it last stopped; `None` if any change lets it continue.
    fn polled(&self) -> Option<&PolledMemory> {
        None
    }

    /// If the warp repeats an iteration that has barriers: the number of memory changes when that was observed. Until memory
    /// changes again, the warp repeats the iteration, in which it waits for the others at the barriers.
    fn at_barriers(&self) -> Option<u64> {
        self.polled()?.at_barriers
    }

    /// Called before the warp continues after it waited for memory.
    fn wake(&mut self, _why: Wake) {}

    /// Releases a group that waits for other lanes only because of the model. Returns whether there was one.
    fn force_progress(&mut self) -> bool {
        false
    }

    fn recorder(&mut self) -> &mut Recorder;

    /// Sends the steps to a recording from now on.
    fn begin_recording(&mut self, launch: &Self::Launch<'_>, tap: &Tap);

    /// Sends what the warp holds in registers and local memory to a recording.
    fn send_held(&self, launch: &Self::Launch<'_>, tap: &Tap);

    fn take_reconvergences(&mut self) -> Vec<Reconvergence>;

    /// The final values of the registers of the entry function.
    fn registers(&self, launch: &Self::Launch<'_>) -> Vec<RegisterValues>;

    fn take_values(&mut self, launch: &Self::Launch<'_>) -> Option<Values>;

    /// The status of a run that ended with this one.
    fn final_status(status: Status, _extra: &Self::Extra) -> Status {
        status
    }
}
