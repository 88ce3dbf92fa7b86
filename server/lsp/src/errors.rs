//! Errors of the protocol.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ls_types::{Uri, error_codes};
use serde::Serialize;
use serde_json::Value;
use warplens_protocol::jsonrpc::{Error, Result};

use warplens_system::panic::panic_message;

/// The error of a valid request that cannot be carried out.
pub(crate) fn refused(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(error_codes::REQUEST_FAILED, message)
}

/// The error of a request about a document that the client has not opened.
pub(crate) fn not_open(uri: &Uri) -> Error {
    Error::invalid_params(format!("{} is not open", uri.as_str()))
}

/// The error of a request whose handler panicked.
pub(crate) fn internal(message: &str) -> Error {
    Error::new(Error::INTERNAL, internal_message(message))
}

/// The message about a panic of the server.
pub(crate) fn internal_message(message: &str) -> String {
    format!("internal error: {message}")
}

/// Computes an answer. A panic becomes an error, so that the request is answered.
pub(crate) fn caught(work: impl FnOnce() -> Result<Value>) -> Result<Value> {
    let answer = catch_unwind(AssertUnwindSafe(work));
    answer.unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))))
}

/// An answer as JSON.
pub(crate) fn encoded(answer: impl Serialize) -> Result<Value> {
    serde_json::to_value(answer).map_err(|error| internal(&error.to_string()))
}
