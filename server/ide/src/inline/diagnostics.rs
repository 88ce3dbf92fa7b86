//! The problems of a host file.

use warplens_host::Host;
use warplens_ide_db::{Database, Diagnostic, FileId, Profile};
use warplens_ide_diagnostics::inline::{check_statement, check_together, finish};
use warplens_ide_diagnostics::rules::Rules;

use super::InlineOptions;
use super::document::HostDocument;
use crate::analysis::AnalysisHost;

/// The problems of the inline PTX of a host file, in text order. The profile has the target for statements that are not behind a
/// condition about it.
pub fn diagnostics(host: &'static Host, text: &str, profile: &Profile, rules: &Rules) -> Vec<Diagnostic> {
    let mut documents = AnalysisHost::new();
    documents.set_rules(rules.clone());
    documents.set_inline(InlineOptions { enabled: true, target: profile.architecture.clone() });
    documents.open_host(FileId(0), host, text);
    // Nobody cancels this snapshot.
    documents.snapshot().diagnostics(FileId(0)).unwrap_or_default()
}

pub(crate) fn check(db: &Database, document: &HostDocument, rules: &Rules) -> Vec<Diagnostic> {
    let found = document.statements.iter().zip(&document.embedded).flat_map(|(statement, embedded)| {
        let check = || check_statement(db, embedded.file, &document.text, &embedded.module, statement);
        embedded.found.get_or_init(check).iter().cloned()
    });
    let modules = document.embedded.iter().map(|embedded| &embedded.module);
    let mut found = check_together(&document.statements, modules, found);
    let related = found.iter_mut().flat_map(|found| &mut found.related);
    related.for_each(|related| related.file = document.id);
    finish(&document.text, rules, found)
}
