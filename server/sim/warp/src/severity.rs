//! How serious a finding is.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
