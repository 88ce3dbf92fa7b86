//! Records everything that a launch does in a window of its steps, so that the state before any of them is known.
//!
//! Up to the window, the run is as fast as without a [`Tap`]. Then it sends what registers and memory hold, and from there on each
//! step of each warp: statement, lanes, written registers and accessed memory. The [`Recording`] keeps them in compact segments. Each segment has the state at its start, which shares unchanged registers and
//! pages with the segments before it. The state before a step is that of its segment, changed by the events in between.
//!
//! Steps count the statements that the warps of the launch visit, in order of execution, from 0. A *late* event is not a step: it
//! is the effect of an earlier statement, such as the result of a barrier or the bytes of an asynchronous copy.

mod access;
mod checkpoint;
mod codec;
mod edit;
mod event;
mod layout;
mod search;
mod segments;
mod state;
mod statements;
mod summary;
mod tap;
mod writer;

pub use access::{Access, LateWrite, Space};
pub use checkpoint::Checkpoints;
pub use edit::{Change, DueChange, EDIT, Edit};
pub use event::{Effects, Event, Row, Write};
pub use layout::{Cell, CellId, Layout};
pub use search::{Place, WriteSite};
pub use segments::Recording;
pub use state::{CellValue, State};
pub use summary::Summary;
pub use tap::{Tap, WarpTap};
pub use writer::{PassedRegisters, Window};
