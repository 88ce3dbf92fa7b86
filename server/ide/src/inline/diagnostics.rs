//! The problems of a host file.

use warplens_host::Host;
use warplens_ide_db::{Database, Diagnostic, FileId, Profile};
use warplens_ide_diagnostics::inline::{check_module, check_statements, finish};
use warplens_ide_diagnostics::rules::Rules;

use super::document::HostDocument;
use crate::analysis::AnalysisHost;

/// The problems of the inline PTX of a host file, in text order. The profile has the target for statements that are not behind a
/// condition about it.
#[must_use]
pub fn diagnostics(host: &'static Host, text: &str, profile: &Profile, rules: &Rules) -> Vec<Diagnostic> {
    let mut documents = AnalysisHost::new();
    documents.set_rules(rules.clone());
    documents.set_inline_target(profile.architecture.clone());
    documents.open_host(FileId(0), host, text);
    // Nobody cancels this snapshot.
    documents.snapshot().diagnostics(FileId(0)).unwrap_or_default()
}

pub(crate) fn check(db: &Database, document: &HostDocument, rules: &Rules) -> Vec<Diagnostic> {
    let (text, statements) = (&document.text, &document.statements);
    let mut found = check_statements(statements);
    for embedded in &document.embedded {
        found.extend(check_module(db, embedded.file, text, &embedded.module, statements));
    }
    finish(text, rules, found)
}
