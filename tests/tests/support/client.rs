//! A client of the language server. Each method sends a message or waits for one.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::{Value, json};

use super::line::Line;
use super::source::{File, FilePosition, utf16};

/// How long to wait for a server that does not respond. Tests only wait this long if they fail.
const PATIENCE: Duration = Duration::from_secs(120);

/// The client. While it waits, it answers requests of the server.
pub struct Client {
    pub line: Line,
    next_id: i64,
    answers: HashMap<i64, Result<Value, Value>>,
    /// Unread notifications of the server.
    notifications: VecDeque<(String, Value)>,
    /// The methods of the server's requests, in order.
    pub asked: Vec<String>,
    /// The capabilities in the answer to `initialize`.
    pub capabilities: Value,
    settings: Value,
    width: fn(&str) -> u32,
}

/// What a client declares to the server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its capabilities.
    pub capabilities: Value,
    pub initialization: Value,
    /// Its answer to `workspace/configuration`.
    pub settings: Value,
    pub process_id: Option<u32>,
}

impl Default for Options {
    /// An editor with all capabilities, such as VS Code.
    fn default() -> Options {
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-16"] },
            "window": { "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "workspaceEdit": { "documentChanges": true },
                "diagnostics": { "refreshSupport": true },
                "inlayHint": { "refreshSupport": true },
                "codeLens": { "refreshSupport": true },
                "didChangeWatchedFiles": { "dynamicRegistration": true },
                "didChangeConfiguration": { "dynamicRegistration": true },
            },
            "textDocument": {
                "hover": { "contentFormat": ["markdown"] },
                "completion": { "completionItem": { "snippetSupport": true } },
                "definition": { "linkSupport": true },
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "publishDiagnostics": { "relatedInformation": true },
                "diagnostic": {},
                "codeAction": {
                    "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source"] } },
                },
            },
        });
        Options { capabilities, initialization: Value::Null, settings: Value::Null, process_id: None }
    }
}

impl Options {
    /// An editor that offers UTF-8.
    pub fn utf8() -> Options {
        let mut options = Options::default();
        options.capabilities["general"]["positionEncodings"] = json!(["utf-8", "utf-16"]);
        options
    }

    /// An editor with minimal capabilities, to which diagnostics are published.
    pub fn plain() -> Options {
        Options { capabilities: json!({}), ..Options::default() }
    }
}

impl Client {
    /// A client of a server in this process.
    pub fn start() -> Client {
        Client::with(Line::memory(), &Options::default())
    }

    /// A client with these options, of a server in this process.
    pub fn with_options(options: &Options) -> Client {
        Client::with(Line::memory(), options)
    }

    /// A client of a server that is a separate process.
    pub fn stdio() -> Client {
        Client::with(Line::process(), &Options::default())
    }

    pub fn with(line: Line, options: &Options) -> Client {
        let mut client = Client::silent(line);
        client.settings = options.settings.clone();
        let answer = client.request(
            "initialize",
            json!({
                "processId": options.process_id,
                "rootUri": null,
                "capabilities": options.capabilities,
                "initializationOptions": options.initialization,
            }),
        );
        client.capabilities = answer["capabilities"].clone();
        if client.capabilities["positionEncoding"] == "utf-8" {
            client.width = |text| text.len() as u32;
        }
        client.notify("initialized", json!({}));
        client
    }

    /// A client that has not sent anything yet.
    pub fn silent(line: Line) -> Client {
        Client {
            line,
            next_id: 0,
            answers: HashMap::new(),
            notifications: VecDeque::new(),
            asked: vec![],
            capabilities: Value::Null,
            settings: Value::Null,
            width: utf16,
        }
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.line.send(message.to_string().as_bytes());
    }

    /// Sends a request without waiting; [`Client::wait`] returns the answer.
    pub fn send(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.line.send(message.to_string().as_bytes());
        self.next_id
    }

    /// The result or error of a request.
    pub fn wait(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            self.receive();
        }
    }

    /// Sends a request and waits for its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.wait(id).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Whether the received messages include the response to a request.
    pub fn is_answered(&self, id: i64) -> bool {
        self.answers.contains_key(&id)
    }

    /// The next notification of this method.
    pub fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.notifications.iter().position(|(name, _)| name == method) {
                return self.notifications.remove(at).expect("it was just seen").1;
            }
            self.receive();
        }
    }

    /// Waits until the server has sent a request with this method.
    pub fn wait_until_asked(&mut self, method: &str) {
        while !self.asked.iter().any(|asked| asked == method) {
            self.receive();
        }
    }

    /// The next message of any kind, including an answer to no request.
    pub fn receive_raw(&mut self) -> Value {
        match self.line.from_server.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("the server does not respond"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server has ended"),
        }
    }

    fn receive(&mut self) {
        let mut message = self.receive_raw();
        let method = message["method"].as_str().map(str::to_owned);
        match (method, message["id"].clone()) {
            (Some(method), Value::Null) => self.notifications.push_back((method, message["params"].take())),
            (Some(method), id) => self.answer(&method, id, &message["params"]),
            (None, id) => {
                let id = id.as_i64().unwrap_or_else(|| panic!("an answer to nothing: {message}"));
                let answer = match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].take()),
                };
                assert!(self.answers.insert(id, answer).is_none(), "request {id} is answered twice");
            }
        }
    }

    /// Answers a request of the server as an editor would.
    fn answer(&mut self, method: &str, id: Value, params: &Value) {
        self.asked.push(method.to_owned());
        let result = match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().map_or(0, Vec::len);
                Value::Array(vec![self.settings.clone(); items])
            }
            _ => Value::Null,
        };
        self.line.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string().as_bytes());
    }

    /// Opens a document with this name, whose extension determines the language, and a marked source.
    pub fn open(&mut self, name: &str, source: &str) -> File {
        let file = File::new(format!("file:///test/{name}"), source, self.width);
        self.open_file(file)
    }

    /// Opens a document that is also on disk.
    pub fn open_path(&mut self, path: &std::path::Path, source: &str) -> File {
        let file = File::new(format!("file://{}", path.display()), source, self.width);
        self.open_file(file)
    }

    fn open_file(&mut self, file: File) -> File {
        let language = if file.uri.ends_with(".wave") { "wave-asm" } else { "ptx" };
        self.open_in(language, file)
    }

    /// Opens a document, and claims that it is in this language.
    pub fn open_as(&mut self, language: &str, name: &str, source: &str) -> File {
        let file = File::new(format!("file:///test/{name}"), source, self.width);
        self.open_in(language, file)
    }

    fn open_in(&mut self, language: &str, file: File) -> File {
        let item =
            json!({ "uri": file.uri, "languageId": language, "version": file.version, "text": file.text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
        file
    }

    /// Replaces a range of a document with `text`.
    pub fn edit(&mut self, file: &mut File, range: Value, text: &str) {
        self.change(file, json!([{ "range": range, "text": text }]));
    }

    /// Sends changes as the next version of a document.
    pub fn change(&mut self, file: &mut File, changes: Value) {
        file.version += 1;
        let document = json!({ "uri": file.uri, "version": file.version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    pub fn close(&mut self, file: &File) {
        self.notify("textDocument/didClose", file.params());
    }

    /// The text of the hover at a position.
    pub fn hover(&mut self, at: &FilePosition) -> Option<String> {
        let hover = self.request("textDocument/hover", at.params());
        hover["contents"]["value"].as_str().map(str::to_owned)
    }

    /// The labels of the completions at a position.
    pub fn completions(&mut self, at: &FilePosition) -> Vec<String> {
        let list = self.request("textDocument/completion", at.params());
        let items = list["items"].as_array().cloned().unwrap_or_default();
        items.iter().filter_map(|item| item["label"].as_str()).map(str::to_owned).collect()
    }

    /// The methods of the unread notifications.
    pub fn unread(&self) -> Vec<&str> {
        self.notifications.iter().map(|(method, _)| method.as_str()).collect()
    }

    /// Requests the diagnostics of a document.
    pub fn diagnostics(&mut self, file: &File) -> Vec<Value> {
        let report = self.request("textDocument/diagnostic", file.params());
        report["items"].as_array().cloned().unwrap_or_default()
    }

    /// Waits for the diagnostics that the server publishes for the current version of a document.
    pub fn published(&mut self, file: &File) -> Vec<Value> {
        loop {
            let params = self.notification("textDocument/publishDiagnostics");
            if params["uri"] == file.uri && params["version"] == file.version {
                return params["diagnostics"].as_array().cloned().unwrap_or_default();
            }
        }
    }

    /// The text of a document on the server.
    pub fn text(&mut self, file: &File) -> String {
        let tree = self.request("warplens/syntaxTree", file.params());
        text_of_tree(tree.as_str().unwrap_or_default())
    }

    /// Runs a command of the server.
    pub fn command(&mut self, command: &str, argument: Value) -> Result<Value, Value> {
        let id =
            self.send("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }));
        self.wait(id)
    }

    /// Ends the session as an editor would.
    pub fn finish(mut self) -> Line {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.line
    }
}

/// Joins the tokens of a tree as printed by `warplens/syntaxTree`, which prints only short tokens completely.
fn text_of_tree(tree: &str) -> String {
    let token = |line: &str| {
        let quoted = line.split_once(" \"")?.1.strip_suffix('"').expect("a token of a test is short");
        Some(unescape(quoted))
    };
    tree.lines().filter_map(token).collect()
}

/// Undoes the escapes of `{:?}`.
fn unescape(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        let code = escape.strip_prefix("u{").and_then(|code| code.split_once('}'));
        let (char, after) = match code {
            Some((code, after)) => (u32::from_str_radix(code, 16).ok().and_then(char::from_u32), after),
            None => {
                let name = escape.chars().next().expect("a backslash is escaped itself");
                let char = match name {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    other => other,
                };
                (Some(char), &escape[name.len_utf8()..])
            }
        };
        plain.push(char.expect("escapes are characters"));
        rest = after;
    }
    plain + rest
}

/// Diagnostics, one a line: range, severity, code and message.
pub fn render(diagnostics: &[Value]) -> String {
    let line = |diagnostic: &Value| {
        let at = |end: &str| {
            let position = &diagnostic["range"][end];
            format!("{}:{}", position["line"], position["character"])
        };
        let severity = match diagnostic["severity"].as_u64() {
            Some(1) => "error",
            Some(2) => "warning",
            Some(3) => "information",
            _ => "hint",
        };
        let text = |member: &str| diagnostic[member].as_str().unwrap_or_default().to_owned();
        format!("{}-{} {severity} {}: {}\n", at("start"), at("end"), text("code"), text("message"))
    };
    diagnostics.iter().map(line).collect()
}
