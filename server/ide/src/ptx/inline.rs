//! Inline PTX of host files: their statements become PTX documents in a database of their own.

use warplens_host::Host;
use warplens_ide_db::{Diagnostic, FileId, Profile};
use warplens_ide_diagnostics::inline::{check_statements, finish, modules};
use warplens_ide_diagnostics::rules::Rules;
use warplens_syntax::ptx::LANGUAGE;

use crate::analysis::AnalysisHost;

/// The problems of the inline PTX of a host file, in text order. The profile has the target for statements that are not behind a
/// condition about it.
#[must_use]
pub fn diagnostics(host: &Host, text: &str, profile: &Profile, rules: &Rules) -> Vec<Diagnostic> {
    let statements = host.statements(text);
    if statements.is_empty() {
        return Vec::new();
    }
    let mut found = check_statements(&statements);
    for module in modules(&statements, profile.architecture.as_deref()) {
        let mut documents = AnalysisHost::new();
        documents.open(DOCUMENT, LANGUAGE, &module.text.text);
        let analysis = documents.snapshot();
        // Nobody cancels this snapshot.
        found.extend(analysis.inline_diagnostics(DOCUMENT, text, &module, &statements).unwrap_or_default());
    }
    finish(text, rules, found)
}

const DOCUMENT: FileId = FileId(0);
