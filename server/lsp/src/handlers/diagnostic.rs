//! `textDocument/diagnostic`, and `textDocument/publishDiagnostics` for clients that do not pull.

use std::sync::Arc;

use ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};
use warplens_ide::Fixes;
use warplens_protocol::message;

use crate::documents::request::{Job, Request, Requester, Response, Urgency};
use crate::documents::snapshot::{Failure, Snapshot};
use crate::handlers::{expected, ptxas};
use crate::state::State;
use crate::to_proto;
use warplens_system::cores::Cores;

/// `textDocument/diagnostic`.
pub(crate) fn pull(snapshot: &Snapshot) -> Result<Response, Failure> {
    let report = to_proto::diagnostic_report(diagnostics(snapshot)?);
    Ok(Response::Encoded(message::diagnostic_report(&report).map_err(Failure::refused)?))
}

/// `textDocument/publishDiagnostics`.
fn push(snapshot: &Snapshot) -> Result<Response, Failure> {
    let (uri, version) = (snapshot.uri.clone(), Some(snapshot.version));
    let params = PublishDiagnosticsParams { uri, version, diagnostics: diagnostics(snapshot)? };
    Ok(Response::Diagnostics(message::publish_diagnostics(&params).map_err(Failure::refused)?))
}

/// The diagnostics of a document: of the text, of launches in comments, of ptxas and of the run that is shown.
fn diagnostics(snapshot: &Snapshot) -> Result<Vec<Diagnostic>, Failure> {
    let found = snapshot.analysis.diagnostics_with(snapshot.file, Fixes::Omitted, &Cores::all())?;
    let found = found.into_iter().map(|found| to_proto::diagnostic(snapshot, found));
    let mut found: Vec<Diagnostic> = found.collect();
    found.extend(snapshot.launch_comments().map_or_else(Vec::new, |launches| launches.diagnostics()));
    ptxas::diagnostics::merge(snapshot, &mut found);
    let findings = snapshot.findings()?.into_iter().map(|found| to_proto::diagnostic(snapshot, found));
    let mut findings: Vec<Diagnostic> = findings.collect();
    expected::link(snapshot, &mut findings)?;
    found.append(&mut findings);
    Ok(found)
}

impl State {
    /// Queues the computation of diagnostics to publish, and drops the one for an older version.
    pub(crate) fn queue_publish(&mut self, uri: &Uri, version: i32) {
        self.scheduler.remove(uri, &Requester::Publish);
        let request = Request { uri: uri.clone(), urgency: Urgency::Debounced, handler: Arc::new(push) };
        self.enqueue(Job { requester: Requester::Publish, version, request });
    }

    /// Publishes the diagnostics of all documents again, or tells the client to pull them again.
    pub(crate) fn refresh_all_diagnostics(&mut self) {
        let open: Vec<Uri> = self.documents.iter().map(|(uri, _)| uri.clone()).collect();
        open.iter().for_each(|uri| self.publish_again(uri));
        self.client.refresh_diagnostics();
    }

    /// Publishes the diagnostics of a document again, or tells the client to pull them again.
    pub(crate) fn refresh_diagnostics(&mut self, uri: &Uri) {
        self.publish_again(uri);
        self.client.refresh_diagnostics();
    }

    fn publish_again(&mut self, uri: &Uri) {
        let document = self.documents.get(uri).filter(|document| document.is_analyzed());
        if let Some(version) = document.map(|document| document.version)
            && !self.client.capabilities.pull_diagnostics
        {
            self.queue_publish(uri, version);
        }
    }
}
