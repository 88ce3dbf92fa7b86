//! Conversion of the parameters of requests.

use ls_types::Uri;
use serde::de::DeserializeOwned;
use serde_json::Value;
use warplens_protocol::jsonrpc::{Error, Result};

pub(crate) fn params<P: DeserializeOwned>(params: Value) -> Result<P> {
    serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))
}

/// The document of a request, if it is about one.
pub(crate) fn document_of(params: &Value) -> Option<Uri> {
    serde_json::from_value(params.pointer("/textDocument/uri")?.clone()).ok()
}

/// The parameters of a request about one document, with its URI.
pub(crate) fn document_params<P: DeserializeOwned>(value: Value) -> Result<(Uri, P)> {
    let uri = value.pointer("/textDocument/uri").or_else(|| value.pointer("/item/uri"));
    let uri = serde_json::from_value(uri.cloned().unwrap_or_default());
    let uri = uri.map_err(|error| Error::invalid_params(format!("textDocument.uri: {error}")))?;
    Ok((uri, params(value)?))
}
