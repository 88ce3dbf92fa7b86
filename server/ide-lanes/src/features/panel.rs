//! The data of the lanes panel: when lanes ran, with what values, at what cost, and on which paths.
//!
//! The server counts, for every language with a simulator; a client only draws. Runs are deterministic, so an answer that needs more
//! than the result of a run and the recorded steps of its warp repeats the run and keeps only what it shows.

mod accesses;
mod blocks;
mod buffers;
mod cost;
mod error;
mod graph;
mod history;
mod moment;
mod registers;
mod repeats;
mod run;
mod summary;
mod timeline;
mod walk;
mod warps;
mod why;

pub use self::accesses::Accesses;
pub use self::buffers::{BufferRequest, Buffers};
pub use self::error::PanelError;
pub use self::graph::Graph;
#[cfg(test)]
pub(crate) use self::moment::JsonMoment;
pub use self::moment::{Located, MomentRequest};
pub use self::registers::Registers;
pub use self::run::{Panel, PanelQuery};
pub use self::timeline::{Page, Timeline};
pub use self::why::{Why, WhyRequest};
