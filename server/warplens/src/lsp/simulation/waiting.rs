//! `warplens/laneMasks`: requests that wait for a result, parked as data.

use serde_json::Value;
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::Uri;

use crate::lsp::lanes::{self, LaneMasksParams};
use crate::lsp::requests::document_params;
use crate::lsp::state::{State, not_open};

/// A request that waits for a result.
pub(super) struct Parked {
    pub(super) id: Id,
    pub(super) params: LaneMasksParams,
}

impl State {
    /// `warplens/laneMasks`.
    pub(in crate::lsp) fn lane_masks(&mut self, id: Id, params: Value) {
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
                selected.parked.push(Parked { id, params });
                self.unpark_all(&uri);
            }
        }
    }

    /// Answers what is parked, unless there is still something to wait for.
    pub(super) fn unpark_all(&mut self, uri: &Uri) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        if selected.preparing.is_some() || selected.run.is_some() {
            return;
        }
        for Parked { id, params } in std::mem::take(&mut selected.parked) {
            if self.is_pending(&id) {
                self.ask(id, lanes::masks(uri.clone(), params));
            }
        }
    }
}
