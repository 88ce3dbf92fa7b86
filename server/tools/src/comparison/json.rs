//! A comparison as a JSON object. The keys are documented in docs/cli.md.

use schemars::JsonSchema;
use serde::Serialize;
use warplens_ide::lanes::compare::{BufferDifference, LaneDifference, LaneStep, OutputDifference};
use warplens_ide::lanes::json::Position;
use warplens_sim_launch::{Element, Launch};
use warplens_sim_warp::{LaneStore, Status};

use super::compared::{Compared, Contraction, Drawn, FusedSum, NOT_COMPARED, Run, Scope, same_or_different};

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Compared"))]
pub struct JsonCompared<'c> {
    equal: bool,
    #[cfg_attr(test, ts(type = "Launch"))]
    launch: &'c Launch,
    difference: Option<JsonDifference<'c>>,
    compared: Scope,
    not_compared: [&'static str; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    contraction: Option<JsonContraction<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    random: Option<&'c Drawn>,
    /// Why the result says less than its numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    warning: Option<String>,
    runs: [JsonRun<'c>; 2],
    buffers: Vec<JsonBuffer<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    output: Option<JsonOutput<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    lane: Option<JsonLane<'c>>,
}

/// The results with and without fused products and sums.
#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Contraction"))]
struct JsonContraction<'c> {
    unfused: &'static str,
    fused: &'static str,
    /// Present unless `fused` is `same`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    some_fused: Option<&'static str>,
    /// How many selections of sums were tried besides none and all.
    tried: usize,
    /// The fused sums with which the results are the same.
    sums: Vec<JsonFusedSum<'c>>,
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "FusedSum"))]
struct JsonFusedSum<'c> {
    /// The kernel, 0 or 1.
    run: usize,
    #[serde(flatten)]
    at: Place,
    /// The statement.
    text: &'c str,
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Difference"))]
pub struct JsonDifference<'c> {
    buffer: &'c str,
    element: usize,
    #[cfg_attr(test, ts(type = "number | string"))]
    a: Element,
    #[cfg_attr(test, ts(type = "number | string"))]
    b: Element,
    a_writer: Option<JsonStore>,
    b_writer: Option<JsonStore>,
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Run"))]
struct JsonRun<'c> {
    path: &'c str,
    entry: &'c str,
    model: &'static str,
    #[schemars(with = "Status")]
    status: &'static str,
    warp_instructions: u64,
    error: Option<JsonError<'c>>,
}

/// Where a statement is, if the text has it.
#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    character: Option<u32>,
}

impl Place {
    fn of(position: Option<Position>) -> Place {
        Place { line: position.map(|at| at.line), character: position.map(|at| at.character) }
    }
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RunError"))]
struct JsonError<'c> {
    code: &'c str,
    message: &'c str,
    #[serde(flatten)]
    at: Place,
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "BufferDifference"))]
struct JsonBuffer<'c> {
    name: &'c str,
    index: usize,
    values: &'c [String; 2],
    stores: [Option<JsonStore>; 2],
    differing: usize,
    elements: usize,
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Writer"))]
struct JsonStore {
    #[serde(flatten)]
    at: Place,
    cta: [u32; 3],
    warp: u32,
    lane: u32,
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "OutputDifference"))]
struct JsonOutput<'c> {
    line: usize,
    texts: &'c [Option<String>; 2],
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LaneDifference"))]
struct JsonLane<'c> {
    cta: [u32; 3],
    warp: u32,
    lane: u32,
    steps: [Option<JsonStep<'c>>; 2],
}

#[derive(Serialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LaneStep"))]
struct JsonStep<'c> {
    #[serde(flatten)]
    at: Place,
    visit: u64,
    executed: bool,
    written: &'c [String],
}

pub fn compared(compared: &Compared) -> JsonCompared<'_> {
    let Compared { runs, comparison, lane, scope, contraction, drawn } = compared;
    let [one, other] = runs;
    JsonCompared {
        equal: comparison.is_equal(),
        launch: &one.prepared.resolved.launch,
        difference: first_difference(compared),
        compared: *scope,
        not_compared: NOT_COMPARED,
        contraction: contraction.as_ref().map(self::contraction),
        random: drawn.as_ref(),
        warning: drawn.as_ref().and_then(Drawn::warning),
        runs: [run(one), run(other)],
        buffers: comparison.buffers.iter().map(|difference| buffer(runs, difference)).collect(),
        output: comparison
            .output
            .as_ref()
            .map(|OutputDifference { line, texts }| JsonOutput { line: *line, texts }),
        lane: lane.as_ref().map(|difference| self::lane(runs, difference)),
    }
}

fn contraction<'c>(found: &'c Contraction) -> JsonContraction<'c> {
    let sum =
        |FusedSum { run, at, text }: &'c FusedSum| JsonFusedSum { run: *run, at: Place::of(Some(*at)), text };
    JsonContraction {
        unfused: same_or_different(false),
        fused: same_or_different(found.fused),
        some_fused: (!found.fused).then(|| same_or_different(found.some_fused)),
        tried: found.tried,
        sums: found.sums.iter().map(sum).collect(),
    }
}

/// The first element that differs.
pub fn first_difference(compared: &Compared) -> Option<JsonDifference<'_>> {
    let Compared { runs, comparison, .. } = compared;
    comparison.buffers.first().map(|found| difference(runs, found))
}

fn difference<'c>(runs: &[Run; 2], difference: &'c BufferDifference) -> JsonDifference<'c> {
    let ([a, b], [a_writer, b_writer]) = (difference.elements, stores(runs, &difference.stores));
    JsonDifference { buffer: &difference.name, element: difference.index, a, b, a_writer, b_writer }
}

fn run(run: &Run) -> JsonRun<'_> {
    let error = run.result.first_error();
    JsonRun {
        path: &run.path,
        entry: run.entry(),
        model: run.prepared.model.name(),
        status: run.result.status.as_str(),
        warp_instructions: run.result.totals.warp_instructions,
        error: error.map(|finding| JsonError {
            code: finding.kind.name(),
            message: &finding.message,
            at: Place::of(finding.statement.and_then(|statement| run.position(statement))),
        }),
    }
}

fn buffer<'c>(runs: &[Run; 2], difference: &'c BufferDifference) -> JsonBuffer<'c> {
    let BufferDifference { name, index, values, stores, count, of, .. } = difference;
    let stores = self::stores(runs, stores);
    JsonBuffer { name, index: *index, values, stores, differing: *count, elements: *of }
}

fn stores(runs: &[Run; 2], stores: &[Option<LaneStore>; 2]) -> [Option<JsonStore>; 2] {
    [0, 1].map(|side| {
        let LaneStore { statement, warp, lane } = stores[side]?;
        let at = Place::of(runs[side].position(statement));
        Some(JsonStore { at, cta: warp.cta, warp: warp.warp, lane })
    })
}

fn lane<'c>(runs: &[Run; 2], difference: &'c LaneDifference) -> JsonLane<'c> {
    let LaneDifference { warp, lane, steps } = difference;
    let step = |side: usize| {
        let LaneStep { statement, visit, executed, written } = steps[side].as_ref()?;
        Some(JsonStep {
            at: Place::of(runs[side].position(*statement)),
            visit: *visit,
            executed: *executed,
            written,
        })
    };
    JsonLane { cta: warp.cta, warp: warp.warp, lane: *lane, steps: [step(0), step(1)] }
}

#[cfg(test)]
mod tests {
    use warplens_test_support::typescript::Declarations;

    use super::JsonCompared;

    #[test]
    fn the_typescript_types_are_those_of_the_server() {
        let launch = "import type { Launch } from '../../../panel/src/generated/launch';\n";
        Declarations::default()
            .with::<JsonCompared<'static>>()
            .assert_written_to("vscode/src/generated/compared.ts", launch);
    }
}
