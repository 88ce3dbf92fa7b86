//! The result of a launch as a line of JSON.

use schemars::JsonSchema;
use serde::Serialize;
use warplens_ide::lanes::json::{Report, Summary};
use warplens_sim_launch::BatchId;

use crate::cli::outcome::Outcome;
use crate::cli::sim::arguments::Arguments;
use crate::cli::sim::simulated::Simulated;

pub(super) struct Ended {
    /// The line of JSON, with a line feed.
    pub(super) line: Vec<u8>,
    pub(super) counted: Counted,
}

/// How the exit code and the summary count a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Passed,
    /// It has findings.
    Failed,
    /// It has none, and evidence is missing.
    Incomplete,
    /// The launch could not be run.
    Invalid,
}

/// The keys of every result, followed by those of `run`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ResultLine<'r, R> {
    index: u64,
    id: Option<&'r BatchId>,
    ok: bool,
    /// The checks of the launch, if it has any.
    expect: Option<Checks<'r>>,
    #[serde(flatten)]
    run: R,
}

#[derive(Serialize, JsonSchema)]
struct Checks<'r> {
    checks: usize,
    failures: Vec<&'r str>,
}

/// What a line can be: a run, a run with `--full`, or a launch that was not run.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, clippy::large_enum_variant, reason = "it only describes the lines")]
pub(crate) enum BatchResult<'r> {
    Short(ResultLine<'r, Summary<'r>>),
    Full(ResultLine<'r, Report<'r>>),
    NotRun(ResultLine<'r, NotRun<'r>>),
}

/// The keys of a launch that was not run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NotRun<'r> {
    status: &'static str,
    error: &'r str,
    findings: [(); 0],
    totals: Option<()>,
}

pub(super) fn ended(simulated: &Simulated, arguments: &Arguments, index: u64, id: Option<&BatchId>) -> Ended {
    let Simulated { prepared, result, failures, .. } = simulated;
    let counted = match Outcome::of(&simulated.verdict) {
        Outcome::Success => Counted::Passed,
        Outcome::Incomplete => Counted::Incomplete,
        Outcome::Errors | Outcome::Unusable => Counted::Failed,
    };
    let ok = counted == Counted::Passed;
    let checks = prepared.resolved.launch.expect.len();
    let failures = failures.iter().map(|failure| failure.message.as_str()).collect();
    let expect = (checks != 0).then_some(Checks { checks, failures });
    let options = simulated.report_options();
    let at = |statement| simulated.position(statement);
    let line = match arguments.full {
        true => {
            let run = Report::new(&prepared.resolved, result, &options, &at);
            line(&ResultLine { index, id, ok, expect, run })
        }
        false => {
            let run = Summary::new(&prepared.resolved, result, &options, &at);
            line(&ResultLine { index, id, ok, expect, run })
        }
    };
    Ended { line, counted }
}

/// The result of a launch that cannot be run.
pub(super) fn invalid(error: &str, index: u64, id: Option<&BatchId>) -> Ended {
    not_run("invalid", error, Counted::Invalid, index, id)
}

/// The result of a launch whose run panicked.
pub(super) fn internal_error(message: &str, index: u64, id: Option<&BatchId>) -> Ended {
    let message = format!("internal error: {message}; report it with the source and this launch");
    not_run("internal-error", &message, Counted::Failed, index, id)
}

fn not_run(status: &'static str, error: &str, counted: Counted, index: u64, id: Option<&BatchId>) -> Ended {
    let run = NotRun { status, error, findings: [], totals: None };
    Ended { line: line(&ResultLine { index, id, ok: false, expect: None, run }), counted }
}

fn line(result: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(result).expect("keys are strings");
    line.push(b'\n');
    line
}
