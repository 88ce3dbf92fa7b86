//! Errors of the protocol.

use std::borrow::Cow;

use tower_lsp::jsonrpc::{Error, ErrorCode};
use tower_lsp::ls_types::{Uri, error_codes};

pub(crate) fn error(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Error {
    Error { code, message: message.into(), data: None }
}

/// The error of a valid request that cannot be carried out.
pub(crate) fn refused(message: impl Into<Cow<'static, str>>) -> Error {
    error(ErrorCode::ServerError(error_codes::REQUEST_FAILED), message)
}

/// The error of a request about a document that the client has not opened.
pub(crate) fn not_open(uri: &Uri) -> Error {
    Error::invalid_params(format!("{} is not open", uri.as_str()))
}

/// The error of a request whose handler panicked.
pub(crate) fn internal(message: &str) -> Error {
    error(ErrorCode::InternalError, internal_message(message))
}

/// The message about a panic of the server.
pub(crate) fn internal_message(message: &str) -> String {
    format!("internal error: {message}")
}
