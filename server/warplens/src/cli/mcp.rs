//! `warplens mcp`: the commands as tools of the Model Context Protocol, on standard input and output.
//!
//! A message is a line of JSON. Each call of a tool runs the program again with the arguments of the command line, and answers what it
//! printed: a tool can do nothing that the command line does not, has its limits, and a crash of a run ends only that run.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Map, Value, json};

use super::outcome::{Outcome, unusable};

#[derive(Args)]
pub(super) struct Arguments {
    /// The files, and the folders with the files, that tools may read (default: the current folder)
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
}

/// The versions of the protocol that have the messages used here, the newest first.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

/// The limit of a message in bytes, that of a launch.
const MAX_BYTES: u64 = 16 << 20;

const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMETERS: i64 = -32602;

/// A tool: a command with some of its options.
struct Tool {
    name: &'static str,
    command: &'static str,
    description: &'static str,
    options: &'static [ToolOption],
    /// Options with their values where the parameters do not say otherwise.
    defaults: &'static [(&'static str, &'static str)],
    required: &'static [&'static str],
}

/// A parameter of a tool.
struct ToolOption {
    name: &'static str,
    becomes: Becomes,
    description: &'static str,
}

/// What a parameter becomes in the arguments of the command.
#[derive(Clone, Copy)]
enum Becomes {
    /// A file or a name, in this order.
    Operand,
    /// The text on standard input, instead of a file.
    Source,
    /// The launch on standard input.
    Launch,
    /// An option with a text.
    Text,
    /// An option with a number.
    Number,
    /// An option without a value.
    Flag,
}

const fn option(name: &'static str, becomes: Becomes, description: &'static str) -> ToolOption {
    ToolOption { name, becomes, description }
}

const PATH: ToolOption = option("path", Becomes::Operand, "The file.");
const SOURCE: ToolOption =
    option("source", Becomes::Source, "The text, instead of a file; `language` is required.");
const LANGUAGE: ToolOption = option("language", Becomes::Text, "ptx, wave-asm or cuda-sass.");
const LAUNCH: ToolOption = option(
    "launch",
    Becomes::Launch,
    "The keys of a launch: entry, grid, block, args, expect. Without it, the launch of the file, or an inferred one.",
);

const TOOLS: [Tool; 4] = [
    Tool {
        name: "check",
        command: "check",
        description: "Reports the problems of a PTX or WAVE file or a SASS listing: a line of JSON for each. An error means that the \
                      assembler rejects the file.",
        options: &[
            PATH,
            SOURCE,
            LANGUAGE,
            option("target", Becomes::Text, "The target instead of that of the file, such as sm_90."),
        ],
        defaults: &[],
        required: &[],
    },
    Tool {
        name: "simulate",
        command: "sim",
        description: "Runs a launch of a kernel in the simulator, without a GPU, and reports the verdict, findings such as data races, the \
                      coverage and the lanes of each line as JSON. Only the verdict `clean` (exit code 0) means that nothing was found and nothing is missing.",
        options: &[
            PATH,
            SOURCE,
            LANGUAGE,
            LAUNCH,
            option("entry", Becomes::Text, "The kernel, if the file has several."),
            option("model", Becomes::Text, "The divergence model, such as its."),
            option("schedules", Becomes::Number, "Also run under this many other orders of threads."),
            option("seed", Becomes::Number, "The seed of these orders."),
            option("dump", Becomes::Text, "The buffer whose final contents are printed, or `all`."),
            option(
                "warp",
                Becomes::Text,
                "The warp whose lanes are listed: X,Y,Z:W, divergent (the default) or worst.",
            ),
            option("trace", Becomes::Flag, "Print each step of a warp before the report."),
        ],
        // The lanes of all warps are more than a model reads.
        defaults: &[("warp", "divergent")],
        required: &[],
    },
    Tool {
        name: "explain",
        command: "explain",
        description: "Explains an instruction, a directive, a special register, a diagnostic or a finding; `automation` explains the results \
                      of the other tools.",
        options: &[option("name", Becomes::Operand, "The name, such as mad.lo, %laneid, data-race.")],
        defaults: &[],
        required: &["name"],
    },
    Tool {
        name: "compare",
        command: "compare",
        description: "Runs one launch on two kernels, or under two divergence models, and reports the first difference as JSON.",
        options: &[
            PATH,
            option("other", Becomes::Operand, "The file with the other kernel."),
            LAUNCH,
            option("entry", Becomes::Text, "The kernel, if the file has several."),
            option("models", Becomes::Text, "The divergence models of the two runs, such as stack,its."),
            option("random", Becomes::Number, "Compare with this many drawn launches."),
            option("seed", Becomes::Number, "The seed of the drawn launches."),
        ],
        defaults: &[],
        required: &["path"],
    },
];

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    for path in &arguments.paths {
        if let Err(error) = path.canonicalize() {
            return Ok(unusable(format!("{}: {error}", path.display())));
        }
    }
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut input, MAX_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(Outcome::Success);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match serde_json::from_slice(&line) {
            Ok(message) => answer(&message, &arguments.paths),
            Err(error) => Some(failed(&Value::Null, -32700, &format!("not a message: {error}"))),
        };
        if let Some(answer) = answer {
            serde_json::to_writer(&mut out, &answer)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
    }
}

/// The answer to a message; `None` to a notification.
fn answer(message: &Value, paths: &[PathBuf]) -> Option<Value> {
    if !message.is_object() {
        return Some(failed(&Value::Null, INVALID_REQUEST, "a message is an object, and each line has one"));
    }
    let id = message.get("id")?;
    let Some(method) = message["method"].as_str() else {
        return Some(failed(id, INVALID_REQUEST, "a request has a method"));
    };
    let parameters = &message["params"];
    let result = match method {
        "initialize" => Ok(initialized(parameters)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": TOOLS.iter().map(listed).collect::<Vec<_>>() })),
        "tools/call" => called(parameters, paths).map_err(|message| (INVALID_PARAMETERS, message)),
        _ => Err((UNKNOWN_METHOD, format!("unknown method {method}"))),
    };
    Some(match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => failed(id, code, &message),
    })
}

fn failed(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn initialized(parameters: &Value) -> Value {
    let wanted = parameters["protocolVersion"].as_str();
    let version = VERSIONS.into_iter().find(|version| wanted == Some(version)).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "warplens", "version": env!("CARGO_PKG_VERSION") },
        "instructions": "Call `explain` with the name `automation` for what the results mean.",
    })
}

fn listed(tool: &Tool) -> Value {
    let property = |option: &ToolOption| {
        let kind = match option.becomes {
            Becomes::Operand | Becomes::Source | Becomes::Text => "string",
            Becomes::Launch => "object",
            Becomes::Number => "integer",
            Becomes::Flag => "boolean",
        };
        (option.name.to_owned(), json!({ "type": kind, "description": option.description }))
    };
    let properties: Map<String, Value> = tool.options.iter().map(property).collect();
    json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": tool.required,
            "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": true },
    })
}

fn called(parameters: &Value, paths: &[PathBuf]) -> Result<Value, String> {
    let name = parameters["name"].as_str().ok_or("`name` is missing: the name of a tool")?;
    let tool = TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| format!("unknown tool `{name}`"))?;
    let none = Map::new();
    let given = match &parameters["arguments"] {
        Value::Null => &none,
        Value::Object(given) => given,
        _ => return Err("the arguments of a tool are an object".to_owned()),
    };
    let call = Call::new(tool, given, paths)?;
    call.run().map_err(|error| format!("the program cannot be started: {error}"))
}

/// The files and names of a call in the order of the table, because a file comes before the other one.
fn operands(tool: &Tool, given: &Map<String, Value>) -> Result<Vec<OsString>, String> {
    let mut operands: Vec<OsString> = Vec::new();
    if given.contains_key("source") {
        operands.push("-".into());
    }
    for option in tool.options.iter().filter(|option| matches!(option.becomes, Becomes::Operand)) {
        let Some(value) = given.get(option.name) else { continue };
        operands.push(value.as_str().ok_or_else(|| format!("`{}` is a text", option.name))?.into());
    }
    if operands.is_empty() || given.contains_key("path") && given.contains_key("source") {
        return Err("give either `path` or `source`".to_owned());
    }
    Ok(operands)
}

/// A run of the program.
struct Call {
    arguments: Vec<OsString>,
    input: String,
}

impl Call {
    fn new(tool: &Tool, given: &Map<String, Value>, paths: &[PathBuf]) -> Result<Call, String> {
        for name in tool.required {
            given.get(*name).ok_or_else(|| format!("{} needs `{name}`", tool.name))?;
        }
        let mut call =
            Call { arguments: vec![tool.command.into(), "--format=json".into()], input: String::new() };
        for path in paths {
            call.arguments.extend(["--within".into(), path.into()]);
        }
        let defaults = tool.defaults.iter().filter(|(name, _)| !given.contains_key(*name));
        call.arguments.extend(defaults.map(|(name, value)| format!("--{name}={value}").into()));
        for (name, value) in given {
            let option = tool.options.iter().find(|option| option.name == name);
            call.add(option.ok_or_else(|| format!("{} has no parameter `{name}`", tool.name))?, value)?;
        }
        if given.contains_key("source") && given.contains_key("launch") {
            return Err("`source` and `launch` exclude each other: write the launch into the source, as a comment `@launch { … }`".to_owned());
        }
        call.arguments.push("--".into());
        call.arguments.extend(operands(tool, given)?);
        Ok(call)
    }

    /// Adds the option or the input that a parameter becomes.
    fn add(&mut self, option: &ToolOption, value: &Value) -> Result<(), String> {
        let name = option.name;
        let wrong = |kind: &str| format!("`{name}` is {kind}");
        let argument = match option.becomes {
            Becomes::Operand => return Ok(()),
            Becomes::Source => {
                self.input = value.as_str().ok_or_else(|| wrong("a text"))?.to_owned();
                return Ok(());
            }
            Becomes::Launch => {
                self.input =
                    value.as_object().map(|_| value.to_string()).ok_or_else(|| wrong("an object"))?;
                "--launches=-".to_owned()
            }
            Becomes::Text => format!("--{name}={}", value.as_str().ok_or_else(|| wrong("a text"))?),
            Becomes::Number => {
                format!("--{name}={}", value.as_u64().ok_or_else(|| wrong("a number from 0 on"))?)
            }
            Becomes::Flag => match value.as_bool().ok_or_else(|| wrong("true or false"))? {
                true => format!("--{name}"),
                false => return Ok(()),
            },
        };
        self.arguments.push(argument.into());
        Ok(())
    }

    /// What the program printed, and its exit code. Only wrong usage is an error of the tool.
    fn run(self) -> io::Result<Value> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take();
        let input = self.input;
        // The program may print before it has read everything.
        let writing =
            std::thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
        let output = child.wait_with_output()?;
        // It fails if the program ends without reading its input.
        let _ = writing.join();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        let code = output.status.code();
        let mut content = vec![json!({ "type": "text", "text": text(&output.stdout) })];
        let messages = text(&output.stderr);
        if !messages.is_empty() {
            content.push(json!({ "type": "text", "text": messages }));
        }
        Ok(json!({
            "content": content,
            "isError": !matches!(code, Some(0 | 1 | 3)),
            "_meta": { "exitCode": code },
        }))
    }
}
