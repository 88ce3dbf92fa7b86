//! A session with a client: requests, and the events that they cause.

mod breakpoints;
mod changes;
mod inspect;
mod moves;
mod questions;

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use warplens_sim_warp::{Cancelled, Control, FindingKind};

use crate::debuggee::{Debuggee, Opened};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::progress::LaunchProgress;
use crate::request::Request;
use crate::requested::SourceBreakpoints;
use crate::stops::{Filters, Reason, Stops};
use crate::variables::Handles;

type Answer = Result<Json, Failure>;

/// The arguments of `launch`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LaunchArguments {
    /// The file with the kernel.
    pub program: PathBuf,
    /// The kernel.
    pub entry: Option<String>,
    /// The name of a launch, or `inferred`.
    pub launch: Option<String>,
    /// The launch file.
    pub launches: Option<PathBuf>,
    /// The divergence model.
    pub model: Option<String>,
    /// The block that is shown first: its number, or `x,y,z`.
    pub block: Option<Json>,
    pub stop_on_entry: Option<bool>,
    pub stop_on_finding: Option<bool>,
    /// The limit of the recording in megabytes.
    pub memory: Option<u64>,
    /// The limit of warp instructions.
    pub max_steps: Option<u64>,
}

/// Opens what a launch request names, and runs it.
pub trait Loader {
    /// # Errors
    /// What is wrong with the program or the launch, for the user.
    fn open(&self, arguments: &LaunchArguments, control: Control<'_>) -> Result<Opened, String>;

    /// Whether two paths name the same file.
    fn is_same_file(&self, one: &str, other: &str) -> bool;
}

/// What a client can be sent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClientFeatures {
    /// Events that values have changed.
    #[serde(rename = "supportsInvalidatedEvent")]
    invalidates: bool,
    /// Events of a long launch.
    #[serde(rename = "supportsProgressReporting")]
    reports_progress: bool,
}

pub(crate) struct Session<'s, W: Write + Send> {
    out: Output<W>,
    loader: &'s dyn Loader,
    /// Whether to interrupt what runs.
    interrupt: &'s Interrupt,
    lines_start_at_1: bool,
    columns_start_at_1: bool,
    client: ClientFeatures,
    arguments: LaunchArguments,
    debuggee: Option<Debuggee>,
    is_configured: bool,
    is_started: bool,
    stops: Stops,
    /// The breakpoints of each source.
    requested: Vec<SourceBreakpoints>,
    /// Whether the client set breakpoints before the launch was known.
    are_unreported: bool,
    requested_functions: Option<Json>,
    next_breakpoint: u64,
    handles: Handles,
    /// The lane whose values hovers and watches show; all lanes if there is none.
    lane: Option<u32>,
    reason: Option<Reason>,
    ended: bool,
}

fn no_stops() -> Stops {
    Stops {
        lines: Vec::new(),
        functions: Vec::new(),
        data: Vec::new(),
        filters: Filters::All,
        findings: Default::default(),
        hits: Default::default(),
        visits: Default::default(),
    }
}

impl<'s, W: Write + Send> Session<'s, W> {
    pub(crate) fn new(out: W, loader: &'s dyn Loader, interrupt: &'s Interrupt) -> Session<'s, W> {
        Session {
            out: Output::new(out),
            loader,
            interrupt,
            lines_start_at_1: true,
            columns_start_at_1: true,
            client: ClientFeatures::default(),
            arguments: LaunchArguments::default(),
            debuggee: None,
            is_configured: false,
            is_started: false,
            stops: no_stops(),
            requested: Vec::new(),
            are_unreported: false,
            requested_functions: None,
            next_breakpoint: 1,
            handles: Handles::default(),
            lane: None,
            reason: None,
            ended: false,
        }
    }

    /// Whether the client has ended the session.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    fn event(&self, event: &str, body: Json) -> io::Result<()> {
        self.out.event(event, body)
    }

    fn output(&self, category: &str, text: &str) -> io::Result<()> {
        self.event("output", json!({ "category": category, "output": text }))
    }

    fn respond(&self, request: &Request, answer: Answer) -> io::Result<()> {
        let Failure(text) = match answer {
            Ok(Json::Null) if !request.command.starts_with("warplens/") => {
                return self.out.respond(request, None::<&Json>);
            }
            Ok(body) => return self.out.respond(request, Some(&body)),
            Err(failure) => failure,
        };
        let is_cancelled = text.starts_with("cancelled");
        // Braces would be variables of the format.
        let format = text.replace(['{', '}'], "");
        let is_shown = !is_cancelled && is_action(&request.command);
        let body = json!({ "error": { "id": 1, "format": format, "showUser": is_shown } });
        self.out.refuse(request, if is_cancelled { "cancelled" } else { &text }, &body)
    }

    /// Handles a message of the client.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn handle(&mut self, contents: &[u8]) -> io::Result<()> {
        let request: Request = match serde_json::from_slice(contents) {
            Ok(request) => request,
            Err(error) => {
                return self.output(
                    "stderr",
                    &format!("a message was ignored, because it is not a request: {error}\n"),
                );
            }
        };
        self.interrupt.handled(&request);
        if request.kind != "request" {
            return Ok(());
        }
        let arguments = request.arguments();
        match request.command.as_str() {
            "launch" => {
                let answer = self.launch(request.seq, arguments);
                self.respond(&request, answer)?;
                self.report_breakpoints()?;
                self.start()
            }
            "restart" => self.restart(&request, &arguments),
            "configurationDone" => {
                self.is_configured = true;
                self.respond(&request, Ok(Json::Null))?;
                self.start()
            }
            "disconnect" | "terminate" => {
                self.ended = true;
                self.respond(&request, Ok(Json::Null))?;
                self.event("terminated", json!({}))
            }
            "initialize" => {
                let body = self.initialize(&arguments);
                self.respond(&request, Ok(body))?;
                self.event("initialized", json!({}))
            }
            "setVariable" | "setExpression" | "writeMemory" => self.change(&request, &arguments),
            "warplens/why" => match self.why(&arguments) {
                Ok(chain) => self.out.respond(&request, Some(&chain)),
                Err(failure) => self.respond(&request, Err(failure)),
            },
            "warplens/focusLane" => {
                let answer = self.focus_lane(&arguments);
                let is_changed = answer.is_ok() && self.client.invalidates;
                self.respond(&request, answer)?;
                if is_changed { self.event("invalidated", json!({ "areas": ["variables"] })) } else { Ok(()) }
            }
            command if is_move(command) => self.move_by(&request, &arguments),
            _ => {
                let answer = self.answer(&request.command, &arguments);
                self.respond(&request, answer)
            }
        }
    }

    fn restart(&mut self, request: &Request, arguments: &Json) -> io::Result<()> {
        let given = arguments.get("arguments").cloned().unwrap_or(Json::Null);
        let answer = match given.is_null() {
            true => self.open(request.seq),
            false => self.launch(request.seq, given),
        };
        let is_launched = answer.is_ok();
        self.is_started = false;
        self.respond(request, answer)?;
        if is_launched { self.start() } else { Ok(()) }
    }

    fn answer(&mut self, command: &str, arguments: &Json) -> Answer {
        match command {
            "attach" => Err("attach is not supported: use a launch request, with `program`".into()),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments),
            "setExceptionBreakpoints" => Ok(self.set_exception_breakpoints(arguments)),
            "setDataBreakpoints" => self.set_data_breakpoints(arguments),
            "dataBreakpointInfo" => self.data_breakpoint_info(arguments),
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "readMemory" => self.read_memory(arguments),
            "exceptionInfo" => self.exception_info(),
            "gotoTargets" => self.goto_targets(arguments),
            "loadedSources" => Ok(json!({ "sources": [self.source()?] })),
            "source" => Ok(json!({ "content": self.launched()?.text })),
            "cancel" => Ok(Json::Null),
            "warplens/lastWrite" => self.last_write(arguments),
            "warplens/warps" => self.warps(),
            "warplens/blocks" => self.blocks(),
            "warplens/showBlock" => self.show_block(arguments),
            _ => Err(Failure(format!("unknown request `{command}`"))),
        }
    }

    fn initialize(&mut self, arguments: &Json) -> Json {
        let is_not = |name: &str| arguments.get(name) == Some(&json!(false));
        self.lines_start_at_1 = !is_not("linesStartAt1");
        self.columns_start_at_1 = !is_not("columnsStartAt1");
        self.client = ClientFeatures::deserialize(arguments).unwrap_or_default();
        let filters: Vec<Json> = FindingKind::all()
            .map(|kind| {
                json!({
                    "filter": kind.name(), "label": kind.name(), "description": kind.summary(), "default": true,
                })
            })
            .collect();
        json!({
            "supportsConfigurationDoneRequest": true,
            "supportsFunctionBreakpoints": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsDataBreakpoints": true,
            "supportsDataBreakpointBytes": true,
            "supportsEvaluateForHovers": true,
            "supportsStepBack": true,
            "supportsSteppingGranularity": true,
            "supportsGotoTargetsRequest": true,
            "supportsRestartRequest": true,
            "supportsExceptionInfoRequest": true,
            "supportsValueFormattingOptions": true,
            "supportsTerminateRequest": true,
            "supportsCancelRequest": true,
            "supportsReadMemoryRequest": true,
            "supportsWriteMemoryRequest": true,
            "supportsSetVariable": true,
            "supportsSetExpression": true,
            "supportsLoadedSourcesRequest": true,
            "supportsBreakpointLocationsRequest": true,
            "exceptionBreakpointFilters": filters,
        })
    }

    fn launch(&mut self, request: u64, arguments: Json) -> Answer {
        let arguments: LaunchArguments = serde_json::from_value(arguments).map_err(|error| {
            Failure(format!("launch: {error}; `program` is the path of the kernel's file"))
        })?;
        if arguments.program.as_os_str().is_empty() {
            return Err("launch: `program` is missing: the path of a .ptx, .wave or .sass file".into());
        }
        self.arguments = arguments;
        self.open(request)
    }

    /// Runs the launch of a request and records it.
    fn open(&mut self, request: u64) -> Answer {
        let interrupt = self.interrupt;
        let cancelled = || interrupt.cancels_launch(request);
        let progress = LaunchProgress::new(&self.out, request, self.client.reports_progress);
        let report = |run| progress.report(run);
        let control = Control { cancelled: &cancelled, progress: &report, ..Control::none() };
        let opened = self.loader.open(&self.arguments, control);
        progress.end();
        let control = Control { cancelled: &cancelled, ..Control::none() };
        let opened = opened.map_err(|message| if cancelled() { Cancelled.into() } else { Failure(message) });
        let mut debuggee = Debuggee::new(opened?)?;
        debuggee.go_to(0, control)?;
        if let Some(block) = &self.arguments.block {
            let number = block_number(block, debuggee.prepared.grid())
                .ok_or("launch: `block` is not a block of this launch")?;
            debuggee.warp = number * debuggee.layout.warps;
        }
        self.stops.findings = debuggee.finding_steps(control)?;
        self.debuggee = Some(debuggee);
        self.renew_breakpoints()?;
        Ok(Json::Null)
    }

    /// Stops at the entry, or runs, once the launch is there and the client has set its breakpoints.
    fn start(&mut self) -> io::Result<()> {
        if self.is_started || !self.is_configured || self.debuggee.is_none() {
            return Ok(());
        }
        self.is_started = true;
        let summary = self.debuggee.as_ref().map(Debuggee::summary);
        self.output("console", &summary.unwrap_or_default())?;
        if self.arguments.stop_on_entry == Some(false) {
            self.resume(false)
        } else {
            self.stopped("entry", None)
        }
    }

    fn launched(&self) -> Result<&Debuggee, Failure> {
        self.debuggee.as_ref().ok_or_else(|| "nothing has been launched: send a launch request first".into())
    }

    /// The debuggee, and the control of what it runs.
    fn running(&mut self) -> Result<(&mut Debuggee, &'s Interrupt), Failure> {
        let interrupt = self.interrupt;
        let missing = || Failure::from("nothing has been launched: send a launch request first");
        Ok((self.debuggee.as_mut().ok_or_else(missing)?, interrupt))
    }

    /// A line as the client counts it.
    fn line(&self, line: u32) -> u64 {
        u64::from(line) + u64::from(self.lines_start_at_1)
    }

    fn column(&self, column: u32) -> u64 {
        u64::from(column) + u64::from(self.columns_start_at_1)
    }

    /// A line of the client, from 0.
    fn own_line(&self, line: u64) -> u64 {
        line.saturating_sub(u64::from(self.lines_start_at_1))
    }

    fn source(&self) -> Answer {
        let path = &self.launched()?.path;
        let name = std::path::Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(json!({ "name": name, "path": path }))
    }

    /// Which exceptions stop unless the client says otherwise.
    fn default_filters(&self) -> Filters {
        match self.arguments.stop_on_finding {
            Some(false) => Filters::Kinds(Vec::new()),
            _ => Filters::All,
        }
    }
}

/// Whether a user has asked for what a request does. Clients send others on their own, as for a hover.
fn is_action(command: &str) -> bool {
    is_move(command)
        || matches!(
            command,
            "launch" | "attach" | "restart" | "setVariable" | "setExpression" | "writeMemory"
        )
}

/// Whether a request moves the position.
fn is_move(command: &str) -> bool {
    matches!(
        command,
        "continue"
            | "reverseContinue"
            | "next"
            | "stepIn"
            | "stepOut"
            | "stepBack"
            | "pause"
            | "goto"
            | "warplens/goTo"
            | "warplens/position"
            | "warplens/stepBackInto"
            | "warplens/stepBackOut"
    )
}

/// A control that a flag interrupts.
macro_rules! control {
    ($interrupt:expr => $name:ident) => {
        let cancelled = || $interrupt.is_over();
        let $name =
            warplens_sim_warp::Control { cancelled: &cancelled, ..warplens_sim_warp::Control::none() };
    };
}
pub(crate) use control;

/// The number of a block that a client names by number or as `x,y,z`.
fn block_number(block: &Json, grid: [u32; 3]) -> Option<u32> {
    let count = grid.iter().product::<u32>();
    let number = match block {
        Json::Number(number) => u32::try_from(number.as_u64()?).ok()?,
        Json::Array(extents) => {
            linear(extents.iter().map(|extent| u32::try_from(extent.as_u64()?).ok()), grid)?
        }
        Json::String(text) => linear(text.split(',').map(|part| part.trim().parse().ok()), grid)?,
        _ => return None,
    };
    (number < count).then_some(number)
}

fn linear(mut parts: impl Iterator<Item = Option<u32>>, [x, y, z]: [u32; 3]) -> Option<u32> {
    let mut next = || parts.next().unwrap_or(Some(0));
    let [column, row, layer] = [next()?, next()?, next()?];
    (column < x && row < y && layer < z).then_some((layer * y + row) * x + column)
}

/// Reads the arguments of a request.
fn read<'j, T: Deserialize<'j>>(command: &str, arguments: &'j Json) -> Result<T, Failure> {
    T::deserialize(arguments).map_err(|error| Failure(format!("{command}: {error}")))
}
