//! A request of the client.

use serde::Deserialize;
use serde_json::{Value as Json, json};

/// A request of the client.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    #[serde(default)]
    pub(crate) seq: u64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) command: String,
    arguments: Option<Json>,
}

impl Request {
    /// The arguments. An empty list stands for none: Lua has one notation for both.
    pub(crate) fn arguments(&self) -> Json {
        match &self.arguments {
            Some(Json::Array(list)) if list.is_empty() => json!({}),
            Some(arguments) => arguments.clone(),
            None => Json::Null,
        }
    }
}
