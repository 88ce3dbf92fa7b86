//! A whole run: the output of `warplens sim --format json`.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use warplens_sim_launch::{Element, Launch, PlacedBuffer, Resolved};
use warplens_sim_warp::ScalarType;
use warplens_sim_warp::{RegisterValues, RunResult, StatementId, Status, Totals, WarpId, WarpTrace};

use super::coverage::JsonCoverage;
use super::finding::JsonFinding;
use super::line::{CodePlaces, JsonLine, lines};
use super::mask::hex;
use super::numbers::JsonNumbers;
use super::position::Positions;
use crate::findings::{Reporter, Unexpected};
use crate::program::Statement;
use crate::run::{Coverage, Missing, VERDICTS, Verdict, warp_width};

#[derive(Debug, Serialize, JsonSchema)]
pub struct Report<'r> {
    entry: &'r str,
    launch: &'r Launch,
    model: &'static str,
    #[schemars(with = "Status")]
    status: &'static str,
    #[schemars(extend("enum" = VERDICTS))]
    verdict: &'static str,
    /// The evidence that the run lacks.
    #[schemars(with = "Vec<Missing>")]
    reasons: Vec<&'static str>,
    coverage: JsonCoverage<'r>,
    numbers: JsonNumbers,
    totals: &'r Totals,
    findings: Vec<JsonFinding<'r>>,
    #[serde(serialize_with = "object")]
    #[schemars(with = "BTreeMap<String, DumpedBuffer<'r>>")]
    buffers: Vec<(&'r str, DumpedBuffer<'r>)>,
    /// The file of each buffer, by the name of the argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<&'r BTreeMap<String, String>>,
    /// What the program printed.
    #[serde(skip_serializing_if = "str::is_empty")]
    output: &'r str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    output_truncated: bool,
    warps: Vec<JsonWarp<'r>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    warps_truncated: bool,
    /// The sums over all warps, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<JsonLine>>,
}

/// A run without its lanes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary<'r> {
    #[schemars(with = "Status")]
    status: &'static str,
    #[schemars(extend("enum" = VERDICTS))]
    verdict: &'static str,
    #[schemars(with = "Vec<Missing>")]
    reasons: Vec<&'static str>,
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
        Summary {
            status: result.status.as_str(),
            verdict: options.verdict.name(),
            reasons: reasons(options.verdict),
            findings,
            totals: &result.totals,
        }
    }
}

fn reasons(verdict: &Verdict) -> Vec<&'static str> {
    verdict.missing().iter().map(|missing| missing.name()).collect()
}

/// The findings of a run, those of its launch last.
fn findings<'r>(
    resolved: &'r Resolved,
    result: &'r RunResult,
    options: &Options<'r>,
    at: Positions<'_>,
) -> Vec<JsonFinding<'r>> {
    let width = warp_width(&resolved.launch);
    let source = |statement: StatementId| options.statements.get(statement.index())?.source.as_deref();
    let found = Reporter::new(resolved, width).findings(result, options.warp, &source);
    JsonFinding::all(&found, options.failures, resolved, at)
}

/// Additional data for the report of a whole run.
pub struct Options<'o> {
    /// The divergence model that was used.
    pub model: &'static str,
    pub dump: &'o [PlacedBuffer],
    /// The files to which the buffers were written, by the name of the argument.
    pub saved: Option<&'o BTreeMap<String, String>>,
    /// The warp to list; by default all.
    pub warp: Option<WarpId>,
    pub statements: &'o [Statement],
    /// Findings in addition to those of the run: failed checks of the launch.
    pub failures: &'o [Unexpected],
    pub verdict: &'o Verdict,
    pub coverage: &'o Coverage,
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
        let width = warp_width(&resolved.launch);
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
        let dumped = options.dump.iter();
        let dumped = dumped.map(|buffer| (buffer.name.as_str(), DumpedBuffer::new(buffer, result)));
        Report {
            entry: resolved.launch.entry.as_deref().unwrap_or_default(),
            launch: &resolved.launch,
            model: options.model,
            status: result.status.as_str(),
            verdict: options.verdict.name(),
            reasons: reasons(options.verdict),
            coverage: JsonCoverage::new(options.coverage, options.model, at),
            numbers: JsonNumbers::new(&options.coverage.numbers, at),
            totals: &result.totals,
            findings: findings(resolved, result, options, at),
            buffers: dumped.collect(),
            saved: options.saved,
            output: &result.output.text,
            output_truncated: result.output.truncated,
            warps,
            warps_truncated: result.warps_truncated,
            lines: result.warps_truncated.then(|| lines(&result.summed, width, &code, at)),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonWarp<'r> {
    cta: [u32; 3],
    warp: u32,
    launched: String,
    lines: Vec<JsonLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, Vec<Option<String>>>>")]
    registers: Option<WarpRegisters<'r>>,
}

impl<'r> JsonWarp<'r> {
    fn new(warp: &'r WarpTrace, width: u32, code: CodePlaces<'_>, at: Positions<'_>) -> JsonWarp<'r> {
        JsonWarp {
            cta: warp.cta,
            warp: warp.warp,
            launched: hex(warp.launched, width),
            lines: lines(&warp.lines, width, code, at),
            registers: warp.registers.as_deref().map(WarpRegisters),
        }
    }
}

#[derive(Debug)]
struct WarpRegisters<'r>(&'r [RegisterValues]);

impl Serialize for WarpRegisters<'_> {
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

#[derive(Debug, Serialize, JsonSchema)]
struct DumpedBuffer<'r> {
    #[serde(rename = "type")]
    element: &'static str,
    #[schemars(with = "Vec<Element>")]
    values: BufferValues<'r>,
    #[serde(serialize_with = "hex_digits")]
    #[schemars(with = "String")]
    bytes: &'r [u8],
}

impl<'r> DumpedBuffer<'r> {
    fn new(buffer: &PlacedBuffer, result: &'r RunResult) -> DumpedBuffer<'r> {
        let bytes = buffer.bytes(result);
        DumpedBuffer { element: buffer.element.name(), values: BufferValues(buffer.element, bytes), bytes }
    }
}

#[derive(Debug)]
struct BufferValues<'r>(ScalarType, &'r [u8]);

impl Serialize for BufferValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let BufferValues(element, bytes) = *self;
        let values = bytes.chunks_exact(element.bytes());
        serializer.collect_seq(values.map(|value| Element(element, element.read(value))))
    }
}

/// Writes pairs as the members of an object, in order.
fn object<S: Serializer>(members: &[(&str, DumpedBuffer<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(members.iter().map(|(name, buffer)| (name, buffer)))
}

fn hex_digits<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    use std::fmt::Write;
    let digits = bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    });
    serializer.serialize_str(&digits)
}

#[cfg(test)]
mod tests;
