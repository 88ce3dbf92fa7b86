//! The corpus of tensor instructions: cases with expected bytes, bugs and their corrected twins, and the time per tile.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_ide::{AnalysisHost, FileId};
use warplens_sim_warp::{Checks, Control, RunOptions, Severity, Status};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder with `cases.json` and `bugs`.
    #[arg(default_value = "../shared/corpus/ptx-tensor")]
    folder: PathBuf,
    /// Only the cases and bugs with this text in their name.
    #[arg(long, default_value = "")]
    only: String,
    /// Does not measure the time of a tile.
    #[arg(long)]
    untimed: bool,
}

/// How a launch ended.
struct Outcome {
    /// Why the results are wrong, if they are.
    failure: Option<String>,
    /// The findings other than information: name, line (from 1), first line of the message.
    findings: Vec<(String, usize, String)>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let list = |file: &str| -> Result<Vec<Value>> {
        let path = options.folder.join(file);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let all: Vec<Value> = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        Ok(all.into_iter().filter(|one| text_of(one, "id").contains(&options.only)).collect())
    };
    let (cases, bugs) = (list("cases.json")?, list("bugs/bugs.json")?);
    let (mut right, mut found, mut findings) = (0, 0, 0);
    for case in &cases {
        right += usize::from(is_right(&options.folder, case, &mut findings)?);
    }
    for bug in &bugs {
        found += usize::from(is_found(&options.folder.join("bugs"), bug, &mut findings)?);
    }
    println!("{right}/{} cases", cases.len());
    println!("{found}/{} bugs", bugs.len());
    println!("{findings} findings");
    if !options.untimed {
        for case in cases.iter().filter(|case| text_of(case, "id").starts_with("tile_")) {
            println!("tile {}: {:.2} ms", text_of(case, "id"), tile_time(&options.folder, case)?);
        }
    }
    if right != cases.len() || found != bugs.len() || findings != 0 {
        bail!("the corpus is not right");
    }
    Ok(())
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Whether a case has its expected bytes, with late and with eager completion. Adds its findings.
fn is_right(folder: &Path, case: &Value, findings: &mut usize) -> Result<bool> {
    let mut right = true;
    for eager in [false, true] {
        let launch = launch(case, &case["block"], &case["expect"])?;
        let outcome = execute(&folder.join(text_of(case, "ptx")), case, &launch, eager)?;
        right &= outcome.failure.is_none();
        *findings += report(text_of(case, "id"), &outcome);
        if let Some(failure) = outcome.failure {
            println!("    {} (eager: {eager}): {failure}", text_of(case, "id"));
        }
    }
    Ok(right)
}

/// Whether a run shows one of the bug's findings on one of its lines. Adds the findings of the corrected
/// twin.
fn is_found(folder: &Path, bug: &Value, findings: &mut usize) -> Result<bool> {
    let id = text_of(bug, "id");
    let wrong = launch(bug, &bug["block"], &json!([]))?;
    let outcome = execute(&folder.join(text_of(bug, "ptx")), bug, &wrong, false)?;
    let named = |name: &str| bug["findings"].as_array().into_iter().flatten().any(|wanted| wanted == name);
    let placed = |line: usize| bug["lines"].as_array().into_iter().flatten().any(|wanted| wanted == line);
    let found = outcome.findings.iter().any(|(name, line, _)| named(name) && placed(*line));
    if !found {
        println!("    {id}: not found; {}", outcome.failure.unwrap_or_default());
        outcome.findings.iter().for_each(|(name, line, text)| println!("        {line} {name} {text}"));
    }
    let corrected = launch(bug, &bug["twin_block"], &bug["twin_expect"])?;
    let outcome = execute(&folder.join(text_of(bug, "twin")), bug, &corrected, false)?;
    *findings += report(&format!("{id}, twin"), &outcome);
    if let Some(failure) = &outcome.failure {
        println!("    {id}, twin: {failure}");
    }
    Ok(found && outcome.failure.is_none())
}

fn report(id: &str, outcome: &Outcome) -> usize {
    for (name, line, text) in &outcome.findings {
        println!("    {id}: {line} {name} {text}");
    }
    outcome.findings.len()
}

/// Milliseconds per tile, with checks, computed from runs with 1 and with 201 tiles.
fn tile_time(folder: &Path, case: &Value) -> Result<f64> {
    let time = |tiles: u32| -> Result<f64> {
        let mut case = case.clone();
        for param in case["params"].as_array_mut().into_iter().flatten() {
            if param["name"] == "n" {
                param["value"] = json!(tiles);
            }
        }
        let launch = launch(&case, &case["block"], &json!([]))?;
        let start = Instant::now();
        execute(&folder.join(text_of(&case, "ptx")), &case, &launch, false)?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    time(1)?;
    Ok((time(201)? - time(1)?) / 200.0)
}

/// The launch of a case, as JSON.
fn launch(case: &Value, block: &Value, expect: &Value) -> Result<Value> {
    let params = case["params"].as_array().context("params")?;
    let argument = |param: &Value| -> Result<Value> {
        let name = &param["name"];
        Ok(match text_of(param, "kind") {
            "scalar" => json!({ "name": name, text_of(param, "type"): param["value"] }),
            "alias" => json!({ "name": name, "alias": params[index(&param["of"])]["name"] }),
            "tensormap" => {
                let map = &case["tensormaps"][index(&param["tensormap"])];
                json!({ "name": name, "tensormap": tensor_map(map, params) })
            }
            "multimem" => {
                let replicas = param["replicas_hex"].as_array().context("replicas")?;
                let replicas: Vec<Value> = replicas.iter().map(|bytes| json!({ "bytes": bytes })).collect();
                let (element, len) = (&param["type"], &param["count"]);
                json!({ "name": name, "multimem": { "buffer": element, "len": len, "replicas": replicas } })
            }
            _ => {
                let mut buffer = buffer(param);
                buffer["name"] = name.clone();
                buffer
            }
        })
    };
    let args = params.iter().map(argument).collect::<Result<Vec<Value>>>()?;
    let expected = |expect: &Value| {
        let param = &params[index(&expect["param"])];
        let name = match expect["replica"].as_u64() {
            Some(replica) => format!("{}#{replica}", text_of(param, "name")),
            None => text_of(param, "name").to_owned(),
        };
        match text_of(expect, "compare") {
            "close" => {
                json!({ "name": name, "tolerance": expect["atol"], "values": singles(text_of(expect, "hex")) })
            }
            _ => json!({ "name": name, "bytes": expect["hex"] }),
        }
    };
    let expect: Vec<Value> = expect.as_array().into_iter().flatten().map(expected).collect();
    let mut launch = json!({ "name": "case", "entry": case["kernel"], "grid": case["grid"], "block": block,
        "dynamic_shared": case["dynamic_shared_bytes"].as_u64().unwrap_or(0), "args": args, "expect": expect });
    if let Some(cluster) = case.get("cluster") {
        launch["cluster"] = if cluster.is_array() { cluster.clone() } else { json!([cluster]) };
    }
    if let Some(writes) = case["prerequisite_writes"].as_array() {
        let names = writes.iter().map(|param| match param.as_u64() {
            Some(index) => params[index as usize]["name"].clone(),
            None => param.clone(),
        });
        launch["prerequisite_writes"] = names.collect();
    }
    Ok(launch)
}

fn index(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

fn buffer(of: &Value) -> Value {
    let mut buffer = json!({ "buffer": of["type"] });
    match of["init_hex"].as_str() {
        Some(bytes) => buffer["bytes"] = json!(bytes),
        None => buffer["len"] = of["count"].clone(),
    }
    buffer
}

fn tensor_map(map: &Value, params: &[Value]) -> Value {
    let mut out = serde_json::Map::new();
    for (key, value) in map.as_object().into_iter().flatten() {
        let value = match key.as_str() {
            "param" => continue,
            "buffer" => match value.get("of") {
                Some(of) => params[index(of)]["name"].clone(),
                None => buffer(value),
            },
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    Value::Object(out)
}

/// The single-precision numbers in hex digits.
fn singles(hex: &str) -> Vec<f64> {
    let digits = hex.as_bytes().chunks_exact(8).filter_map(|digits| std::str::from_utf8(digits).ok());
    let bits = digits.filter_map(|digits| u32::from_str_radix(digits, 16).ok());
    bits.map(|bits| f32::from_bits(bits.swap_bytes()).into()).collect()
}

fn execute(path: &Path, case: &Value, launch: &Value, eager: bool) -> Result<Outcome> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, &text);
    let failed = |failure: String| Ok(Outcome { failure: Some(failure), findings: Vec::new() });
    let choice = match Choice::from_json(&launch.to_string()) {
        Ok(choice) => choice,
        Err(problem) => return failed(problem.message),
    };
    let request = RunRequest {
        entry: case["kernel"].as_str().map(str::to_owned),
        launch: choice,
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunOptions { checks: Checks::ALL, eager, ..RunOptions::default() },
    };
    let no_files = |_: &str| Err(String::from("the launch has no files").into());
    let prepared = match host.snapshot().prepare_run(FileId(0), &request, None, &no_files)? {
        Ok(prepared) => prepared,
        Err(problem) => return failed(problem.to_string()),
    };
    let Ok(result) = prepared.run(Control::none()) else { return failed("cancelled".to_owned()) };
    let line = |statement: warplens_sim_warp::StatementId| {
        let range = prepared.statements.get(statement.0 as usize).map(|statement| statement.range);
        range.map_or(0, |range| 1 + text[..usize::from(range.start())].matches('\n').count())
    };
    let reported = result.findings.iter().filter(|finding| finding.severity != Severity::Information);
    let findings = reported
        .map(|finding| {
            let title = finding.message.lines().next().unwrap_or_default().to_owned();
            (finding.kind.to_string(), finding.statement.map_or(0, line), title)
        })
        .collect();
    let mut failure = prepared.resolved.failures(&result).first().map(|failure| failure.message.clone());
    if result.status != Status::Finished {
        failure = Some(format!("the run ended with {}", result.status.as_str()));
    }
    Ok(Outcome { failure, findings })
}
