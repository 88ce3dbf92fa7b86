//! Requests and notifications about launch files. The files are small, so the state thread answers at once.
//!
//! The lanes of other documents follow a launch file when it is saved.

use ls_types::request::{
    CodeActionRequest, Completion, DocumentDiagnosticRequest, HoverRequest, Request as _,
};
use ls_types::{CodeActionParams, CompletionParams, HoverParams, TextDocumentContentChangeEvent, Uri};
use serde_json::Value;
use warplens_protocol::jsonrpc::Result;

use crate::documents::launch_document::LaunchDocument;
use crate::errors::encoded;
use crate::from_proto;
use crate::state::State;
use crate::to_proto::diagnostic_report;

impl State {
    pub(crate) fn open_launch_document(&mut self, uri: &Uri, document: LaunchDocument) {
        self.documents.launch_files.insert(uri.clone(), document);
        self.publish_launch_problems(uri);
    }

    /// Edits a launch file, if it is one.
    pub(crate) fn change_launch_document(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        if let Some(document) = self.documents.launch_files.get_mut(uri) {
            document.change(version, changes, self.client.encoding);
            self.publish_launch_problems(uri);
        }
    }

    /// Closes a launch file, if it is one.
    pub(crate) fn close_launch_document(&mut self, uri: &Uri) {
        if self.documents.launch_files.remove(uri).is_some() {
            self.client.publish(uri, None, vec![]);
        }
    }

    fn publish_launch_problems(&self, uri: &Uri) {
        if let Some(document) =
            self.documents.launch_files.get(uri).filter(|_| !self.client.capabilities.pull_diagnostics)
        {
            let diagnostics = document.launches(self.client.encoding).diagnostics();
            self.client.publish(uri, Some(document.version), diagnostics);
        }
    }

    /// The answer of a request about a launch file: `null` unless it is one of the supported requests.
    pub(crate) fn launch_answer(&self, method: &str, params: Value) -> Result<Value> {
        let document = |uri: &Uri| {
            self.documents.launch_files.get(uri).map(|document| document.launches(self.client.encoding))
        };
        match method {
            DocumentDiagnosticRequest::METHOD => {
                let found = from_proto::document_of(&params).and_then(|uri| document(&uri));
                encoded(diagnostic_report(found.map(|found| found.diagnostics()).unwrap_or_default()))
            }
            HoverRequest::METHOD => {
                let at = from_proto::params::<HoverParams>(params)?.text_document_position_params;
                let found = document(&at.text_document.uri);
                encoded(found.and_then(|found| found.hover(at.position, &self.client.capabilities)))
            }
            Completion::METHOD => {
                let at = from_proto::params::<CompletionParams>(params)?.text_document_position;
                let found = document(&at.text_document.uri);
                encoded(found.map(|found| found.completions(at.position, &self.client.capabilities)))
            }
            CodeActionRequest::METHOD => {
                let params: CodeActionParams = from_proto::params(params)?;
                let uri = &params.text_document.uri;
                encoded(document(uri).map(|found| found.fixes(uri, params.range)))
            }
            _ => Ok(Value::Null),
        }
    }
}
