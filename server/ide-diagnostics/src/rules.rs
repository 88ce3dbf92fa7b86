//! The user's rules: diagnostics that are switched off, and changed severities.

use rustc_hash::FxHashMap;
use warplens_ide_db::{Diagnostic, Severity};
use warplens_sim_warp::FindingKind;

use crate::codes::{code, codes};
use crate::lints::LINTS;

/// Changes of the severities in the table of diagnostics. The default changes none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// By the name of the diagnostic; `None` switches it off.
    changed: FxHashMap<&'static str, Option<Severity>>,
}

impl Rules {
    /// Reports a diagnostic with this severity, or never.
    pub fn set(&mut self, name: &'static str, severity: Option<Severity>) {
        self.changed.insert(name, severity);
    }

    pub fn want_lints(&self) -> bool {
        LINTS.iter().any(|name| self.changed.get(name) != Some(&None))
    }

    /// The diagnostic with its changed severity; `None` if it is switched off.
    pub fn apply(&self, mut found: Diagnostic) -> Option<Diagnostic> {
        if let Some(severity) = self.changed.get(found.code) {
            found.severity = (*severity)?;
        }
        Some(found)
    }
}

/// The name of the diagnostic or finding with this name or former name: rules and comments can change it.
pub fn rule(name: &str) -> Option<&'static str> {
    code(name).map(|code| code.name).or_else(|| FindingKind::named(name).map(FindingKind::name))
}

/// The most similar name of a diagnostic or a finding.
pub fn nearest_rule(name: &str) -> Option<&'static str> {
    debug_assert!(rule(name).is_none(), "the name exists");
    warplens_ide_db::nearest(name, names())
}

/// The most similar name of a diagnostic.
pub fn nearest_code(name: &str) -> Option<&'static str> {
    debug_assert!(code(name).is_none(), "the name exists");
    warplens_ide_db::nearest(name, codes().iter().map(|code| code.name))
}

fn names() -> impl Iterator<Item = &'static str> {
    codes().iter().map(|code| code.name).chain(FindingKind::all().map(FindingKind::name))
}
