//! `warplens/laneMasks`. A request waits while the run of its document is in progress, unless the client accepts the beginning of the run.

use std::sync::Arc;

use ls_types::{Position, Uri};
use serde_json::Value;
use text_size::{TextRange, TextSize};
use warplens_ide::lanes::{WarpId, json};
use warplens_protocol::jsonrpc::{self, Id};

use crate::documents::request::{Request, Response, Urgency};
use crate::documents::snapshot::{Failure, Snapshot};
use crate::errors::not_open;
use crate::from_proto::document_params;
use crate::handlers::simulation::prepare::unknown_warp;
use crate::simulation::selection::{Awaited, LaneMasksParams, WaitingRequest};
use crate::state::State;

impl State {
    pub(crate) fn lane_masks(&mut self, id: Id, params: Value) {
        let request = document_params(params);
        self.wait_for_run(id, request.map(|(uri, params)| (uri, Awaited::Masks(params))));
    }

    /// Answers a request once the run of its document has ended, or its beginning is shown and the client accepts that.
    pub(crate) fn wait_for_run(&mut self, id: Id, request: jsonrpc::Result<(Uri, Awaited)>) {
        let (uri, awaited) = match request {
            Ok(request) => request,
            Err(error) => return self.requests.answer(&id, Err(error)),
        };
        if !self.documents.is_open(&uri) {
            return self.requests.answer(&id, Err(not_open(&uri)));
        }
        let lanes = self.shown.get(&uri).lanes;
        let is_dropped =
            lanes.is_some_and(|lanes| lanes.ran().is_none() && awaited.needs_run(lanes.shown.warp));
        match self.simulations.selected.get_mut(&uri) {
            None => self.requests.answer(&id, Ok(Value::Null)),
            Some(selected) => {
                let is_idle = selected.preparing.is_none() && selected.run.is_none();
                selected.waiting.push(WaitingRequest { id, awaited });
                if is_dropped && is_idle {
                    self.prepare_again(&uri);
                }
                self.answer_waiting(&uri);
            }
        }
    }

    /// Answers the waiting requests. While a run is in progress, only those are answered that accept its beginning, if that is shown.
    pub(crate) fn answer_waiting(&mut self, uri: &Uri) {
        let shows_beginning = self.shown.get(uri).lanes.is_some_and(|lanes| lanes.shown.partial);
        for WaitingRequest { id, awaited } in self.simulations.take_answerable(uri, shows_beginning) {
            match awaited {
                _ if !self.requests.is_pending(&id) => {}
                Awaited::Masks(params) => self.read_document(id, request(uri.clone(), params)),
                Awaited::Panel(handler, params) => self.answer_panel(uri, id, handler, params),
            }
        }
    }
}

fn request(uri: Uri, params: LaneMasksParams) -> Request {
    let handler = Arc::new(move |snapshot: &Snapshot| masks(snapshot, &params));
    // The user waits for the lanes after an edit, which also causes slower requests about the whole document.
    Request { uri, urgency: Urgency::Now, handler }
}

/// The masks of one warp; `null` if nothing has run.
fn masks(snapshot: &Snapshot, params: &LaneMasksParams) -> Result<Response, Failure> {
    let Some(lanes) = snapshot.lanes() else { return Ok(Response::Value(Value::Null)) };
    let selected = lanes.shown.warp;
    let warp = WarpId { cta: params.cta.unwrap_or(selected.cta), warp: params.warp.unwrap_or(selected.warp) };
    let Some(shown) = lanes.warp(warp) else { return Err(unknown_warp(warp)) };
    let at = |offset: TextSize| {
        let Position { line, character } = snapshot.range(TextRange::empty(offset)).start;
        json::Position { line, character }
    };
    let values = snapshot.settings.lanes.values;
    Response::value(shown.masks(snapshot.version, params.compact, values, &at))
}
