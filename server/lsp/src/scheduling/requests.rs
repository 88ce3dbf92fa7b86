//! The requests of the client that have no answer yet, as the state thread sees them.

use std::sync::Arc;

use ls_types::error_codes;
use ls_types::request::{DocumentDiagnosticRequest, Request as _};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use warplens_ide::Canceller;
use warplens_protocol::jsonrpc::{Error, Id, Result};

use crate::documents::request::{Job, Requester};
use crate::environment::Environment;
use crate::errors::internal;

/// The requests without an answer.
pub(crate) struct Requests {
    pending: FxHashMap<Id, Pending>,
    environment: Arc<dyn Environment>,
}

/// A request without an answer.
struct Pending {
    pulls_diagnostics: bool,
    /// Cancels the worker that computes the answer.
    canceller: Option<Canceller>,
}

impl Requests {
    pub(crate) fn new(environment: Arc<dyn Environment>) -> Requests {
        Requests { pending: FxHashMap::default(), environment }
    }

    /// Adds a request, which must be answered later.
    pub(crate) fn add(&mut self, id: Id, method: &str) {
        let pulls_diagnostics = method == DocumentDiagnosticRequest::METHOD;
        self.pending.insert(id, Pending { pulls_diagnostics, canceller: None });
    }

    /// Answers a request, unless it has been answered.
    pub(crate) fn answer(&mut self, id: &Id, answer: Result<Value>) {
        self.pending.remove(id);
        self.environment.answer(id, answer);
    }

    /// Answers a request with an encoded result, unless it has been answered.
    pub(crate) fn answer_encoded(&mut self, id: &Id, result: &[u8]) {
        match warplens_protocol::message::answer(id, result) {
            Ok(message) if self.pending.remove(id).is_some() => {
                self.environment.answer_encoded(id, message);
            }
            Ok(_) => {}
            Err(error) => self.answer(id, Err(internal(&error.to_string()))),
        }
    }

    pub(crate) fn is_pending(&self, id: &Id) -> bool {
        self.pending.contains_key(id)
    }

    /// Whether a pending request pulls diagnostics.
    pub(crate) fn pulls_diagnostics(&self, id: &Id) -> bool {
        self.pending.get(id).is_some_and(|pending| pending.pulls_diagnostics)
    }

    /// A worker has started to compute the answer.
    pub(crate) fn started(&mut self, id: &Id, canceller: Canceller) {
        if let Some(pending) = self.pending.get_mut(id) {
            pending.canceller = Some(canceller);
        }
    }

    /// Cancels the worker that computes the answer, if there is one.
    pub(crate) fn cancel_worker(&self, id: &Id) {
        if let Some(canceller) = self.pending.get(id).and_then(|pending| pending.canceller.as_ref()) {
            canceller.cancel();
        }
    }

    /// Rejects a request whose document has changed. A client pulls diagnostics again only if the error asks for it.
    pub(crate) fn reject_outdated(&mut self, job: &Job) {
        let Requester::Client(id) = &job.requester else { return };
        let error = if self.pulls_diagnostics(id) {
            let data = Some(json!({ "retriggerRequest": true }));
            Error { data, ..Error::new(error_codes::SERVER_CANCELLED, "the document has changed") }
        } else {
            Error::content_modified()
        };
        self.answer(id, Err(error));
    }
}
