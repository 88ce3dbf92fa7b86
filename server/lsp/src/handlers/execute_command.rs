//! `workspace/executeCommand`.

use std::sync::Arc;

use ls_types::{ExecuteCommandParams, Location, MessageType, Position, Range, Uri};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_ide::lanes::{AvailableLaunch, Choice, WarpId};
use warplens_protocol::jsonrpc::{Error, Id, Result};
use warplens_sim_launch::Launch;

use crate::documents::request::{Request, Response, Urgency};
use crate::documents::snapshot::{Failure, Snapshot};
use crate::errors::refused;
use crate::files::launch_files::launch_files;
use crate::from_proto;
use crate::handlers::commands::{
    ALL, DRAFT_LAUNCH, EXPECT_BUFFER, LINK, LIST_LAUNCHES, SELECT_VISIT, SHOW_LEFT, STOP_RUN, TRY_STATEMENT,
};
use crate::handlers::draft_launch::draft;
use crate::handlers::expect_buffer::expect_buffer;
use crate::handlers::link::link;
use crate::handlers::ptxas::RESOURCES;
use crate::handlers::written_launch::launch_location;
use crate::simulation::selection::Selection;
use crate::state::State;
use warplens_protocol::position::text_range;

/// The argument of the commands about launches.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Selection", optional_fields))]
pub(crate) struct LaunchArgument {
    #[cfg_attr(test, ts(type = "string"))]
    uri: Uri,
    entry: Option<String>,
    /// A name, a launch, or `null` for no launch. The default is the first launch.
    #[serde(default = "first_launch")]
    #[cfg_attr(test, ts(optional, type = "string | object | null"))]
    launch: Value,
    cta: Option<[u32; 3]>,
    warp: Option<u32>,
    /// Another document, whose launch is run in this one.
    #[serde(rename = "launchOf")]
    #[cfg_attr(test, ts(as = "Option<String>"))]
    launch_of: Option<Uri>,
    /// The divergence model. The default is the model of the launch, or else of the settings.
    model: Option<String>,
    /// The buffer that `warplens.expectBuffer` is about.
    buffer: Option<String>,
}

#[derive(Deserialize)]
struct VisitArgument {
    uri: Uri,
    line: u32,
    /// `null` for the last visit of each line.
    visit: Option<u64>,
}

/// The argument of [`TRY_STATEMENT`]: a position in the statement.
#[derive(Deserialize)]
struct StatementArgument {
    uri: Uri,
    position: Position,
}

/// The argument of [`SHOW_LEFT`].
#[derive(Deserialize)]
struct MessageArgument {
    message: String,
}

/// A launch in the answer of `warplens.listLaunches`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ListedLaunch {
    name: String,
    /// The kernel; `null` if it cannot be determined.
    entry: Option<String>,
    /// The name of a mangled kernel in its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    source_name: Option<String>,
    grid: [u32; 3],
    block: [u32; 3],
    #[cfg_attr(test, ts(type = "'toml' | 'comment' | 'host' | 'inferred'"))]
    source: &'static str,
    /// Where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional, type = "Location"))]
    location: Option<Location>,
    /// Why it cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    problem: Option<String>,
}

fn first_launch() -> Value {
    Value::Bool(true)
}

impl State {
    pub(crate) fn execute_command(&mut self, id: Id, params: Value) {
        if let Err(error) = self.try_execute(&id, params) {
            self.requests.answer(&id, Err(error));
        }
    }

    fn try_execute(&mut self, id: &Id, params: Value) -> Result<()> {
        let params: ExecuteCommandParams = from_proto::params(params)?;
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        match params.command.as_str() {
            SELECT_VISIT => self.visit(id, from_proto::params(argument)?),
            SHOW_LEFT => {
                let MessageArgument { message } = from_proto::params(argument)?;
                self.client.show(MessageType::WARNING, message);
                self.requests.answer(id, Ok(Value::Null));
                Ok(())
            }
            TRY_STATEMENT => self.try_statement(id, from_proto::params(argument)?),
            command if ALL.contains(&command) => {
                self.execute_on_document(id, command, from_proto::params(argument)?)
            }
            command => Err(Error::invalid_params(format!("unknown command `{command}`"))),
        }
    }

    fn execute_on_document(&mut self, id: &Id, command: &str, argument: LaunchArgument) -> Result<()> {
        if !self.documents.is_open(&argument.uri) {
            return Err(self.documents.without_text(&argument.uri));
        }
        if command == RESOURCES {
            self.ptxas_resources(id.clone(), &argument.uri);
        } else if command == LIST_LAUNCHES {
            self.read_document(id.clone(), read(argument, launches));
        } else if command == DRAFT_LAUNCH {
            self.read_document(id.clone(), read(argument, draft));
        } else if command == EXPECT_BUFFER {
            let LaunchArgument { uri, buffer, .. } = argument;
            let buffer = buffer.ok_or_else(|| Error::invalid_params("`buffer` is missing"))?;
            let answer = move |snapshot: &Snapshot| Response::value(expect_buffer(snapshot, &buffer)?);
            self.read_document(id.clone(), Request { uri, urgency: Urgency::Now, handler: Arc::new(answer) });
        } else if command == LINK {
            self.read_document(id.clone(), read(argument, |snapshot, _| link(snapshot)));
        } else if command == STOP_RUN {
            self.stop_run(&argument.uri);
            self.requests.answer(id, Ok(Value::Null));
        } else if argument.launch.is_null() {
            self.deselect(&argument.uri);
            self.requests.answer(id, Ok(Value::Null));
        } else {
            let uri = argument.uri.clone();
            let selection = match argument.launch_of.clone() {
                Some(other) => self.selection_of(argument, other)?,
                None => self.simulations.reuse_given_launch(&uri, selection(argument)?),
            };
            self.select(id.clone(), &uri, selection);
        }
        Ok(())
    }

    /// The launch that another document shows. Its expectations are dropped, because they are about that document, and so is its model,
    /// which is one of that document's language.
    fn selection_of(&self, argument: LaunchArgument, other: Uri) -> Result<Selection> {
        let shown = self.shown.launch(&other);
        let launch = shown.ok_or_else(|| refused("no lanes are shown in that document"))?;
        let entry = launch.entry.clone();
        let launch = Launch { model: None, expect: Vec::new(), ..launch };
        let given = Choice::Given(Box::new(launch));
        Ok(Selection { entry, launch: given, home: Some(other), ..selection(argument)? })
    }

    /// Answers whether there is a statement.
    fn try_statement(
        &mut self,
        id: &Id,
        StatementArgument { uri, position }: StatementArgument,
    ) -> Result<()> {
        let document = self.documents.get(&uri);
        let found = document.and_then(|document| Some((document.file, document.text()?)));
        let Some((file, text)) = found else { return Err(self.documents.without_text(&uri)) };
        let offset = warplens_protocol::position::offset(text, position, self.client.encoding);
        let is_found = offset.is_some_and(|offset| self.host.try_statement(file, offset));
        self.refresh_diagnostics(&uri);
        self.client.refresh_lanes();
        self.requests.answer(id, Ok(Value::Bool(is_found)));
        Ok(())
    }

    fn visit(&mut self, id: &Id, VisitArgument { uri, line, visit }: VisitArgument) -> Result<()> {
        let text = self.documents.get(&uri).and_then(|document| document.text());
        let Some(text) = text else { return Err(self.documents.without_text(&uri)) };
        let start = Position { line, character: 0 };
        let end = Position { line, character: u32::MAX };
        let range = text_range(text, Range { start, end }, self.client.encoding);
        let range = range.ok_or_else(|| Error::invalid_params(format!("invalid line {line}")))?;
        self.select_visit(id.clone(), &uri, range, visit);
        Ok(())
    }
}

/// A request that reads a document, for one kernel or for all.
fn read<T: Serialize + 'static>(
    LaunchArgument { uri, entry, .. }: LaunchArgument,
    answer: fn(&Snapshot, Option<&str>) -> std::result::Result<T, Failure>,
) -> Request {
    let handler = move |snapshot: &Snapshot| Response::value(answer(snapshot, entry.as_deref())?);
    Request { uri, urgency: Urgency::Now, handler: Arc::new(handler) }
}

/// The launches of the document, or of one kernel of it.
fn launches(snapshot: &Snapshot, entry: Option<&str>) -> std::result::Result<Vec<ListedLaunch>, Failure> {
    let files = launch_files(snapshot, &snapshot.uri)?.map_err(Failure::refused)?;
    let offers = snapshot.analysis.launches(snapshot.file, Some(&files))?;
    // A launch with an unknown kernel may be meant for any kernel.
    let is_listed = |offer: &&AvailableLaunch| {
        entry.is_none() || offer.entry.is_none() || offer.entry.as_deref() == entry
    };
    let listed = offers.iter().filter(is_listed).map(|offer| ListedLaunch {
        name: offer.name.clone(),
        entry: offer.entry.clone(),
        source_name: offer.entry.as_deref().and_then(warplens_ide::source_name),
        grid: offer.grid,
        block: offer.block,
        source: offer.source.as_str(),
        location: offer.at.as_ref().and_then(|at| launch_location(snapshot, offer, at, &files)),
        problem: offer.problem.as_ref().map(ToString::to_string),
    });
    Ok(listed.collect())
}

fn selection(argument: LaunchArgument) -> Result<Selection> {
    let LaunchArgument { entry, launch, cta, warp, model, .. } = argument;
    let launch = match launch {
        Value::Bool(true) => Choice::First,
        Value::String(name) => Choice::of_name(&name),
        object => {
            let given = Choice::from_json(&object.to_string());
            given.map_err(|problem| Error::invalid_params(format!("launch: {problem}")))?
        }
    };
    let warp = (cta.is_some() || warp.is_some())
        .then(|| WarpId { cta: cta.unwrap_or_default(), warp: warp.unwrap_or_default() });
    Ok(Selection { entry, launch, warp, home: None, model })
}
