//! What a user wants to hear of: diagnostics that are switched off, and severities of their choice.

use rustc_hash::FxHashMap;

use super::codes::{Code, code};
use crate::answer::{Diagnostic, Severity};

/// What is said instead of what the table of diagnostics says. The default changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// By the name of the diagnostic; `None` is never said.
    changed: FxHashMap<&'static str, Option<Severity>>,
}

impl Rules {
    /// Says a diagnostic with this severity, or never.
    pub fn set(&mut self, code: &'static Code, severity: Option<Severity>) {
        self.changed.insert(code.name, severity);
    }

    /// The diagnostic as it is to be said, if it is.
    pub(crate) fn judge(&self, mut found: Diagnostic) -> Option<Diagnostic> {
        match self.changed.get(found.code) {
            None => Some(found),
            Some(severity) => {
                found.severity = (*severity)?;
                Some(found)
            }
        }
    }
}

/// The name of a diagnostic that is spelt nearest to this one.
#[must_use]
pub fn nearest_code(name: &str) -> Option<&'static str> {
    debug_assert!(code(name).is_none(), "it is asked for a name that exists");
    crate::similar::nearest(name, super::codes::codes().iter().map(|code| code.name))
}
