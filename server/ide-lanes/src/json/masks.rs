//! The lanes of one warp: the response of `warplens/laneMasks`.

use serde::Serialize;
use warplens_sim_launch::Launch;
use warplens_sim_warp::StatementId;

use super::finding::JsonFinding;
use super::line::JsonLine;
use super::placed::PlacedTraces;
use super::position::{Position, Positions};
use super::sources::SourceLanes;

/// One warp of a run: what is shown in an editor.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Masks<'r> {
    /// The version of the document that the positions are for.
    pub(crate) version: i32,
    pub(crate) entry: &'r str,
    /// The name of the kernel in its source, if a compiler mangled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_name: Option<String>,
    /// Its sizes are those of the run.
    #[cfg_attr(test, ts(type = "Launch & Required<Pick<Launch, 'grid' | 'block'>>"))]
    pub(crate) launch: &'r Launch,
    pub(crate) model: &'static str,
    pub(crate) status: &'static str,
    /// Absent for the beginning of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<&'static str>,
    /// The evidence that the run lacks, a sentence each.
    pub(crate) missing: Vec<&'static str>,
    /// Whether the text now has an error that stops a run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) outdated: bool,
    /// Whether it is only the beginning of the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) partial: bool,
    pub(crate) findings: Vec<JsonFinding<'r>>,
    pub(crate) cta: [u32; 3],
    pub(crate) warp: u32,
    pub(crate) launched: String,
    /// The selected visit, which determines the shown point in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) visit: Option<JsonChosen>,
    /// The output of the program, if any.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<String>"))]
    pub(crate) output: &'r str,
    /// The statements that the warp executed.
    #[serde(flatten)]
    #[cfg_attr(test, ts(skip))]
    pub(crate) lines: MaskLines,
    /// The lines of statements that the warp never reached, in ascending order.
    pub(crate) not_run: Vec<u32>,
    /// The lines that the statements were compiled from, in the compact form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<SourceLanes>>"))]
    pub(crate) sources: Vec<SourceLanes>,
}

/// The statements that a warp executed.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum MaskLines {
    /// Each with its trace.
    Each {
        /// In text order.
        lines: Vec<JsonLine>,
    },
    /// In a small form.
    Placed(PlacedTraces),
}

/// A visit of a statement that was chosen.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ChosenVisit"))]
pub(crate) struct JsonChosen {
    line: u32,
    character: u32,
    number: u64,
}

impl JsonChosen {
    pub(crate) fn new((statement, number): (StatementId, u64), at: Positions<'_>) -> Option<JsonChosen> {
        let Position { line, character } = at(statement)?;
        Some(JsonChosen { line, character, number })
    }
}
