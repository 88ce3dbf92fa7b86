//! What clients ask for: breakpoints and numbers.

use serde::Deserialize;
use serde_json::Value as Json;

/// A breakpoint on a line or a function.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Asked {
    pub(crate) line: u64,
    pub(crate) column: Option<u64>,
    pub(crate) name: String,
    pub(crate) condition: Option<String>,
    pub(crate) hit_condition: Option<String>,
    pub(crate) log_message: Option<String>,
}

/// The breakpoints of a source, with their numbers.
pub(crate) struct SourceBreakpoints {
    pub(crate) source: Json,
    pub(crate) breakpoints: Vec<(u64, Asked)>,
}

/// A number in decimal digits, or in hexadecimal ones after `0x`.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
