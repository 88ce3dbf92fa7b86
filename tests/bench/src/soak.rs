//! One server that does the work of an editor for a long time: documents of all languages are opened, typed into, queried, run
//! and closed. The table shows the server's memory during the work, which depends on the open documents and their runs, and
//! without open documents, when it must not grow.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::client::Client;
use crate::memory::resident;
use crate::sample;

/// The number of documents that are open at a time.
const OPEN: usize = 5;

const ROWS: u32 = 20;

/// The largest text, in bytes.
const MAX_BYTES: u64 = 500_000;

/// The maximum number of warp instructions in a run, so that runs are short.
const MAX_STEPS: u32 = 200_000;

/// How much the mean memory without documents may grow from the second quarter to the last. The first quarter fills caches.
const GROWTH: f64 = 0.10;

pub(crate) fn run(minutes: u64, seed: Option<u64>) -> Result<()> {
    let seed = seed.unwrap_or_else(|| fastrand::u64(..) >> 16);
    let texts = texts()?;
    println!("{} texts; --seed {seed} repeats the work", texts.len());
    let client = Client::start(&sample::server()?)?;
    let mut soak =
        Soak { client, rng: Rng::with_seed(seed), open: VecDeque::new(), counts: Counts::default() };
    soak.client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "warplens": { "simulation": { "maxSteps": MAX_STEPS } } } }),
    )?;

    println!(
        "{:>8} {:>10} {:>10} {:>10} {:>8} {:>9} {:>9}",
        "minutes", "documents", "edits", "requests", "runs", "working", "closed"
    );
    let (start, whole) = (Instant::now(), Duration::from_secs(minutes * 60));
    let mut rows = Vec::new();
    for row in 1..=ROWS {
        let (mut sum, mut samples) = (0.0, 0.0);
        while start.elapsed() < whole * row / ROWS {
            soak.visit(&texts)?;
            sum += resident(soak.client.process_id())?;
            samples += 1.0;
        }
        soak.close_all()?;
        let (working, closed) = (sum / f64::max(samples, 1.0), resident(soak.client.process_id())?);
        rows.push(closed);
        let Counts { documents, edits, requests, runs } = soak.counts;
        let elapsed = start.elapsed().as_secs_f64() / 60.0;
        println!(
            "{elapsed:>8.1} {documents:>10} {edits:>10} {requests:>10} {runs:>8} {working:>6.1} MB {closed:>6.1} MB"
        );
    }
    let mean = |rows: &[f64]| rows.iter().sum::<f64>() / rows.len() as f64;
    let quarter = rows.len() / 4;
    let growth = mean(&rows[3 * quarter..]) / mean(&rows[quarter..2 * quarter]) - 1.0;
    println!("memory without documents, last quarter against the second: {:+.1} %", growth * 100.0);
    ensure!(growth <= GROWTH, "the server's memory grows");
    Ok(())
}

/// A text, and the protocol's id of its language.
struct Text {
    language: &'static str,
    text: String,
}

/// The examples, and the files of the corpora if present.
fn texts() -> Result<Vec<Text>> {
    let mut paths = Vec::new();
    collect(&sample::root().join("examples"), &mut paths)?;
    collect(&sample::root().join("../shared/corpus"), &mut paths)?;
    paths.sort();
    let text =
        |path: PathBuf| Some(Text { language: language(&path)?, text: std::fs::read_to_string(&path).ok()? });
    Ok(paths.into_iter().filter_map(text).collect())
}

fn language(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()? {
        "ptx" => Some("ptx"),
        "wave" => Some("wave-asm"),
        "sass" => Some("cuda-sass"),
        _ => None,
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, paths)?;
        } else if language(&path).is_some() && entry.metadata()?.len() <= MAX_BYTES {
            paths.push(path);
        }
    }
    Ok(())
}

/// The number of actions so far.
#[derive(Default, Clone, Copy)]
struct Counts {
    documents: u64,
    edits: u64,
    requests: u64,
    runs: u64,
}

struct Document {
    uri: String,
    version: u32,
    lines: Vec<String>,
}

impl Document {
    fn id(&self) -> Value {
        json!({ "uri": self.uri })
    }

    fn range(&self) -> Value {
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": self.lines.len(), "character": 0 } })
    }
}

struct Soak {
    client: Client,
    rng: Rng,
    open: VecDeque<Document>,
    counts: Counts,
}

impl Soak {
    /// Opens a document or returns to one: the user reads, types, reads again, and perhaps runs it.
    fn visit(&mut self, texts: &[Text]) -> Result<()> {
        self.client.forget();
        if self.open.len() < OPEN || self.rng.u8(..3) == 0 {
            let text = &texts[self.rng.usize(..texts.len())];
            self.open(text)?;
        }
        let at = self.rng.usize(..self.open.len());
        let mut document = self.open.swap_remove_back(at).expect("the index is one of the open documents");
        let result = self.work(&mut document);
        self.open.push_back(document);
        result
    }

    fn open(&mut self, text: &Text) -> Result<()> {
        if self.open.len() == OPEN
            && let Some(oldest) = self.open.pop_front()
        {
            self.client.notify("textDocument/didClose", json!({ "textDocument": oldest.id() }))?;
        }
        self.counts.documents += 1;
        let uri = format!("file:///soak/{}.{}", self.counts.documents, text.language);
        let item = json!({ "uri": uri, "languageId": text.language, "version": 1, "text": text.text });
        self.client.notify("textDocument/didOpen", json!({ "textDocument": item }))?;
        let lines = text.text.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect();
        self.open.push_back(Document { uri, version: 1, lines });
        Ok(())
    }

    /// Closes every document, and waits until the server has done so.
    fn close_all(&mut self) -> Result<()> {
        for document in std::mem::take(&mut self.open) {
            self.client.notify("textDocument/didClose", json!({ "textDocument": document.id() }))?;
        }
        let _ = self.client.answer("workspace/symbol", json!({ "query": "" }))?;
        Ok(())
    }

    fn work(&mut self, document: &mut Document) -> Result<()> {
        self.read(document)?;
        self.type_line(document)?;
        self.read(document)?;
        if self.rng.u8(..4) == 0 {
            self.run_launch(document)?;
        }
        Ok(())
    }

    /// Requests what an editor requests when a document becomes visible and the pointer rests on a word.
    fn read(&mut self, document: &Document) -> Result<()> {
        let line = self.rng.usize(..document.lines.len());
        let units = document.lines[line].encode_utf16().count();
        let position = json!({ "line": line, "character": self.rng.usize(..=units) });
        let range = document.range();
        self.ask(document, "textDocument/semanticTokens/full", json!({}))?;
        self.ask(document, "textDocument/codeLens", json!({}))?;
        self.ask(document, "textDocument/inlayHint", json!({ "range": range }))?;
        self.ask(document, "textDocument/hover", json!({ "position": position }))?;
        self.ask(document, "textDocument/completion", json!({ "position": position }))?;
        self.ask(document, "textDocument/definition", json!({ "position": position }))?;
        self.ask(document, "textDocument/documentHighlight", json!({ "position": position }))?;
        let context = json!({ "includeDeclaration": true });
        self.ask(document, "textDocument/references", json!({ "position": position, "context": context }))?;
        self.ask(document, "textDocument/documentSymbol", json!({}))?;
        Ok(())
    }

    /// Types a copy of a line below another one, character by character, and half of the time deletes it
    /// again.
    fn type_line(&mut self, document: &mut Document) -> Result<()> {
        let line = document.lines[self.rng.usize(..document.lines.len())].clone();
        let at = self.rng.usize(..document.lines.len());
        let end = document.lines[at].encode_utf16().count();
        self.change(document, [at, end, at, end], "\n")?;
        let mut typed = 0;
        for character in line.chars().take(60) {
            self.change(document, [at + 1, typed, at + 1, typed], &character.to_string())?;
            typed += character.len_utf16();
        }
        if self.rng.bool() {
            self.change(document, [at, end, at + 1, typed], "")
        } else {
            document.lines.insert(at + 1, line.chars().take(60).collect());
            Ok(())
        }
    }

    fn change(&mut self, document: &mut Document, range: [usize; 4], text: &str) -> Result<()> {
        self.counts.edits += 1;
        document.version += 1;
        let [line, character, end_line, end_character] = range;
        let range = json!({
            "start": { "line": line, "character": character },
            "end": { "line": end_line, "character": end_character },
        });
        let id = json!({ "uri": document.uri, "version": document.version });
        let changes = json!([{ "range": range, "text": text }]);
        self.client
            .notify("textDocument/didChange", json!({ "textDocument": id, "contentChanges": changes }))?;
        Ok(())
    }

    /// Runs the first launch of a document, requests its lanes and the panel, and half of the time stops showing
    /// them.
    fn run_launch(&mut self, document: &Document) -> Result<()> {
        if !self.select(json!({ "uri": document.uri }))? {
            return Ok(());
        }
        self.counts.runs += 1;
        for method in [
            "warplens/laneMasks",
            "warplens/warps",
            "warplens/timeline",
            "warplens/buffers",
            "warplens/graph",
        ] {
            self.ask(document, method, json!({}))?;
        }
        self.read(document)?;
        if self.rng.bool() {
            self.select(json!({ "uri": document.uri, "launch": null }))?;
        }
        Ok(())
    }

    /// Whether the server accepted this selection of a launch.
    fn select(&mut self, selection: Value) -> Result<bool> {
        self.counts.requests += 1;
        let arguments = json!({ "command": "warplens.selectLaunch", "arguments": [selection] });
        let (_, answer) = self.client.answer("workspace/executeCommand", arguments)?;
        Ok(answer.is_ok())
    }

    /// Sends a request about a document. An error is also an answer, for example if the run does not have the
    /// requested step.
    fn ask(&mut self, document: &Document, method: &str, mut params: Value) -> Result<()> {
        self.counts.requests += 1;
        params["textDocument"] = document.id();
        let _ = self.client.answer(method, params)?;
        Ok(())
    }
}
