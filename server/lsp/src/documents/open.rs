//! The open documents and launch files.

use std::time::Duration;

use ls_types::{TextDocumentItem, Uri};
use rustc_hash::FxHashMap;
use serde_json::Value;
use warplens_ide::{AnalysisHost, FileId};
use warplens_protocol::jsonrpc::Error;

use crate::documents::document::Document;
use crate::documents::launch_document::LaunchDocument;
use crate::documents::request::{Job, Urgency};
use crate::errors::{not_open, refused};
use crate::from_proto;

/// The open documents and launch files.
#[derive(Default)]
pub(crate) struct Documents {
    open: FxHashMap<Uri, Document>,
    pub(crate) launch_files: FxHashMap<Uri, LaunchDocument>,
    /// File ids are never reused, so that a late answer cannot refer to another document.
    last_file: u32,
}

impl Documents {
    /// Opens a document, also in the host.
    pub(crate) fn open(&mut self, item: TextDocumentItem, host: &mut AnalysisHost) {
        let uri = item.uri.clone();
        if self.close(&uri, host) {
            tracing::warn!("{} was opened twice", uri.as_str());
        }
        self.last_file += 1;
        self.open.insert(uri, Document::open(item, FileId(self.last_file), host));
    }

    /// Closes a document, also in the host; false if it is not open.
    pub(crate) fn close(&mut self, uri: &Uri, host: &mut AnalysisHost) -> bool {
        let closed = self.open.remove(uri);
        if let Some(document) = &closed {
            host.close(document.file);
        }
        closed.is_some()
    }

    pub(crate) fn is_open(&self, uri: &Uri) -> bool {
        self.open.contains_key(uri)
    }

    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri)
    }

    pub(crate) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.open.get_mut(uri)
    }

    /// The error of a request that needs the text of a document that is not open, or not analyzed.
    pub(crate) fn without_text(&self, uri: &Uri) -> Error {
        if self.launch_files.contains_key(uri) {
            return refused("the document is a launch file, which has no kernels of its own");
        }
        let Some(document) = self.get(uri) else { return not_open(uri) };
        refused(document.reason_not_analyzed().unwrap_or_else(|| "the document is not analyzed".to_owned()))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Uri, &Document)> {
        self.open.iter()
    }

    /// Whether a document is open and has this version.
    pub(crate) fn is_current(&self, uri: &Uri, version: i32) -> bool {
        self.get(uri).is_some_and(|document| document.version == version)
    }

    /// Records how long a debounced request took, which decides whether the next one is debounced.
    pub(crate) fn record_duration(&mut self, job: &Job, took: Duration, is_cancelled: bool) {
        if job.request.urgency == Urgency::Debounced
            && let Some(document) = self.get_mut(&job.request.uri)
        {
            let is_cancelled = is_cancelled && document.version != job.version;
            document.delay.record(job.requester.analysis(), took, is_cancelled);
        }
    }

    /// Whether a request is about an open launch file.
    pub(crate) fn is_about_launch_file(&self, params: &Value) -> bool {
        !self.launch_files.is_empty()
            && from_proto::document_of(params).is_some_and(|uri| self.launch_files.contains_key(&uri))
    }
}
