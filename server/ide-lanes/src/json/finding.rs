//! A finding of a run.

use schemars::JsonSchema;
use serde::Serialize;
use warplens_sim_launch::{Launch, Resolved};
use warplens_sim_warp::{FindingKind, Schedule, Severity};

use super::mask::hex;
use super::position::Positions;
use crate::findings::{ReportedFinding, Unexpected};
use crate::program::SourceLine;
use crate::run::warp_width;

#[derive(Debug, Default, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Finding", optional_fields))]
pub(crate) struct JsonFinding<'r> {
    code: &'r str,
    #[schemars(with = "Severity")]
    severity: &'static str,
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cta: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warp: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r SourceLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    also: Option<JsonAlso>,
    related: Vec<JsonRelated<'r>>,
    /// What the message of a race recommends.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<JsonAdvice>,
    /// The first wrong element, if it does not hold what the launch expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<JsonElement<'r>>,
    /// The inferred launch that the finding depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "Launch"))]
    launch: Option<&'r Launch>,
    /// The schedule that shows it, if the default one does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "string"))]
    #[schemars(with = "Option<String>")]
    schedule: Option<Schedule>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Advice"))]
struct JsonAdvice {
    name: &'static str,
    /// Its words, a part of the message.
    text: &'static str,
}

/// An element of a buffer.
#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "BufferElement"))]
struct JsonElement<'r> {
    buffer: &'r str,
    index: u64,
}

/// Where else the finding was found.
#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Also"))]
struct JsonAlso {
    /// The number of other warps, and of their blocks.
    warps: usize,
    blocks: usize,
    /// Other lines.
    lines: Vec<u32>,
}

impl JsonAlso {
    fn new(reported: &ReportedFinding<'_>, at: Positions<'_>) -> Option<JsonAlso> {
        let (warps, blocks) = reported.also_in();
        let lines: Vec<u32> = reported.also_at().filter_map(|id| Some(at(id)?.line)).collect();
        (warps != 0 || !lines.is_empty()).then_some(JsonAlso { warps, blocks, lines })
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Related"))]
struct JsonRelated<'r> {
    line: u32,
    message: &'r str,
}

impl<'r> JsonFinding<'r> {
    /// The findings of a run, then the failed checks of its launch.
    pub(crate) fn all(
        found: &[ReportedFinding<'r>],
        failures: &'r [Unexpected],
        resolved: &'r Resolved,
        at: Positions<'_>,
    ) -> Vec<JsonFinding<'r>> {
        let failures = failures.iter().map(|failure| JsonFinding::failure(failure, resolved, at));
        found.iter().map(|finding| JsonFinding::new(finding, resolved, at)).chain(failures).collect()
    }

    fn new(reported: &ReportedFinding<'r>, resolved: &'r Resolved, at: Positions<'_>) -> JsonFinding<'r> {
        let finding = reported.finding;
        let width = warp_width(&resolved.launch);
        let related = finding.related.iter().filter_map(|related| {
            Some(JsonRelated { line: at(related.statement)?.line, message: &related.message })
        });
        JsonFinding {
            code: finding.kind.name(),
            severity: finding.severity.as_str(),
            message: &finding.message,
            line: finding.statement.and_then(at).map(|position| position.line),
            cta: Some(finding.cta),
            warp: Some(finding.warp),
            lanes: Some(hex(finding.lanes, width)),
            visit: finding.visit,
            source: reported.source,
            also: JsonAlso::new(reported, at),
            related: related.collect(),
            advice: finding.advice.map(|advice| JsonAdvice { name: advice.kind.name(), text: advice.text }),
            element: None,
            launch: finding.guess.and_then(|guess| resolved.guessed(guess)),
            schedule: finding.schedule,
        }
    }

    /// A failed check of the launch, at the statement that stored the first wrong element.
    fn failure(failure: &'r Unexpected, resolved: &'r Resolved, at: Positions<'_>) -> JsonFinding<'r> {
        let Unexpected { message, element, writer } = failure;
        let width = warp_width(&resolved.launch);
        let element = Some(JsonElement { buffer: &element.buffer, index: element.index });
        JsonFinding {
            code: FindingKind::ExpectFailed.name(),
            severity: FindingKind::ExpectFailed.severity().as_str(),
            message,
            line: writer.and_then(|store| at(store.statement)).map(|position| position.line),
            cta: writer.map(|store| store.warp.cta),
            warp: writer.map(|store| store.warp.warp),
            lanes: writer.map(|store| hex(1 << store.lane, width)),
            element,
            ..JsonFinding::default()
        }
    }
}
