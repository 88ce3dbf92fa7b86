//! Running a decoded kernel.
//!
//! [`run`] takes a launch from its first block to its last. A block runs its warps, a warp its groups, a group its
//! instructions, each level in a file of its own; the models differ only in `groups`.

mod access;
mod atomic;
mod barrier;
mod block;
mod bulk;
mod calls;
mod cluster;
mod crew;
mod dynamic;
mod exchange;
mod execute;
mod fault;
mod frame;
mod groups;
mod heap;
mod launch;
mod local;
mod matrix;
mod mbarrier;
mod members;
mod model;
mod print;
mod probe;
mod run;
mod spaces;
mod spin;
mod standstill;
mod straight;
mod system;
mod touched;
mod warp;
mod watch;

pub use model::Model;
pub use run::run;
