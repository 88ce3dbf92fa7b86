//! Results that the language does not determine to the bit.

use schemars::JsonSchema;
use serde::Serialize;
use warplens_sim_warp::StatementId;

use super::position::Positions;
use crate::run::InexactResults;

/// The executed statements whose results are not determined to the bit. All others are exact, or rounded as IEEE 754 says.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonNumbers {
    /// Results with a documented error.
    approximate: Vec<JsonApproximate>,
    /// Results of which something is left open.
    open: Vec<JsonOpen>,
    /// The lines of executed branches whose conditions depend on approximate results, as far as registers show.
    decided: Vec<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonApproximate {
    line: u32,
    error: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonOpen {
    line: u32,
    why: &'static str,
}

impl JsonNumbers {
    pub(crate) fn new(results: &InexactResults, at: Positions<'_>) -> JsonNumbers {
        let line = |statement: StatementId| Some(at(statement)?.line);
        let approximate = |(statement, error)| Some(JsonApproximate { line: line(statement)?, error });
        let open = |(statement, why)| Some(JsonOpen { line: line(statement)?, why });
        JsonNumbers {
            approximate: results.approximate().filter_map(approximate).collect(),
            open: results.open().filter_map(open).collect(),
            decided: results.decided.iter().filter_map(|statement| line(*statement)).collect(),
        }
    }
}
