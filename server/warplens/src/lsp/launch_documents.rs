//! Open launch files. They are small, so the state thread answers requests about them at once.
//!
//! The lanes of other documents follow a launch file when it is saved.

use std::path::Path;

use ropey::Rope;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::request::{
    CodeActionRequest, Completion, DocumentDiagnosticRequest, HoverRequest, Request as _,
};
use tower_lsp::ls_types::{
    CodeActionParams, CompletionParams, HoverParams, PublishDiagnosticsParams,
    TextDocumentContentChangeEvent, TextDocumentItem, Uri,
};
use warplens_ide::lanes::launch_text::LaunchHome;

use super::launch_text::LaunchText;
use super::snapshot::Failure;
use super::state::State;
use super::to_proto::{diagnostic_report, to_value};
use super::{document::MAX_TEXT, from_proto};
use crate::launch_file;
use warplens_protocol::position::{Encoding, text_range};

/// An open launch file.
pub(crate) struct LaunchDocument {
    version: i32,
    text: Rope,
    home: LaunchHome<'static>,
}

impl LaunchDocument {
    /// The document, if it has the name of a launch file.
    pub(crate) fn open(item: &TextDocumentItem) -> Option<LaunchDocument> {
        let format = launch_file::format_of(Path::new(item.uri.path().as_str()))?;
        let text = if item.text.len() <= MAX_TEXT { Rope::from_str(&item.text) } else { Rope::new() };
        Some(LaunchDocument { version: item.version, text, home: LaunchHome::File(format) })
    }

    fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
        self.version = version;
        for change in changes {
            let Some(range) = change.range else {
                self.text = Rope::from_str(&change.text);
                continue;
            };
            let Some(range) = text_range(&self.text, range, encoding) else {
                tracing::warn!("an edit is outside the launch file");
                continue;
            };
            let char = |offset| self.text.byte_to_char(usize::from(offset));
            let (start, end) = (char(range.start()), char(range.end()));
            self.text.remove(start..end);
            self.text.insert(start, &change.text);
        }
    }

    fn launches(&self, encoding: Encoding) -> LaunchText<'_> {
        LaunchText::whole(&self.text, encoding, self.home)
    }
}

impl State {
    /// Opens a launch file.
    pub(crate) fn open_launch_document(&mut self, uri: &Uri, document: LaunchDocument) {
        self.launch_documents.insert(uri.clone(), document);
        self.publish_launch_problems(uri);
    }

    /// Edits a launch file, if it is one.
    pub(crate) fn change_launch_document(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        if let Some(document) = self.launch_documents.get_mut(uri) {
            document.change(version, changes, self.encoding);
            self.publish_launch_problems(uri);
        }
    }

    /// Closes a launch file, if it is one.
    pub(crate) fn close_launch_document(&mut self, uri: &Uri) {
        if self.launch_documents.remove(uri).is_some() && !self.capabilities.pull_diagnostics {
            let uri = uri.clone();
            self.client.publish(&PublishDiagnosticsParams { uri, diagnostics: vec![], version: None });
        }
    }

    fn publish_launch_problems(&self, uri: &Uri) {
        if let Some(document) = self.launch_documents.get(uri).filter(|_| !self.capabilities.pull_diagnostics)
        {
            self.publish(uri, document.version, document.launches(self.encoding).diagnostics());
        }
    }

    /// Whether a request is about an open launch file.
    pub(crate) fn is_about_launch_document(&self, params: &Value) -> bool {
        !self.launch_documents.is_empty()
            && from_proto::document_of(params).is_some_and(|uri| self.launch_documents.contains_key(&uri))
    }

    /// Answers a request about a launch file; other features have no result.
    pub(crate) fn read_launch_document(&mut self, id: &Id, method: &str, params: Value) {
        let answer = self.launch_answer(method, params);
        self.answer(id, answer);
    }

    fn launch_answer(&self, method: &str, params: Value) -> Result<Value> {
        let document =
            |uri: &Uri| self.launch_documents.get(uri).map(|document| document.launches(self.encoding));
        let answer = match method {
            DocumentDiagnosticRequest::METHOD => {
                let found = from_proto::document_of(&params).and_then(|uri| document(&uri));
                to_value(diagnostic_report(found.map(|found| found.diagnostics()).unwrap_or_default()))
            }
            HoverRequest::METHOD => {
                let at = from_proto::params::<HoverParams>(params)?.text_document_position_params;
                let found = document(&at.text_document.uri);
                to_value(found.and_then(|found| found.hover(at.position, &self.capabilities)))
            }
            Completion::METHOD => {
                let at = from_proto::params::<CompletionParams>(params)?.text_document_position;
                let found = document(&at.text_document.uri);
                to_value(found.map(|found| found.completions(at.position, &self.capabilities)))
            }
            CodeActionRequest::METHOD => {
                let params: CodeActionParams = from_proto::params(params)?;
                let uri = &params.text_document.uri;
                to_value(document(uri).map(|found| found.fixes(uri, params.range)))
            }
            _ => Ok(Value::Null),
        };
        answer.map_err(|_: Failure| Error::internal_error())
    }
}
