//! The server's memory after a file was opened and each feature was requested once.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

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
    thread::sleep(PAUSE);
    report(&client, &text, "after a pause")?;
    for (method, params) in features(&text) {
        client.ask(method, params).with_context(|| format!("{method} failed"))?;
    }
    report(&client, &text, "after every request")?;
    thread::sleep(PAUSE);
    report(&client, &text, "after a pause")
}

/// The server returns freed memory to the system after a few idle seconds.
const PAUSE: Duration = Duration::from_secs(8);

/// The number of lines for which an editor requests semantic tokens: those in view, and some around them.
const LINES_IN_VIEW: usize = 200;

/// One request of each kind, at an instruction in the middle.
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
    let size = text.len() as f64 / 1e6;
    let id = client.process_id();
    let resident = resident(id)?;
    println!(
        "{when:<26} text {size:.1} MB: resident {resident:.1} MB ({:.1} x text), peak {:.1} x",
        resident / size,
        megabytes(id, "VmHWM:")? / size
    );
    Ok(())
}

/// Prints the memory of the server.
pub(crate) fn report_sizes(client: &Client) -> Result<()> {
    let id = client.process_id();
    let (resident, peak) = (resident(id)?, megabytes(id, "VmHWM:")?);
    println!("  memory of the server: resident {resident:.0} MB, peak {peak:.0} MB");
    Ok(())
}

/// The resident memory of a process, in megabytes.
pub(crate) fn resident(process: u32) -> Result<f64> {
    megabytes(process, "VmRSS:")
}

fn megabytes(process: u32, key: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))
        .context("memory is read from /proc, so on Linux only")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix(" kB"));
    let kilobytes: f64 = line.context("the process has ended")?.parse()?;
    Ok(kilobytes * 1024.0 / 1e6)
}
