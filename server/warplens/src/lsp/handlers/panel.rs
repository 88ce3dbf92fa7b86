//! The requests of the lanes panel: `warplens/timeline`, `warplens/moment`, `warplens/registers`, `warplens/accesses`,
//! `warplens/buffers` and `warplens/graph`.
//!
//! An answer may repeat a run, so it is computed on a thread of its own, and an edit does not wait for it. While the run
//! of the document is in progress, a request waits for its result, unless it takes the beginning of the run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ropey::Rope;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::json::{Position, Positions};
use warplens_ide::lanes::panel::{BufferRequest, MomentRequest, Page, Panel, PanelError};
use warplens_ide::lanes::{LaneView, WarpId};
use warplens_sim::Control;

use crate::lsp::errors::{internal, not_open, refused};
use crate::lsp::event::Event;
use crate::lsp::from_proto::{document_params, params};
use crate::lsp::simulation::panel_request::{PanelMethod, PanelRequest};
use crate::lsp::state::State;
use crate::panic::panic_message;
use warplens_protocol::position::{self, Encoding};

/// The parameters that all requests have.
#[derive(Debug, Default, Deserialize)]
struct WarpParams {
    cta: Option<[u32; 3]>,
    warp: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct TimelineParams {
    #[serde(default)]
    from: u64,
    to: Option<u64>,
    bins: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct MomentParams {
    step: Option<u64>,
    line: Option<u32>,
    visit: Option<u64>,
    #[serde(default)]
    pins: Vec<String>,
}

impl MomentParams {
    fn place(&self) -> Option<MomentRequest> {
        let line = || self.line.map(|line| MomentRequest::Line(line, self.visit));
        self.step.map(MomentRequest::Step).or_else(line)
    }

    fn required(&self) -> Result<MomentRequest> {
        self.place().ok_or_else(|| Error::invalid_params("`step` or `line` is required"))
    }
}

#[derive(Debug, Deserialize)]
struct BufferParams {
    name: Option<String>,
    #[serde(default)]
    from: u64,
    count: Option<u64>,
    element: Option<u64>,
}

/// What an answer needs of the document.
struct Source {
    panel: Arc<Panel>,
    shown: Arc<LaneView>,
    text: Rope,
    encoding: Encoding,
    version: i32,
}

impl State {
    /// A request of the panel.
    pub(crate) fn panel_request(&mut self, id: Id, method: PanelMethod, params: Value) {
        let uri = match document_params::<Value>(params.clone()) {
            Ok((uri, _)) => uri,
            Err(error) => return self.answer(&id, Err(error)),
        };
        if !self.documents.contains_key(&uri) {
            return self.answer(&id, Err(not_open(&uri)));
        }
        match self.simulations.selected.get_mut(&uri) {
            None => self.answer(&id, Ok(Value::Null)),
            Some(selected) => {
                selected.panel_requests.push(PanelRequest { id, method, params });
                self.answer_waiting(&uri);
            }
        }
    }

    /// Computes the answer of a request on another thread.
    pub(crate) fn answer_panel(&mut self, uri: &Uri, request: PanelRequest) {
        let PanelRequest { id, method, params } = request;
        if !self.is_pending(&id) {
            return;
        }
        let document = self.documents.get(uri);
        let Some((document, lanes)) = document.zip(self.shown.get(uri).lanes) else {
            return self.answer(&id, Ok(Value::Null));
        };
        let Some(text) = document.text().cloned() else { return self.answer(&id, Ok(Value::Null)) };
        let (encoding, version) = (self.encoding, document.version);
        let source = Source { panel: lanes.panel(), shown: lanes.shown, text, encoding, version };
        let cancelled = Arc::new(AtomicBool::new(false));
        self.simulations.panel_requests.insert(id.clone(), Arc::clone(&cancelled));
        let events = self.events.clone();
        self.simulations.spawn_answer(move || {
            let work = || source.answer(method, params, &cancelled);
            let answer = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))));
            let _ = events.send(Event::PanelAnswered(id, answer));
        });
    }

    /// The answer of a request was computed.
    pub(crate) fn panel_answered(&mut self, id: &Id, answer: Result<Value>) {
        self.simulations.panel_requests.remove(id);
        self.answer(id, answer);
    }
}

impl Source {
    fn at(&self, statement: warplens_sim::StatementId) -> Option<Position> {
        let opcode = self.shown.opcode(statement)?;
        let at = position::position(&self.text, opcode, self.encoding);
        Some(Position { line: at.line, character: at.character })
    }

    fn answer(&self, method: PanelMethod, value: Value, cancelled: &AtomicBool) -> Result<Value> {
        let at = |statement| self.at(statement);
        let at: Positions<'_> = &at;
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        let control = Control { cancelled: &is_cancelled, ..Control::none() };
        let selected = self.shown.warp();
        let of: WarpParams = read(value.clone())?;
        let warp = WarpId { cta: of.cta.unwrap_or(selected.cta), warp: of.warp.unwrap_or(selected.warp) };
        let panel = &self.panel;
        let mut answer = match method {
            PanelMethod::Timeline => {
                let TimelineParams { from, to, bins } = read(value)?;
                to_value(panel.timeline(warp, Page { from, to, bins }, at, control))
            }
            PanelMethod::Moment => {
                let moment: MomentParams = read(value)?;
                to_value(panel.locate(warp, moment.required()?, at, control))
            }
            PanelMethod::Registers => {
                let moment: MomentParams = read(value)?;
                to_value(panel.registers(warp, moment.required()?, &moment.pins, at, control))
            }
            PanelMethod::Accesses => {
                to_value(panel.accesses(warp, read::<MomentParams>(value)?.place(), at, control))
            }
            PanelMethod::Buffers => {
                let BufferParams { name, from, count, element } = read(value)?;
                to_value(panel.buffers(&BufferRequest { name, from, count, element }, at, control))
            }
            PanelMethod::Graph => to_value(panel.graph(warp, at, control)),
        }?;
        answer["version"] = json!(self.version);
        if self.shown.is_outdated() {
            answer["outdated"] = json!(true);
        }
        Ok(answer)
    }
}

fn read<P: DeserializeOwned>(value: Value) -> Result<P> {
    params(value)
}

fn to_value<T: serde::Serialize>(answer: std::result::Result<T, PanelError>) -> Result<Value> {
    match answer {
        Ok(answer) => serde_json::to_value(answer).map_err(|error| internal(&error.to_string())),
        Err(PanelError::Cancelled) => Err(Error::request_cancelled()),
        Err(PanelError::Refused(reason)) => Err(refused(reason)),
    }
}
