//! How many schedules a launch ran under.

use schemars::JsonSchema;
use serde::Serialize;

/// What was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explored {
    /// The schedules that ran to an end, besides the default one.
    pub schedules: u32,
    /// The schedules that were requested.
    #[serde(skip)]
    pub requested: u32,
    /// The model of schedules that ran to an end under another one than the default run.
    #[serde(skip)]
    pub other_model: Option<&'static str>,
    /// Whether one run stands for all schedules: no statement can depend on the order of threads.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub order_independent: bool,
}
