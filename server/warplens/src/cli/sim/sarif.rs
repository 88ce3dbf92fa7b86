//! `sim --format sarif`: the findings of each run and its verdict.

use serde_json::{Value, json};
use warplens_sim_warp::{Finding, FindingKind, Severity, StatementId};

use super::simulated::Simulated;
use crate::cli::outcome::Outcome;
use crate::cli::sarif::{Run, location, uri};

/// The run of a kernel. Its properties have the launch, the verdict and what is missing; what is missing is also a notification, so
/// that a run without results that shows too little does not pass.
pub(super) fn run(simulated: &Simulated) -> Value {
    let mut run = Run::default();
    let uri = uri(&simulated.path);
    for finding in &simulated.result.findings {
        let Finding { kind, severity, message, statement, .. } = finding;
        let mut result = result(&mut run, *kind, *severity, message);
        let related = finding.related.iter().filter_map(|related| {
            let mut place = place(simulated, &uri, related.statement)?;
            place["message"] = json!({ "text": related.message });
            Some(place)
        });
        let at = statement.and_then(|statement| place(simulated, &uri, statement));
        result["locations"] = json!([at.unwrap_or_else(|| file(&uri))]);
        result["relatedLocations"] = related.collect();
        run.results.push(result);
    }
    for failure in &simulated.failures {
        let kind = FindingKind::ExpectFailed;
        let mut result = result(&mut run, kind, kind.severity(), &failure.message);
        let at = failure.writer.and_then(|store| place(simulated, &uri, store.statement));
        result["locations"] = json!([at.unwrap_or_else(|| file(&uri))]);
        run.results.push(result);
    }
    let verdict = &simulated.verdict;
    run.notifications.extend(verdict.missing().iter().map(|missing| {
        json!({
            "level": "warning",
            "descriptor": { "id": missing.name() },
            "message": { "text": missing.sentence() },
            "locations": [file(&uri)],
        })
    }));
    let launch = &simulated.prepared.resolved.launch;
    let reasons: Vec<_> = verdict.missing().iter().map(|missing| missing.name()).collect();
    let properties = json!({
        "entry": launch.entry,
        "launch": launch.name,
        "verdict": verdict.name(),
        "reasons": reasons,
    });
    run.ended(Outcome::of(verdict), &properties)
}

/// A result without its location.
fn result(run: &mut Run, kind: FindingKind, severity: Severity, message: &str) -> Value {
    let rule = run.rule(kind.name(), || {
        crate::cli::sarif::rule(kind.name(), kind.summary(), kind.page(), level(kind.severity()))
    });
    json!({
        "ruleId": kind.name(),
        "ruleIndex": rule,
        "level": level(severity),
        "message": { "text": message },
    })
}

fn place(simulated: &Simulated, uri: &str, statement: StatementId) -> Option<Value> {
    let range = simulated.prepared.statements.get(statement.index())?.opcode;
    Some(location(uri, &simulated.text, range))
}

/// The whole file.
fn file(uri: &str) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri } } })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "note",
    }
}
