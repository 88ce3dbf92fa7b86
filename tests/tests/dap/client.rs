//! A client of the debug adapter. Every message that it gets is checked with the schema of the protocol, if that is there.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Map, Value, json};
use warplens_test_support::schema_checker::Checker;
use warplens_test_support::shared_if_present;

use crate::support::server;

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    sequence: u64,
    events: VecDeque<Value>,
}

/// What schemas say to people and to generators.
const NOTES: [&str; 5] = ["_enum", "enumDescriptions", "default", "format", "examples"];

fn without_notes(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let each = |value: &Value| match value {
        Value::Object(named) => {
            Value::Object(named.iter().map(|(name, schema)| (name.clone(), without_notes(schema))).collect())
        }
        value => value.clone(),
    };
    let kept = keywords.iter().filter(|(name, _)| !NOTES.contains(&name.as_str()));
    let clean = |(name, value): (&String, &Value)| {
        let value = match (name.as_str(), value) {
            ("properties" | "definitions", value) => each(value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => all.iter().map(without_notes).collect(),
            ("items" | "additionalProperties" | "not", value) => without_notes(value),
            (_, value) => value.clone(),
        };
        (name.clone(), value)
    };
    Value::Object(kept.map(clean).collect::<Map<_, _>>())
}

fn checker() -> Option<&'static Checker> {
    static CHECKER: OnceLock<Option<Checker>> = OnceLock::new();
    let read = || {
        let text = std::fs::read_to_string(shared_if_present("dap/debugAdapterProtocol.json")?).ok()?;
        Some(Checker::new(without_notes(&serde_json::from_str(&text).expect("it is JSON"))))
    };
    CHECKER.get_or_init(read).as_ref()
}

/// Checks a message of the adapter with the schema.
fn check(message: &Value) {
    let Some(checker) = checker() else { return };
    let capitalized = |name: &str| name[..1].to_uppercase() + &name[1..];
    let kind = match message["type"].as_str() {
        Some("event") => format!("{}Event", capitalized(message["event"].as_str().expect("a name"))),
        Some("response") if message["success"] == false => "ErrorResponse".to_owned(),
        Some("response") => format!("{}Response", capitalized(message["command"].as_str().expect("a name"))),
        _ => panic!("neither an event nor a response: {message}"),
    };
    let known = checker.defines(&kind);
    let kind = if known { kind } else { capitalized(message["type"].as_str().expect("a type")) };
    assert!(checker.accepts_as(&kind, message), "not a {kind}: {message}");
}

impl Client {
    pub(crate) fn new() -> Client {
        let mut child = Command::new(server())
            .arg("dap")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        Client { child, input, output: BufReader::new(output), sequence: 0, events: VecDeque::new() }
    }

    /// A client that stands before the first step of a launch.
    pub(crate) fn launched(program: &Path, more: Value) -> Client {
        let mut client = Client::new();
        client.start(program, more);
        assert_eq!(client.stopped()["reason"], "entry");
        client
    }

    /// Launches, without waiting for a stop.
    pub(crate) fn start(&mut self, program: &Path, more: Value) {
        self.ask("initialize", json!({ "adapterID": "warplens" }));
        let mut arguments = json!({ "program": program });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        self.ask("launch", arguments);
        self.ask("configurationDone", json!({}));
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("open").write_all(bytes).expect("the program reads");
    }

    pub(crate) fn send(&mut self, command: &str, arguments: Value) {
        self.sequence += 1;
        let message =
            json!({ "seq": self.sequence, "type": "request", "command": command, "arguments": arguments });
        let text = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    /// The next message; `None` at the end.
    pub(crate) fn message(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).expect("text") == 0 {
                return None;
            }
            match line.trim_end().split_once(':') {
                Some((_, number)) => length = number.trim().parse().ok(),
                None => break,
            }
        }
        let mut contents = vec![0; length.expect("a length")];
        self.output.read_exact(&mut contents).expect("the contents");
        let message = serde_json::from_slice(&contents).expect("JSON");
        check(&message);
        Some(message)
    }

    /// The response to a request.
    pub(crate) fn respond(&mut self, command: &str, arguments: Value) -> Value {
        self.send(command, arguments);
        loop {
            let message = self.message().expect("the session goes on");
            if message["type"] == "response" {
                assert_eq!(
                    (&message["command"], &message["request_seq"]),
                    (&json!(command), &json!(self.sequence))
                );
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// The body of the response to a request that succeeds.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.respond(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    /// The message of the response to a request that fails.
    pub(crate) fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.respond(command, arguments);
        assert_eq!(response["success"], false, "{response}");
        response["message"].as_str().expect("a message").to_owned()
    }

    pub(crate) fn event(&mut self, name: &str) -> Value {
        loop {
            let at = self.events.iter().position(|event| event["event"] == name);
            if let Some(event) = at.and_then(|at| self.events.remove(at)) {
                return event["body"].clone();
            }
            let message = self.message().expect("the session goes on");
            self.events.push_back(message);
        }
    }

    pub(crate) fn stopped(&mut self) -> Value {
        self.event("stopped")
    }

    /// Moves, and returns the stop and the position.
    pub(crate) fn go(&mut self, command: &str, arguments: Value) -> (Value, Value) {
        self.ask(command, arguments);
        let stop = self.stopped();
        (stop, self.position())
    }

    pub(crate) fn position(&mut self) -> Value {
        self.ask("warplens/position", json!({}))
    }

    pub(crate) fn to(&mut self, step: u64) -> Value {
        self.go("warplens/position", json!({ "to": step })).1
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&mut self, expression: &str) -> String {
        let body = self.ask("evaluate", json!({ "expression": expression }));
        body["result"].as_str().expect("a result").to_owned()
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end; returns what it wrote to standard error.
    pub(crate) fn end(mut self) -> (bool, String) {
        self.input = None;
        while self.message().is_some() {}
        let mut text = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
        (self.child.wait().expect("it ends").success(), text)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
