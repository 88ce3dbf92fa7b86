//! A run as JSON: the output of `warplens sim --format json` and the response of `warplens/laneMasks`.
//!
//! The format is a contract with users; it is defined only here.

pub(crate) mod placed;
mod visits;

use std::cell::OnceCell;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use warplens_sim::ScalarType;
use warplens_sim::launch::{Element, Launch, PlacedBuffer, Resolved};
use warplens_sim::{Counters, LineTrace, RegisterValues, RunResult, StatementId, Totals, WarpId, WarpTrace};

use crate::findings::{ReportedFinding, Reporter};
use crate::source_line::SourceLine;
use crate::statement::{CodePlace, Statement};
use crate::text::{Role, hex};
use placed::PlacedTraces;
use visits::{JsonVisit, json_visits};

/// Lanes of a PTX warp.
pub(crate) const PTX_WIDTH: u32 = 32;

/// A position in a text; line and character start from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character, in the encoding of the request.
    pub character: u32,
}

/// The place of a statement in machine code; `None` if the text is not a listing.
pub(crate) type CodePlaces<'a> = &'a dyn Fn(StatementId) -> Option<CodePlace>;

/// The position of a statement's opcode; `None` if it was removed.
pub type Positions<'a> = &'a dyn Fn(StatementId) -> Option<Position>;

/// A whole run.
#[derive(Debug, Serialize)]
pub struct Report<'r> {
    entry: &'r str,
    launch: &'r Launch,
    model: &'static str,
    status: &'static str,
    totals: &'r Totals,
    findings: Vec<JsonFinding<'r>>,
    buffers: Buffers<'r>,
    /// What the program printed.
    #[serde(skip_serializing_if = "str::is_empty")]
    output: &'r str,
    #[serde(skip_serializing_if = "is_false")]
    output_truncated: bool,
    warps: Vec<JsonWarp<'r>>,
    #[serde(skip_serializing_if = "is_false")]
    warps_truncated: bool,
    /// The sums over all warps, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<JsonLine>>,
}

/// A run without its lanes.
#[derive(Debug, Serialize)]
pub struct Summary<'r> {
    status: &'static str,
    findings: Vec<JsonFinding<'r>>,
    totals: &'r Totals,
}

impl<'r> Summary<'r> {
    /// Summarizes `result`, the run of `resolved`.
    pub fn new(
        resolved: &'r Resolved,
        result: &'r RunResult,
        options: &Options<'r>,
        at: Positions<'_>,
    ) -> Summary<'r> {
        let findings = findings(resolved, result, options, at);
        Summary { status: result.status.as_str(), findings, totals: &result.totals }
    }
}

/// The findings of a run, those of its launch last.
fn findings<'r>(
    resolved: &'r Resolved,
    result: &'r RunResult,
    options: &Options<'r>,
    at: Positions<'_>,
) -> Vec<JsonFinding<'r>> {
    let width = resolved.launch.wave_width.unwrap_or(PTX_WIDTH);
    let source = |statement: StatementId| options.statements.get(statement.index())?.source.as_deref();
    let found = Reporter::new(resolved, width).findings(result, options.warp, &source);
    let failures = options.failures.iter().map(|message| JsonFinding::failure(message));
    found.iter().map(|finding| JsonFinding::new(finding, width, at)).chain(failures).collect()
}

/// One warp of a run: what is shown in an editor.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Masks<'r> {
    /// The version of the document that the positions are for.
    pub(crate) version: i32,
    pub(crate) entry: &'r str,
    /// The name of the kernel in its source, if a compiler mangled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub(crate) source_name: Option<String>,
    #[cfg_attr(test, ts(type = "{ name: string; grid: number[]; block: number[]; wave_width?: number }"))]
    pub(crate) launch: &'r Launch,
    pub(crate) model: &'static str,
    pub(crate) status: &'static str,
    /// Whether the text now has an error that stops a run.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) outdated: bool,
    /// Whether it is only the beginning of the run.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) partial: bool,
    pub(crate) findings: Vec<JsonFinding<'r>>,
    pub(crate) cta: [u32; 3],
    pub(crate) warp: u32,
    pub(crate) launched: String,
    /// The selected visit, which determines the shown point in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
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

/// Additional data for the report of a whole run.
pub struct Options<'o> {
    /// The divergence model that was used.
    pub model: &'static str,
    /// The buffers to include.
    pub dump: &'o [PlacedBuffer],
    /// The warp to list; by default all.
    pub warp: Option<WarpId>,
    /// The statements of the program.
    pub statements: &'o [Statement],
    /// Findings in addition to those of the run: failed checks of the launch.
    pub failures: &'o [String],
}

impl<'r> Report<'r> {
    /// Reports `result`, the run of `resolved`.
    pub fn new(
        resolved: &'r Resolved,
        result: &'r RunResult,
        options: &Options<'r>,
        at: Positions<'_>,
    ) -> Report<'r> {
        let wanted = |warp: &&WarpTrace| {
            options.warp.is_none_or(|wanted| warp.cta == wanted.cta && warp.warp == wanted.warp)
        };
        let width = resolved.launch.wave_width.unwrap_or(PTX_WIDTH);
        let statements = options.statements;
        let code = |statement: StatementId| statements.get(statement.index())?.code.clone();
        // Each warp lists most statements, and a position is looked up in the text.
        let places = vec![OnceCell::new(); statements.len()];
        let at: Positions<'_> = &|statement| match places.get(statement.index()) {
            Some(place) => *place.get_or_init(|| at(statement)),
            None => at(statement),
        };
        let warps =
            result.warps.iter().filter(wanted).map(|warp| JsonWarp::new(warp, width, &code, at)).collect();
        Report {
            entry: resolved.launch.entry.as_deref().unwrap_or_default(),
            launch: &resolved.launch,
            model: options.model,
            status: result.status.as_str(),
            totals: &result.totals,
            findings: findings(resolved, result, options, at),
            buffers: Buffers { dump: options.dump, result },
            output: &result.output.text,
            output_truncated: result.output.truncated,
            warps,
            warps_truncated: result.warps_truncated,
            lines: result.warps_truncated.then(|| lines(&result.summed, width, &code, at)),
        }
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Finding"))]
pub(crate) struct JsonFinding<'r> {
    code: &'r str,
    severity: &'static str,
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    cta: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    warp: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    lanes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    visit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    source: Option<&'r SourceLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    also: Option<JsonAlso>,
    related: Vec<JsonRelated<'r>>,
}

/// Where else the finding was found.
#[derive(Debug, Serialize)]
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

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Related"))]
struct JsonRelated<'r> {
    line: u32,
    message: &'r str,
}

/// The code of a failed check of the launch.
pub const EXPECT_FAILED: &str = "expect-failed";

impl<'r> JsonFinding<'r> {
    pub(crate) fn new(reported: &ReportedFinding<'r>, width: u32, at: Positions<'_>) -> JsonFinding<'r> {
        let finding = reported.finding;
        let related = finding.related.iter().filter_map(|related| {
            Some(JsonRelated { line: at(related.statement)?.line, message: &related.message })
        });
        JsonFinding {
            code: finding.code,
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
        }
    }

    pub(crate) fn failure(message: &'r str) -> JsonFinding<'r> {
        JsonFinding {
            code: EXPECT_FAILED,
            severity: "error",
            message,
            line: None,
            cta: None,
            warp: None,
            lanes: None,
            visit: None,
            source: None,
            also: None,
            related: Vec::new(),
        }
    }
}

#[derive(Debug, Serialize)]
struct JsonWarp<'r> {
    cta: [u32; 3],
    warp: u32,
    launched: String,
    lines: Vec<JsonLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registers: Option<Registers<'r>>,
}

impl<'r> JsonWarp<'r> {
    fn new(warp: &'r WarpTrace, width: u32, code: CodePlaces<'_>, at: Positions<'_>) -> JsonWarp<'r> {
        JsonWarp {
            cta: warp.cta,
            warp: warp.warp,
            launched: hex(warp.launched, width),
            lines: lines(&warp.lines, width, code, at),
            registers: warp.registers.as_deref().map(Registers),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct JsonLine {
    line: u32,
    character: u32,
    /// Its function and address, in a listing of machine code.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    code: Option<CodePlace>,
    count: u64,
    active: String,
    executed: String,
    visits: Vec<JsonVisit>,
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
    /// The effect of the statement on groups of lanes, in an editor.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// The sizes of the groups after a statement with several targets, in an editor.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    parts: Box<[u32]>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    counters: Option<JsonCounters>,
}

/// The counters of a line, if collected.
#[derive(Debug, Serialize)]
struct JsonCounters {
    efficiency: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    global: Option<JsonSectors>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<JsonWavefronts>,
}

#[derive(Debug, Serialize)]
struct JsonSectors {
    requests: u64,
    sectors: u64,
    ideal: u64,
    worst: [u32; 2],
}

#[derive(Debug, Serialize)]
struct JsonWavefronts {
    requests: u64,
    wavefronts: u64,
    ideal: u64,
    ways: u32,
}

impl JsonCounters {
    fn new(trace: &LineTrace, counters: &Counters, width: u32) -> JsonCounters {
        let Counters { global, shared } = counters;
        JsonCounters {
            efficiency: trace.efficiency(width),
            global: (global.requests != 0).then_some(JsonSectors {
                requests: global.requests,
                sectors: global.sectors,
                ideal: global.ideal,
                worst: [global.worst, global.worst_ideal],
            }),
            shared: (shared.requests != 0).then_some(JsonWavefronts {
                requests: shared.requests,
                wavefronts: shared.wavefronts,
                ideal: shared.ideal,
                ways: shared.worst_ways,
            }),
        }
    }
}

impl JsonLine {
    /// Its line and character.
    pub(crate) fn position(&self) -> (u32, u32) {
        (self.line, self.character)
    }

    /// With the effect of its statement on groups of lanes.
    pub(crate) fn with_effect(self, role: Role, parts: &[u32]) -> JsonLine {
        JsonLine { role: role.name(), parts: parts.into(), ..self }
    }
}

/// The lines in text order.
pub(crate) fn lines<'l>(
    traces: impl IntoIterator<Item = &'l LineTrace>,
    width: u32,
    code: CodePlaces<'_>,
    at: Positions<'_>,
) -> Vec<JsonLine> {
    let line = |trace: &LineTrace| {
        let Position { line, character } = at(trace.statement)?;
        Some(JsonLine {
            line,
            character,
            code: code(trace.statement),
            count: trace.count,
            active: hex(trace.active, width),
            executed: hex(trace.executed, width),
            visits: json_visits(trace, width),
            truncated: trace.truncated,
            role: None,
            parts: Box::default(),
            counters: trace.counters.as_deref().map(|counters| JsonCounters::new(trace, counters, width)),
        })
    };
    let mut lines: Vec<_> = traces.into_iter().filter_map(line).collect();
    lines.sort_by_key(JsonLine::position);
    lines
}

#[derive(Debug)]
struct Registers<'r>(&'r [RegisterValues]);

impl Serialize for Registers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|register| {
            let digits = match register.bits {
                1 => 1,
                bits => usize::from(bits.div_ceil(4)),
            };
            let lane = |value: &Option<u128>| value.map(|value| format!("{value:0digits$x}"));
            (register.name.as_str(), register.lanes.iter().map(lane).collect::<Vec<_>>())
        }))
    }
}

struct Buffers<'r> {
    dump: &'r [PlacedBuffer],
    result: &'r RunResult,
}

impl std::fmt::Debug for Buffers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.dump).finish()
    }
}

impl Serialize for Buffers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.dump.len()))?;
        for buffer in self.dump {
            let bytes = buffer.bytes(self.result);
            map.serialize_entry(buffer.name.as_str(), &JsonBuffer { element: buffer.element, bytes })?;
        }
        map.end()
    }
}

struct JsonBuffer<'r> {
    element: ScalarType,
    bytes: &'r [u8],
}

impl Serialize for JsonBuffer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("type", self.element.name())?;
        map.serialize_entry("values", &Values(self))?;
        map.serialize_entry("bytes", &hex_of(self.bytes))?;
        map.end()
    }
}

struct Values<'r>(&'r JsonBuffer<'r>);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JsonBuffer { element, bytes } = *self.0;
        let mut list = serializer.serialize_seq(Some(bytes.len() / element.bytes()))?;
        for value in bytes.chunks_exact(element.bytes()) {
            list.serialize_element(&Element(element, element.read(value)))?;
        }
        list.end()
    }
}

fn hex_of(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests;
