//! A language client on the server's standard input and output, which records when each message arrived.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// The only document, which is measured.
pub(crate) const URI: &str = "file:///bench/sample.ptx";

pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<(Instant, Value)>,
    /// Messages that arrived while the client waited for another one.
    waiting: VecDeque<(Instant, Value)>,
    next_id: i64,
}

impl Client {
    /// Starts the server and performs the handshake, as a client without pull diagnostics.
    pub(crate) fn start(server: &Path) -> Result<Client> {
        let mut child = Command::new(server)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", server.display()))?;
        let input = child.stdin.take().context("the server has no input")?;
        let mut output =
            BufReader::with_capacity(1 << 20, child.stdout.take().context("the server has no output")?);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(message)) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Client { child, input, messages, waiting: VecDeque::new(), next_id: 0 };
        let capabilities = json!({ "textDocument": { "publishDiagnostics": { "versionSupport": true } } });
        client.request(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": { "runProgress": true } }),
        )?;
        client.notify("initialized", json!({}))?;
        Ok(client)
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn open(&mut self, version: i32, text: &str) -> Result<Instant> {
        let language = if text.contains("\n.kernel ") { "wave-asm" } else { "ptx" };
        let document = json!({ "uri": URI, "languageId": language, "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
    }

    pub(crate) fn close(&mut self) -> Result<Instant> {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }))
    }

    /// Replaces `range` (line, character, line, character). Returns the time just before the message was
    /// sent.
    pub(crate) fn change(&mut self, version: i32, range: [u32; 4], text: &str) -> Result<Instant> {
        let [line, character, end_line, end_character] = range;
        let range = json!({
            "start": { "line": line, "character": character },
            "end": { "line": end_line, "character": end_character },
        });
        let document = json!({ "uri": URI, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "range": range, "text": text }] }),
        )
    }

    /// The diagnostics published for `version`, and when they arrived.
    pub(crate) fn diagnostics(&mut self, version: i32) -> Result<(Instant, Vec<Value>)> {
        let (time, message) = self.wait_for(&format!("the diagnostics of version {version}"), |message| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version
        })?;
        let list = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
        Ok((time, list))
    }

    /// The result of a request, and how long it took.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<(Duration, Value)> {
        let start = Instant::now();
        match self.answer(method, params)? {
            (time, Ok(result)) => Ok((time - start, result)),
            (_, Err(error)) => bail!("{method} failed: {error}"),
        }
    }

    /// The result or error of a request, and when it arrived.
    pub(crate) fn answer(&mut self, method: &str, params: Value) -> Result<(Instant, Result<Value, Value>)> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let (time, mut message) =
            self.wait_for(method, |message| message["id"] == id && message.get("method").is_none())?;
        let answer = match message.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(message["result"].take()),
        };
        Ok((time, answer))
    }

    /// The time of the first unread `warplens/runProgress` that matches.
    pub(crate) fn run_progress(&mut self, fits: impl Fn(&Value) -> bool) -> Result<Instant> {
        let is_it = |message: &Value| {
            message["method"] == "warplens/runProgress" && fits(&message["params"]["running"])
        };
        Ok(self.wait_for("the progress of the run", is_it)?.0)
    }

    /// Drops the messages that nothing waited for.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// Sends a request about the document.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> Result<(Duration, Value)> {
        params["textDocument"] = json!({ "uri": URI });
        self.request(method, params)
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) -> Result<Instant> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    fn send(&mut self, message: &Value) -> Result<Instant> {
        let body = serde_json::to_vec(message)?;
        let start = Instant::now();
        write!(self.input, "Content-Length: {}\r\n\r\n", body.len())?;
        self.input.write_all(&body)?;
        self.input.flush()?;
        Ok(start)
    }

    /// The first matching message. Meanwhile, requests of the server are answered with null.
    fn wait_for(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Result<(Instant, Value)> {
        if let Some(index) = self.waiting.iter().position(|(_, message)| fits(message)) {
            return Ok(self.waiting.remove(index).expect("the index was just found"));
        }
        loop {
            let (time, message) =
                self.messages.recv_timeout(PATIENCE).with_context(|| format!("no answer: {what}"))?;
            if fits(&message) {
                return Ok((time, message));
            }
            if message.get("id").is_some() && message.get("method").is_some() {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": null });
                self.send(&answer)?;
            } else if message["method"] != "window/logMessage" {
                self.waiting.push_back((time, message));
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next message, and when its last byte arrived: the time that the client needs after that is not the
/// server's.
fn read_message(output: &mut impl BufRead) -> Result<Option<(Instant, Value)>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim().split_once(':') {
            Some(("Content-Length", value)) => length = value.trim().parse()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body)?;
    let arrived = Instant::now();
    Ok(Some((arrived, serde_json::from_slice(&body)?)))
}
