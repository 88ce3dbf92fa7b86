//! How many schedules a launch ran under.

use serde::Serialize;

/// What was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explored {
    /// The schedules that ran to an end, besides the default one.
    pub schedules: u32,
    /// The schedules that were requested.
    #[serde(skip)]
    pub requested: u32,
    /// Whether one run stands for all schedules: no statement can depend on the order of threads.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub order_independent: bool,
}
