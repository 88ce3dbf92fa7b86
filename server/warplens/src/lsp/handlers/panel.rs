//! The requests of the lanes panel. They are answered from the run that a document shows.
//!
//! An answer may repeat a run, so it is computed on a separate thread and no edit waits for it. While the run of the document is in
//! progress, a request waits for its result, unless the client accepts the beginning of the run.

pub(crate) mod accesses;
pub(crate) mod buffers;
pub(crate) mod graph;
pub(crate) mod moment;
pub(crate) mod registers;
pub(crate) mod timeline;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ropey::Rope;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::json::Position;
use warplens_ide::lanes::panel::{Panel, PanelError, PanelQuery};
use warplens_ide::lanes::{LaneView, WarpId};
use warplens_protocol::position::{self, Encoding};
use warplens_sim_warp::{Control, StatementId};

use crate::lsp::errors::{internal, not_open, refused};
use crate::lsp::event::Event;
use crate::lsp::from_proto::{self, document_params};
use crate::lsp::simulation::panel_request::{PanelHandler, PanelRequest};
use crate::lsp::state::State;
use crate::panic::panic_message;

/// The parameters of every request.
#[derive(Deserialize)]
struct WarpParams {
    cta: Option<[u32; 3]>,
    warp: Option<u32>,
}

/// The document of a request and its run.
struct ShownRun {
    panel: Arc<Panel>,
    shown: Arc<LaneView>,
    text: Rope,
    encoding: Encoding,
    version: i32,
}

impl State {
    /// Handles a request of the panel.
    pub(crate) fn panel_request(&mut self, id: Id, handler: PanelHandler, params: Value) {
        let uri = match document_params::<Value>(params.clone()) {
            Ok((uri, _)) => uri,
            Err(error) => return self.requests.answer(&id, Err(error)),
        };
        if !self.documents.is_open(&uri) {
            return self.requests.answer(&id, Err(not_open(&uri)));
        }
        match self.simulations.selected.get_mut(&uri) {
            None => self.requests.answer(&id, Ok(Value::Null)),
            Some(selected) => {
                selected.panel_requests.push(PanelRequest { id, handler, params });
                self.answer_waiting(&uri);
            }
        }
    }

    /// Computes the answer on a separate thread.
    pub(crate) fn answer_panel(&mut self, uri: &Uri, request: PanelRequest) {
        let PanelRequest { id, handler, params } = request;
        if !self.requests.is_pending(&id) {
            return;
        }
        let document = self.documents.get(uri);
        let shown = document.zip(self.shown.get(uri).lanes);
        let Some((document, lanes)) = shown else { return self.requests.answer(&id, Ok(Value::Null)) };
        let Some(text) = document.text().cloned() else {
            return self.requests.answer(&id, Ok(Value::Null));
        };
        let (encoding, version) = (self.client.encoding, document.version);
        let run = ShownRun { panel: lanes.panel(), shown: lanes.shown, text, encoding, version };
        let events = self.events.clone();
        self.simulations.spawn_answer(id.clone(), move |cancelled| {
            let work = || run.answer(handler, params, cancelled);
            let answer = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))));
            let _ = events.send(Event::PanelAnswered(id, answer));
        });
    }
}

impl ShownRun {
    /// The position of a statement's opcode.
    fn position(&self, statement: StatementId) -> Option<Position> {
        let opcode = self.shown.opcode(statement)?;
        let at = position::position(&self.text, opcode, self.encoding);
        Some(Position { line: at.line, character: at.character })
    }

    fn answer(&self, handler: PanelHandler, params: Value, cancelled: &AtomicBool) -> Result<Value> {
        let at = |statement| self.position(statement);
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        let selected = self.shown.warp();
        let WarpParams { cta, warp } = from_proto::params(params.clone())?;
        let query = PanelQuery {
            panel: &self.panel,
            warp: WarpId { cta: cta.unwrap_or(selected.cta), warp: warp.unwrap_or(selected.warp) },
            at: &at,
            control: Control { cancelled: &is_cancelled, ..Control::none() },
        };
        let mut answer = handler(&query, params)?;
        answer["version"] = json!(self.version);
        if self.shown.is_outdated() {
            answer["outdated"] = json!(true);
        }
        Ok(answer)
    }
}

/// The answer as JSON.
fn answer<T: Serialize>(answer: std::result::Result<T, PanelError>) -> Result<Value> {
    match answer {
        Ok(answer) => serde_json::to_value(answer).map_err(|error| internal(&error.to_string())),
        Err(PanelError::Cancelled) => Err(Error::request_cancelled()),
        Err(PanelError::Refused(reason)) => Err(refused(reason)),
    }
}
