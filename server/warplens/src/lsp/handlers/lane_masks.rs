//! `warplens/laneMasks`. A request waits while the run of its document is in progress, unless it takes the beginning of the run.

use std::sync::Arc;

use serde_json::Value;
use text_size::{TextRange, TextSize};
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::{Position, Uri};
use warplens_ide::lanes::{WarpId, json};

use crate::lsp::errors::not_open;
use crate::lsp::from_proto::document_params;
use crate::lsp::request::{Request, Response, Urgency};
use crate::lsp::simulation::panel_request::PanelRequest;
use crate::lsp::simulation::prepare::unknown_warp;
use crate::lsp::simulation::selection::{LaneMasksParams, WaitingRequest};
use crate::lsp::snapshot::{Failure, Snapshot};
use crate::lsp::state::State;
use crate::lsp::to_proto::to_value;

/// The method.
pub(crate) const LANE_MASKS: &str = "warplens/laneMasks";

impl State {
    /// `warplens/laneMasks`.
    pub(crate) fn lane_masks(&mut self, id: Id, params: Value) {
        let params = match document_params::<LaneMasksParams>(params) {
            Ok((_, params)) => params,
            Err(error) => return self.answer(&id, Err(error)),
        };
        let uri = params.text_document.uri.clone();
        if !self.documents.contains_key(&uri) {
            return self.answer(&id, Err(not_open(&uri)));
        }
        match self.simulations.selected.get_mut(&uri) {
            None => self.answer(&id, Ok(Value::Null)),
            Some(selected) => {
                selected.waiting.push(WaitingRequest { id, params });
                self.answer_waiting(&uri);
            }
        }
    }

    /// Answers the waiting requests; while a run is in progress only those that take its beginning, if that is shown.
    pub(crate) fn answer_waiting(&mut self, uri: &Uri) {
        let shows_beginning = self.shown.get(uri).lanes.is_some_and(|lanes| lanes.is_partial());
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        if selected.preparing.is_some() || selected.run.is_some() {
            if !shows_beginning {
                return;
            }
            let masks = selected.waiting.extract_if(.., |waiting| waiting.params.partial).collect();
            let panel = selected.panel_requests.extract_if(.., |request| request.takes_beginning()).collect();
            return self.answer_all(uri, masks, panel);
        }
        let masks = std::mem::take(&mut selected.waiting);
        let panel = std::mem::take(&mut selected.panel_requests);
        self.answer_all(uri, masks, panel);
    }

    fn answer_all(&mut self, uri: &Uri, masks: Vec<WaitingRequest>, panel: Vec<PanelRequest>) {
        for WaitingRequest { id, params } in masks {
            if self.is_pending(&id) {
                self.read_document(id, request(uri.clone(), params));
            }
        }
        for request in panel {
            self.answer_panel(uri, request);
        }
    }
}

fn request(uri: Uri, params: LaneMasksParams) -> Request {
    let handler = Arc::new(move |snapshot: &Snapshot| Ok(Response::Answer(masks(snapshot, &params)?)));
    // The user waits for them after an edit, which also causes requests about the whole document.
    Request { uri, urgency: Urgency::Now, handler }
}

/// The masks of one warp; `null` without a run.
fn masks(snapshot: &Snapshot, params: &LaneMasksParams) -> Result<Value, Failure> {
    let Some(lanes) = snapshot.lanes() else { return Ok(Value::Null) };
    let selected = lanes.shown.warp();
    let warp = WarpId { cta: params.cta.unwrap_or(selected.cta), warp: params.warp.unwrap_or(selected.warp) };
    let Some(shown) = lanes.warp(warp) else { return Err(unknown_warp(warp)) };
    let at = |offset: TextSize| {
        let Position { line, character } = snapshot.range(TextRange::empty(offset)).start;
        json::Position { line, character }
    };
    to_value(shown.masks(snapshot.version, params.compact, &at))
}
