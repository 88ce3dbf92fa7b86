//! The lanes panel of a run as part of a page: the answers to the panel's requests, and the scripts that draw them.
//!
//! The page needs no server and no network. It shows one warp, with the registers and accesses of as many steps as fit.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};
use warplens_ide::lanes::json::Positions;
use warplens_ide::lanes::panel::{BufferRequest, MomentRequest, Page, Panel, PanelError, PanelQuery};
use warplens_panel::{SCRIPT, STYLE};
use warplens_sim_warp::{Control, FindingKind, Severity, WarpId};

use super::simulated::Simulated;
use crate::cli::plain::{NOT_IN_XML, is_hidden};

/// The limit of steps whose statements are listed.
const MAX_STEPS: u64 = 100_000;

/// The limit of the registers and accesses of steps in bytes.
const MAX_MOMENTS: usize = 900_000;

/// The limit of steps whose registers are recorded. Each of them repeats the run.
const MAX_RUNS: u64 = 1_500;

/// The limit of warp instructions of these runs together.
const MAX_WORK: u64 = 20_000_000;

/// The limit of listed findings.
const MAX_FINDINGS: usize = 200;

/// The limit of unexpected elements whose writers are found.
const MAX_WRITERS: usize = 32;

/// The panel as HTML, to be inserted into the body of a page; `None` if the run did not reach the warp.
pub(super) fn render(run: &Simulated, warp: Option<WarpId>) -> Option<String> {
    let data = data(run, warp.unwrap_or_else(|| run.interesting_warp())).ok()?;
    let data = in_page(&data.to_string());
    Some(format!(
        "<style>\n{STYLE}</style>\n<div id=\"warplens-panel\" role=\"region\" aria-label=\"Lanes panel\"></div>\n\
         <script type=\"application/json\" id=\"warplens-data\">{data}</script>\n<script>\n{SCRIPT}</script>\n"
    ))
}

/// JSON as part of a page: no text in it ends the element, and it has no character that a page cannot contain.
fn in_page(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        match char {
            '<' => out.push_str("\\u003c"),
            _ if is_hidden(char) || NOT_IN_XML.contains(&char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(char),
        }
    }
    out
}

fn data(run: &Simulated, warp: WarpId) -> Result<Value, PanelError> {
    let panel = Panel::new(run.prepared.clone(), run.result.clone());
    let at = |statement| run.position(statement);
    let at: Positions<'_> = &at;
    let query = PanelQuery { panel: &panel, warp, at, text: &|_| String::new(), control: Control::none() };
    let timeline = json!(query.timeline(Page::default())?);
    let steps = query.statements(MAX_STEPS)?;
    let ids = 0..run.prepared.statements.len() as u32;
    let lines = ids.map(|id| at(warplens_sim_warp::StatementId(id)).map(|position| position.line));
    let all = json!(query.buffers(&BufferRequest::default())?);
    let [pages, writers] = buffers(query, &all)?;
    let total = |key: &str| -> u64 {
        let counts = all["buffers"].as_array().into_iter().flatten();
        counts.filter_map(|buffer| buffer[key].as_u64()).sum()
    };
    Ok(json!({
        "header": header(run, warp, total("unexpected"), at),
        "lines": run.text.lines().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<_>>(),
        "timeline": timeline,
        "steps": steps,
        "statements": lines.collect::<Vec<_>>(),
        "moments": moments(query, &steps)?,
        "worst": json!(query.accesses(None)?)["worst"],
        "graph": json!(query.graph()?),
        "warps": json!(query.warps()?),
        "buffers": all,
        "pages": pages,
        "writers": writers,
    }))
}

fn header(run: &Simulated, warp: WarpId, unexpected: u64, at: Positions<'_>) -> Value {
    let launch = &run.prepared.resolved.launch;
    let size = |size: Option<[u32; 3]>| size.unwrap_or([1; 3]).map(|length| length.to_string()).join("×");
    let found = run.result.findings.iter().map(|finding| {
        let line = finding.statement.and_then(at).map(|position| position.line);
        let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
        json!({ "code": finding.kind.name(), "severity": severity, "message": finding.message, "line": line })
    });
    let failed = run.failures.iter().map(|failure| {
        let kind = FindingKind::ExpectFailed;
        let line = failure.writer.and_then(|store| at(store.statement)).map(|position| position.line);
        json!({ "code": kind.name(), "severity": kind.severity().as_str(), "message": failure.message, "line": line })
    });
    json!({
        "kernel": launch.entry.as_deref().unwrap_or_default(),
        "launch": launch.name,
        "shape": format!("<<<{}, {}>>>", size(launch.grid), size(launch.block)),
        "cta": warp.cta,
        "warp": warp.warp,
        "warps": run.prepared.warps(),
        "model": run.prepared.model.name(),
        "status": run.result.status.as_str(),
        "verdict": run.verdict.name(),
        "missing": run.verdict.missing().iter().map(|missing| missing.sentence()).collect::<Vec<_>>(),
        "outdated": false,
        "findings": found.chain(failed).take(MAX_FINDINGS).collect::<Vec<_>>(),
        "unexpected": unexpected,
    })
}

/// The registers and the accesses of steps: the last visit of each statement first, then the steps from the start.
fn moments(query: PanelQuery<'_>, steps: &[u32]) -> Result<Value, PanelError> {
    let last: BTreeMap<u32, u64> = steps.iter().copied().zip(0..).collect();
    let mut order: Vec<u64> = last.into_values().collect();
    let is_last: std::collections::BTreeSet<u64> = order.iter().copied().collect();
    order.extend((0..steps.len() as u64).filter(|step| !is_last.contains(step)));
    let work = query.panel.total_steps().max(1);
    let runs = MAX_RUNS.min((MAX_WORK / work / 4).max(16)) as usize;
    let (mut registers, mut accesses, mut bytes, mut count) = (Map::new(), Map::new(), 0, 0);
    for step in order.into_iter().take(runs) {
        let place = MomentRequest::Step(step);
        let Ok(found) = query.registers(place, &[], false) else { continue };
        let mut found = json!(found);
        if let Some(found) = found.as_object_mut() {
            found.remove("names");
            for row in found.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
                row.as_object_mut().and_then(|row| row.remove("bits"));
            }
        }
        let requests = json!(query.accesses(Some(place))?)["requests"].take();
        bytes += found.to_string().len() + requests.to_string().len();
        if bytes > MAX_MOMENTS {
            break;
        }
        count += 1;
        registers.insert(step.to_string(), found);
        if requests.as_array().is_some_and(|requests| !requests.is_empty()) {
            accesses.insert(step.to_string(), requests);
        }
    }
    Ok(json!({ "count": count, "registers": registers, "accesses": accesses }))
}

/// The first page of each buffer, and the writers of unexpected elements. `all` is the list of buffers.
fn buffers(query: PanelQuery<'_>, all: &Value) -> Result<[Map<String, Value>; 2], PanelError> {
    let (mut pages, mut writers) = (Map::new(), Map::new());
    for buffer in all["buffers"].as_array().into_iter().flatten() {
        let name = buffer["name"].as_str().unwrap_or_default();
        let request = BufferRequest { name: Some(name.to_owned()), ..BufferRequest::default() };
        let page = json!(query.buffers(&request)?)["page"].take();
        for index in page["unexpected"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            if writers.len() < MAX_WRITERS {
                let request = BufferRequest { element: Some(index), ..request.clone() };
                let element = json!(query.buffers(&request)?)["element"].take();
                writers.insert(format!("{name} {index}"), element);
            }
        }
        pages.insert(name.to_owned(), page);
    }
    Ok([pages, writers])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_a_page_is_the_same_data() {
        let data = json!("</script>\u{85}\u{ffff}\u{202e}\u{7f}é");
        let text = in_page(&data.to_string());
        assert_eq!(text, r#""\u003c/script>\u0085\uffff\u202e\u007fé""#);
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), data);
    }
}
