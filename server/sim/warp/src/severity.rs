//! How serious a finding is.

use schemars::JsonSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Severity {
    /// The program is wrong, or the run cannot continue.
    Error,
    /// Likely a mistake.
    Warning,
    /// Worth knowing.
    Information,
}

impl Severity {
    /// The name in JSON and in listings.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
        }
    }
}
