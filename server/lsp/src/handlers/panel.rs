//! The requests of the lanes panel. They are answered from the run that a document shows.
//!
//! An answer may repeat a run, so it is computed on a separate thread and no edit waits for it. While the run of the document is in
//! progress, a request waits for its result, unless the client accepts the beginning of the run.

pub(crate) mod answers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ls_types::Uri;
use ropey::Rope;
use serde::Deserialize;
use serde_json::{Value, json};
use warplens_ide::lanes::json::Position;
use warplens_ide::lanes::panel::{Panel, PanelQuery};
use warplens_ide::lanes::{LaneView, WarpId};
use warplens_protocol::jsonrpc::{Id, Result};
use warplens_protocol::position::{self, Encoding};
use warplens_sim_warp::{Control, StatementId};

use crate::errors::caught;
use crate::event::Event;
use crate::from_proto::{self, document_params};
use crate::simulation::selection::{Awaited, PanelHandler};
use crate::state::State;

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
    pub(crate) fn panel_request(&mut self, id: Id, handler: PanelHandler, params: Value) {
        let request = document_params(params);
        self.wait_for_run(id, request.map(|(uri, params)| (uri, Awaited::Panel(handler, params))));
    }

    /// Computes the answer on a separate thread.
    pub(crate) fn answer_panel(&mut self, uri: &Uri, id: Id, handler: PanelHandler, params: Value) {
        let document = self.documents.get(uri);
        let shown = document.zip(self.shown.get(uri).lanes);
        let Some((document, lanes)) = shown else { return self.requests.answer(&id, Ok(Value::Null)) };
        let Some((text, ran)) = document.text().cloned().zip(lanes.ran()) else {
            return self.requests.answer(&id, Ok(Value::Null));
        };
        let (encoding, version) = (self.client.encoding, document.version);
        let run = ShownRun { panel: Arc::clone(&ran.panel), shown: lanes.shown, text, encoding, version };
        let events = self.events.clone();
        self.simulations.spawn_answer(uri, id.clone(), move |cancelled| {
            let answer = caught(|| run.answer(handler, params, cancelled));
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

    /// The text of a statement; empty if it was changed since it ran.
    fn text(&self, statement: StatementId) -> String {
        let text = self.shown.range(statement).and_then(|range| {
            let (start, end) = (usize::from(range.start()), usize::from(range.end()));
            self.text.get_byte_slice(start..end)
        });
        text.map(|text| text.to_string()).unwrap_or_default()
    }

    fn answer(&self, handler: PanelHandler, params: Value, cancelled: &AtomicBool) -> Result<Value> {
        let at = |statement| self.position(statement);
        let text = |statement| self.text(statement);
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        let selected = self.shown.warp;
        let WarpParams { cta, warp } = from_proto::params(params.clone())?;
        let query = PanelQuery {
            panel: &self.panel,
            warp: WarpId { cta: cta.unwrap_or(selected.cta), warp: warp.unwrap_or(selected.warp) },
            at: &at,
            text: &text,
            control: Control { cancelled: &is_cancelled, ..Control::none() },
        };
        let mut answer = handler(&query, params)?;
        answer["version"] = json!(self.version);
        if self.shown.outdated {
            answer["outdated"] = json!(true);
        }
        Ok(answer)
    }
}
