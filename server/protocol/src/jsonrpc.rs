//! The parts of JSON-RPC 2.0 that requests and answers share: ids and errors.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of a request.
pub type Result<T> = std::result::Result<T, Error>;

/// The id of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    Number(i64),
    String(String),
    /// The id of an answer to a message that cannot be read.
    #[default]
    Null,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => write!(f, "{number}"),
            Id::String(name) => write!(f, "{name:?}"),
            Id::Null => f.write_str("null"),
        }
    }
}

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    pub code: i64,
    pub message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub const PARSE: i64 = -32700;
    pub const INTERNAL: i64 = -32603;
    pub const NOT_INITIALIZED: i64 = -32002;

    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Error {
        Error { code, message: message.into(), data: None }
    }

    pub fn invalid_request() -> Error {
        Error::new(-32600, "Invalid request")
    }

    pub fn method_not_found() -> Error {
        Error::new(-32601, "Method not found")
    }

    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(-32602, message)
    }

    /// The client cancelled the request.
    pub fn request_cancelled() -> Error {
        Error::new(-32800, "Canceled")
    }

    /// The document changed before the request was answered.
    pub fn content_modified() -> Error {
        Error::new(-32801, "Content modified")
    }
}
