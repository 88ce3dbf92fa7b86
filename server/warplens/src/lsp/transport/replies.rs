//! The channels through which the service receives the answers to requests.
//!
//! The service registers a request before the state thread sees it, then waits for the answer. The channels are shared between the
//! threads, so that events carry data only.

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::Response;
use warplens_protocol::jsonrpc::{Id, Result};

use crate::lsp::transport::convert;

/// The channels of pending requests, by id.
#[derive(Default)]
pub(crate) struct Replies(DashMap<Id, oneshot::Sender<Response>>);

impl Replies {
    /// Registers a request; `None` if a request with this id is pending.
    pub(crate) fn register(&self, id: Id) -> Option<oneshot::Receiver<Response>> {
        let Entry::Vacant(entry) = self.0.entry(id) else { return None };
        let (sender, receiver) = oneshot::channel();
        entry.insert(sender);
        Some(receiver)
    }

    /// Answers a request, unless it has been answered.
    pub(crate) fn send(&self, id: &Id, answer: Result<serde_json::Value>) {
        if let Some((id, sender)) = self.0.remove(id) {
            let answer = answer.map_err(convert::to_tower);
            let _ = sender.send(Response::from_parts(convert::id_to_tower(id), answer));
        }
    }

    /// Drops a request without an answer.
    pub(crate) fn drop_request(&self, id: &Id) {
        self.0.remove(id);
    }

    /// Drops all requests, because the connection ends.
    pub(crate) fn drop_all(&self) {
        self.0.clear();
    }
}
