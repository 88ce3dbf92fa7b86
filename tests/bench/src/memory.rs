//! The server's memory after a file was opened and each feature was requested once.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::Client;
use crate::sample;

pub(crate) fn run(file: Option<PathBuf>) -> Result<()> {
    let Some(text) = sample::text(file)? else { return Ok(()) };
    let mut client = Client::start(&sample::server()?)?;
    client.open(1, &text)?;
    client.diagnostics(1)?;
    report(&client, &text, "open, with diagnostics")?;
    for (method, params) in features(&text) {
        client.ask(method, params).with_context(|| format!("{method} failed"))?;
    }
    report(&client, &text, "after every request")
}

/// The lines for which an editor requests semantic tokens: those in view, and some around them.
const LINES_IN_VIEW: usize = 200;

/// One request of each kind; positions are in an instruction in the middle.
fn features(text: &str) -> Vec<(&'static str, Value)> {
    let lines: Vec<&str> = text.lines().collect();
    let line = (lines.len() / 2..lines.len()).find(|&line| lines[line].contains("%r")).unwrap_or(0);
    let character = lines[line].find("%r").unwrap_or(0) + 1;
    let position = json!({ "line": line, "character": character });
    let whole =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": lines.len(), "character": 0 } });
    let view = json!({
        "start": { "line": line, "character": 0 },
        "end": { "line": line + LINES_IN_VIEW, "character": 0 },
    });
    let at = |extra: Value| {
        let mut params = json!({ "position": position });
        params.as_object_mut().expect("an object").extend(extra.as_object().cloned().unwrap_or_default());
        params
    };
    vec![
        ("textDocument/hover", at(json!({}))),
        ("textDocument/completion", at(json!({}))),
        ("textDocument/definition", at(json!({}))),
        ("textDocument/references", at(json!({ "context": { "includeDeclaration": true } }))),
        ("textDocument/documentHighlight", at(json!({}))),
        ("textDocument/prepareRename", at(json!({}))),
        ("textDocument/documentSymbol", json!({})),
        ("textDocument/foldingRange", json!({})),
        ("textDocument/codeLens", json!({})),
        ("textDocument/semanticTokens/full", json!({})),
        ("textDocument/semanticTokens/range", json!({ "range": view })),
        ("textDocument/inlayHint", json!({ "range": whole })),
    ]
}

fn report(client: &Client, text: &str, when: &str) -> Result<()> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.process_id()))
        .context("memory is read from /proc, so on Linux only")?;
    let kilobytes = |key: &str| -> Option<f64> {
        status.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix(" kB")?.parse().ok())
    };
    let ratio = |key| kilobytes(key).unwrap_or_default() * 1024.0 / text.len() as f64;
    println!(
        "{when:<26} text {:.1} MB: resident {:.1} x text, peak {:.1} x",
        text.len() as f64 / 1e6,
        ratio("VmRSS:"),
        ratio("VmHWM:")
    );
    Ok(())
}
