//! The lanes of one warp at the current positions in the text, and the words for them.

pub(crate) mod counters;
mod hints;
mod lane_view;
pub(crate) mod model_diff;
mod positions;
pub mod text;
pub(crate) mod values;

pub use counters::totals as counter_totals;
pub use hints::LaneHint;
#[cfg(test)]
pub(crate) use lane_view::ViewedRun;
pub(crate) use lane_view::buffer_object;
pub use lane_view::{LaneView, LineOf, StatementView};
pub use model_diff::first_divergence;
