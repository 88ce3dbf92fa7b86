//! `workspace/symbol`, and the search for definitions in the workspace.

use ls_types::WorkspaceSymbolParams;
use serde_json::Value;
use warplens_protocol::jsonrpc::Id;

use crate::errors::caught;
use crate::event::Event;
use crate::from_proto;
use crate::state::State;
use crate::workspace_index::index::{OpenDocument, Query};

impl State {
    pub(crate) fn workspace_symbol(&mut self, id: Id, params: Value) {
        match from_proto::params::<WorkspaceSymbolParams>(params) {
            Ok(params) => self.workspace_index.waiting.push_back((id, Query::Symbols(params.query))),
            Err(error) => self.requests.answer(&id, Err(error)),
        }
    }

    /// The definitions of a name, for `textDocument/implementation`.
    pub(crate) fn find_definitions(&mut self, id: &Id, name: Option<String>) {
        match name {
            Some(name) => self.workspace_index.waiting.push_back((id.clone(), Query::Definitions(name))),
            None => self.requests.answer(id, Ok(Value::Null)),
        }
    }

    /// The next search whose request is still pending, as work for the background worker.
    pub(crate) fn next_index_search(&mut self) -> Option<impl FnOnce() + Send + use<>> {
        let mut waiting = std::iter::from_fn(|| self.workspace_index.waiting.pop_front());
        let (id, query) = waiting.find(|(id, _)| self.requests.is_pending(id))?;
        let open = self.documents.iter().filter_map(|(uri, document)| {
            let (language, text) = (document.language()?, document.text()?.clone());
            Some(OpenDocument { uri: uri.clone(), version: document.version, language, text })
        });
        let search =
            self.workspace_index.search(open.collect(), self.client.encoding, self.client.capabilities.links);
        let events = self.events.clone();
        Some(move || {
            let answer = caught(|| search.answer(&query));
            let _ = events.send(Event::IndexSearched(id, answer));
        })
    }
}
