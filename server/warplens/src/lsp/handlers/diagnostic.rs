//! `textDocument/diagnostic`, and `textDocument/publishDiagnostics` for clients that do not pull.

use std::sync::Arc;

use tower_lsp::ls_types::request::WorkspaceDiagnosticRefresh;
use tower_lsp::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};
use warplens_ide::Fixes;
use warplens_protocol::message;

use crate::cores::Cores;
use crate::lsp::ptxas;
use crate::lsp::request::{Job, Request, Requester, Response, Urgency};
use crate::lsp::snapshot::{Failure, Snapshot};
use crate::lsp::state::State;
use crate::lsp::to_proto;

/// `textDocument/diagnostic`.
pub(crate) fn pull(snapshot: &Snapshot) -> Result<Response, Failure> {
    let report = to_proto::diagnostic_report(diagnostics(snapshot)?);
    Ok(Response::Encoded(message::diagnostic_report(&report).map_err(Failure::refused)?))
}

/// `textDocument/publishDiagnostics`.
fn push(snapshot: &Snapshot) -> Result<Response, Failure> {
    let params = params(&snapshot.uri, snapshot.version, diagnostics(snapshot)?);
    Ok(Response::Diagnostics(message::publish_diagnostics(&params).map_err(Failure::refused)?))
}

fn params(uri: &Uri, version: i32, diagnostics: Vec<Diagnostic>) -> PublishDiagnosticsParams {
    PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version: Some(version) }
}

/// The diagnostics of a document, of ptxas, and of the run that is shown.
fn diagnostics(snapshot: &Snapshot) -> Result<Vec<Diagnostic>, Failure> {
    let found = snapshot.analysis.diagnostics_with(snapshot.file, Fixes::Omitted, &Cores::all())?;
    let found = found.into_iter().map(|found| to_proto::diagnostic(snapshot, found));
    let mut found: Vec<Diagnostic> = found.collect();
    found.extend(snapshot.launch_comments().map_or_else(Vec::new, |launches| launches.diagnostics()));
    ptxas::diagnostics::merge(snapshot, &mut found);
    found.extend(snapshot.findings()?.into_iter().map(|found| to_proto::diagnostic(snapshot, found)));
    Ok(found)
}

impl State {
    /// Queues the computation of diagnostics to publish; replaces the one of an older version.
    pub(crate) fn queue_publish(&mut self, uri: &Uri, version: i32) {
        self.remove_queued(uri, &Requester::Publish);
        let request = Request { uri: uri.clone(), urgency: Urgency::Debounced, handler: Arc::new(push) };
        self.enqueue(Job { requester: Requester::Publish, version, request });
    }

    pub(crate) fn publish(&self, uri: &Uri, version: i32, diagnostics: Vec<Diagnostic>) {
        self.client.publish(&params(uri, version, diagnostics));
    }

    /// Publishes the diagnostics of all documents again, or lets the client pull them again.
    pub(crate) fn refresh_all_diagnostics(&mut self) {
        let open: Vec<_> = self.documents.keys().cloned().collect();
        open.iter().for_each(|uri| self.publish_again(uri));
        self.request_refresh();
    }

    /// Publishes the diagnostics of a document again, or lets the client pull them again.
    pub(crate) fn refresh_diagnostics(&mut self, uri: &Uri) {
        self.publish_again(uri);
        self.request_refresh();
    }

    fn publish_again(&mut self, uri: &Uri) {
        let document = self.documents.get(uri).filter(|document| document.language().is_some());
        if let Some(version) = document.map(|document| document.version)
            && !self.capabilities.pull_diagnostics
        {
            self.queue_publish(uri, version);
        }
    }

    fn request_refresh(&self) {
        if self.capabilities.pull_diagnostics && self.capabilities.refresh_diagnostics {
            self.client.request::<WorkspaceDiagnosticRefresh>((), |_| None);
        }
    }
}
