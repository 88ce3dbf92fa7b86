//! The commands of `workspace/executeCommand`.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::{ExecuteCommandParams, MessageType, Position, Range, Uri};
use warplens_ide::lanes::Choice;
use warplens_sim::WarpId;
use warplens_sim::launch::launch_object;

use super::job::{Done, Question, Urgency};
use super::lanes::{self, Selection};
use super::ptxas::RESOURCES;
use super::requests::Asked;
use super::state::{State, not_open};
use crate::position::text_range;

/// Selects what is shown in a document.
pub(super) const SELECT_LAUNCH: &str = "warplens.selectLaunch";
/// Lists what can be selected.
const LIST_LAUNCHES: &str = "warplens.listLaunches";

/// Chooses the visit of a line that is shown.
const SELECT_VISIT: &str = "warplens.selectVisit";

/// Shows what a source action could not write otherwise.
pub(super) const SHOW_LEFT: &str = "warplens.showLeft";

/// Every command of the server.
pub(super) const ALL: [&str; 5] = [SELECT_LAUNCH, LIST_LAUNCHES, SELECT_VISIT, RESOURCES, SHOW_LEFT];

/// The extension's own command behind a lens of its style.
pub(super) const PICK_LAUNCH: &str = "warplens.pickLaunch";

/// The argument of the commands.
#[derive(Deserialize)]
struct Argument {
    uri: Uri,
    entry: Option<String>,
    /// A name, a launch, `null` for none; left out for the first that there is.
    #[serde(default = "first")]
    launch: Value,
    cta: Option<[u32; 3]>,
    warp: Option<u32>,
    /// The divergence model; left out for the launch's own, or that of the settings.
    model: Option<String>,
}

/// The argument of [`SELECT_VISIT`].
#[derive(Deserialize)]
struct VisitArgument {
    uri: Uri,
    line: u32,
    /// `null` for the last one of each line.
    visit: Option<u64>,
}

/// The argument of [`SHOW_LEFT`].
#[derive(Deserialize)]
struct LeftArgument {
    message: String,
}

fn first() -> Value {
    Value::Bool(true)
}

impl State {
    /// Runs a command.
    pub(super) fn command(&mut self, id: Id, params: Value) {
        if let Err(error) = self.try_command(&id, params) {
            self.answer(&id, Err(error));
        }
    }

    fn try_command(&mut self, id: &Id, params: Value) -> Result<()> {
        let invalid = |error: serde_json::Error| Error::invalid_params(error.to_string());
        let params: ExecuteCommandParams = serde_json::from_value(params).map_err(invalid)?;
        if !ALL.contains(&params.command.as_str()) {
            return Err(Error::invalid_params(format!("there is no command `{}`", params.command)));
        }
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        if params.command == SELECT_VISIT {
            return self.visit(id, serde_json::from_value(argument).map_err(invalid)?);
        }
        if params.command == SHOW_LEFT {
            let LeftArgument { message } = serde_json::from_value(argument).map_err(invalid)?;
            self.outbox.show(MessageType::WARNING, message);
            self.answer(id, Ok(Value::Null));
            return Ok(());
        }
        let argument: Argument = serde_json::from_value(argument).map_err(invalid)?;
        if !self.documents.contains_key(&argument.uri) {
            return Err(not_open(&argument.uri));
        }
        if params.command == RESOURCES {
            self.ptxas_resources(id.clone(), &argument.uri);
        } else if params.command == LIST_LAUNCHES {
            self.ask(id.clone(), list(argument));
        } else if argument.launch.is_null() {
            self.deselect(&argument.uri);
            self.answer(id, Ok(Value::Null));
        } else {
            let uri = argument.uri.clone();
            self.select(id.clone(), &uri, selection(argument)?);
        }
        Ok(())
    }
}

impl State {
    fn visit(&mut self, id: &Id, VisitArgument { uri, line, visit }: VisitArgument) -> Result<()> {
        let text = self.documents.get(&uri).and_then(|document| document.text());
        let Some(text) = text else { return Err(not_open(&uri)) };
        let start = Position { line, character: 0 };
        let end = Position { line, character: u32::MAX };
        let line = text_range(text, Range { start, end }, self.encoding);
        let line = line.ok_or_else(|| Error::invalid_params("there is no such line"))?;
        self.select_visit(id.clone(), &uri, line, visit);
        Ok(())
    }
}

fn list(argument: Argument) -> Asked {
    let Argument { uri, entry, .. } = argument;
    let ask =
        Box::new(move |question: &Question| Ok(Done::Answer(lanes::offers(question, entry.as_deref())?)));
    Asked { uri, urgency: Urgency::Now, ask }
}

fn selection(argument: Argument) -> Result<Selection> {
    let Argument { entry, launch, cta, warp, model, .. } = argument;
    let launch = match launch {
        Value::Bool(true) => Choice::First,
        Value::String(name) => Choice::of_name(&name),
        object => {
            let launch = launch_object(&object.to_string());
            Choice::Given(Box::new(
                launch.map_err(|problem| Error::invalid_params(format!("launch: {problem}")))?,
            ))
        }
    };
    let warp = (cta.is_some() || warp.is_some())
        .then(|| WarpId { cta: cta.unwrap_or_default(), warp: warp.unwrap_or_default() });
    Ok(Selection { entry, launch, warp, model })
}
