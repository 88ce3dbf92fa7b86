//! `test --format json`: one object for each launch. The keys are documented in docs/cli.md.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use warplens_ide::lanes::{Explored, Missing, VERDICTS};

use super::case::{Case, End};

/// A launch with checks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tested<'c> {
    path: &'c str,
    /// The kernel and the launch.
    name: &'c str,
    ok: bool,
    /// Absent if the launch cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = VERDICTS))]
    verdict: Option<&'static str>,
    /// The evidence that the run lacks.
    #[schemars(with = "Vec<Missing>")]
    reasons: Vec<&'static str>,
    /// The checks that failed, the errors and the warnings.
    failures: &'c [String],
    /// The checks that passed, and the schedules under which they did.
    #[serde(flatten)]
    passed: Option<Passed>,
    /// Why the launch cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'c str>,
}

#[derive(Serialize, JsonSchema)]
struct Passed {
    checks: usize,
    #[serde(flatten)]
    explored: Explored,
}

pub(super) fn line(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let Case { path, name, end } = case;
    let any = Tested {
        path,
        name,
        ok: false,
        verdict: None,
        reasons: Vec::new(),
        failures: &[],
        passed: None,
        error: None,
    };
    let tested = match end {
        End::Passed { checks, explored } => {
            let passed = Some(Passed { checks: *checks, explored: *explored });
            Tested { ok: true, verdict: Some("clean"), passed, ..any }
        }
        End::Failed(failures) => Tested { verdict: Some("findings"), failures, ..any },
        End::Incomplete(verdict) => {
            let reasons = verdict.missing().iter().map(|missing| missing.name()).collect();
            Tested { verdict: Some(verdict.name()), reasons, ..any }
        }
        End::Invalid(problem) => Tested { error: Some(problem), ..any },
    };
    serde_json::to_writer(&mut *out, &tested)?;
    out.write_all(b"\n")
}
