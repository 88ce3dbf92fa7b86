//! The problems of a host file.

use warplens_host::{Host, Statement};
use warplens_ide_db::{Database, Diagnostic, FileId, Profile};
use warplens_ide_diagnostics::inline::{check_statement, check_together, finish, in_readings};
use warplens_ide_diagnostics::rules::Rules;

use super::InlineOptions;
use super::document::{Embedded, HostDocument};
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
    let found_in = |statement: &Statement, embedded: &Embedded| {
        let check = || check_statement(db, embedded.file, &document.text, &embedded.module, statement);
        embedded.found.get_or_init(check).clone()
    };
    let mut others = document.embedded.iter().skip(document.statements.len());
    let found = document.statements.iter().zip(&document.embedded).flat_map(|(statement, embedded)| {
        let Some(readings) = &statement.readings else { return Vec::new() };
        let own = found_in(statement, embedded);
        if readings.is_empty() {
            return own;
        }
        let others = readings.iter().zip(&mut others);
        let others = others.map(|(reading, embedded)| (reading, found_in(&reading.statement, embedded)));
        in_readings(own, others.collect())
    });
    let modules = document.embedded.iter().map(|embedded| &embedded.module);
    let mut found = check_together(&document.statements, modules, found);
    let related = found.iter_mut().flat_map(|found| &mut found.related);
    related.for_each(|related| related.file = document.id);
    finish(&document.text, rules, found)
}
