//! Work that reads a document: request, requester, handler and response.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ls_types::Uri;
use serde::Serialize;
use serde_json::Value;
use warplens_ide::lanes::Prepared;
use warplens_protocol::jsonrpc::Id;

use crate::documents::analysis_delay::Analysis;
use crate::documents::snapshot::{Failure, Snapshot};
use warplens_system::panic::panic_message;

/// Computes a response. It may run again on a newer snapshot, so it has no state.
pub(crate) type Handler = Arc<dyn Fn(&Snapshot) -> Result<Response, Failure> + Send + Sync>;

/// A request about one document.
pub(crate) struct Request {
    pub(crate) uri: Uri,
    pub(crate) urgency: Urgency,
    pub(crate) handler: Handler,
}

/// A request on its way to a worker.
pub(crate) struct Job {
    pub(crate) requester: Requester,
    /// The version of the document when the request arrived.
    pub(crate) version: i32,
    pub(crate) request: Request,
}

/// Who receives the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Requester {
    Client(Id),
    /// Diagnostics that are pushed to the client.
    Publish,
    /// The simulation of the document. Only the response to the highest number counts.
    Prepare(u64),
}

impl Requester {
    /// The analysis that the requester waits for.
    pub(crate) fn analysis(&self) -> Analysis {
        match self {
            Requester::Client(_) | Requester::Publish => Analysis::Diagnostics,
            Requester::Prepare(_) => Analysis::Preparation,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// The user waits for it, so it has its own workers.
    Now,
    /// It runs when the background worker is free.
    Soon,
    /// Like `Soon`, but it may be debounced while a very large function is edited.
    Debounced,
}

pub(crate) enum Response {
    /// The result of a request.
    Value(Value),
    /// The result of a request, encoded as JSON.
    Encoded(Vec<u8>),
    /// The message that publishes diagnostics.
    Diagnostics(Vec<u8>),
    /// A name whose definition may be in any file of the workspace.
    LinkedName(Option<String>),
    /// The run of the selected launch.
    Prepared(Box<Prepared>),
}

impl Response {
    pub(crate) fn value(result: impl Serialize) -> Result<Response, Failure> {
        Ok(Response::Value(serde_json::to_value(result).map_err(Failure::refused)?))
    }
}

/// Runs a handler. Catches panics, and drops the snapshot before it returns.
pub(crate) fn run(handler: &Handler, snapshot: Snapshot) -> Result<Response, Failure> {
    let response = catch_unwind(AssertUnwindSafe(|| handler(&snapshot)));
    drop(snapshot);
    response.unwrap_or_else(|panic| Err(Failure::Panicked(panic_message(&*panic))))
}

#[cfg(test)]
mod tests {
    use ropey::Rope;
    use warplens_ide::{AnalysisHost, FileId};

    use super::*;
    use crate::language::supported;
    use warplens_protocol::position::Encoding;

    fn run(handler: Handler) -> Result<Response, Failure> {
        let snapshot = Snapshot {
            uri: "file:///k.ptx".parse().expect("a valid URI"),
            file: FileId(1),
            language: supported("ptx"),
            host: None,
            version: 1,
            text: Rope::new(),
            encoding: Encoding::Utf16,
            capabilities: Arc::default(),
            settings: Arc::default(),
            folders: Arc::default(),
            shown: Arc::default(),
            analysis: AnalysisHost::new().snapshot(),
        };
        super::run(&handler, snapshot)
    }

    #[test]
    fn a_panic_is_returned_with_its_message() {
        let Err(Failure::Panicked(message)) = run(Arc::new(|_| panic!("line {}", 7))) else {
            panic!("the panic was lost")
        };
        assert_eq!(message, "line 7");
    }

    #[test]
    fn a_refusal_keeps_its_message() {
        let response = run(Arc::new(|snapshot| Err(Failure::Refused(snapshot.language.id.into()))));
        assert!(matches!(response, Err(Failure::Refused(message)) if message == "ptx"));
    }
}
