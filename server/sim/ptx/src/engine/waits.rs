//! Does this warp wait for other threads?
//!
//! A simulator that runs one warp after the other must notice when a warp only waits: nothing that it executes will change
//! until another thread writes the memory that it polls. The block scheduler then runs other warps, and reports a deadlock
//! or a livelock if all of them wait.
//!
//! The answer is found in steps, each of which costs more than the one before, so that a loop that does not wait pays only
//! for a counter:
//!
//! 1. [`spin`] counts the backward branches of a warp. After a few of them it inspects the loop's code: a loop whose memory
//!    accesses look like polling is observed soon, any other one after many iterations.
//! 2. A loop that only computes is watched by [`loop_watch`], which compares one lane of one register at each iteration.
//!    When an earlier value recurs, the whole state ([`snapshot`]) is compared: a loop that returns to an earlier state and
//!    reads no memory never ends.
//! 3. Any other loop is observed by [`poll_window`] for some iterations. It keeps a snapshot of the state at a backward
//!    branch, and a log ([`poll_log`]) of the instructions executed since, with the memory that they read and wrote.
//! 4. When the warp's groups are at the same positions again, the state is compared with the snapshot. State that changed,
//!    such as a counter, is harmless if neither control flow nor an address nor a stored value depends on it, which
//!    [`dependence`] finds out from the log.
//!
//! The result is a [`Verdict`](poll_window::Verdict): the warp runs, repeats the same iteration until its polled memory changes,
//! or polls memory but may also stop by itself, for example after a time-out.
//!
//! [`exiting`] answers a related question about lanes: those that only exit are not waited for.

mod dependence;
pub(super) mod exiting;
mod loop_watch;
pub(super) mod poll_log;
pub(super) mod poll_window;
pub(super) mod snapshot;
pub(super) mod spin;
