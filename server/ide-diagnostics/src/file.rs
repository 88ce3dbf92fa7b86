//! The diagnostics of a file.
//!
//! Queries find the problems of each item by itself, a group of items at a time. Uses of other items are checked here, outside of these
//! queries, so that renaming one kernel repeats no check of the others.

use std::sync::atomic::Ordering;

use text_size::{TextRange, TextSize};
use warplens_ide_db::{
    Database, Db, Diagnostic, File, Fixes, ItemGroup, Problem, Severity, group_uses, item_groups,
};

use crate::allow::Allowances;
use crate::codes;
use crate::context::fix_context;
use crate::item::{ItemProblems, MAX_DIAGNOSTICS, group_problems};
use crate::lints::group_lints;
use crate::rules::Rules;

/// Runs all queries about a group that the check of a file needs, while the trees and functions of the items are cached. The cache is too
/// small for a whole large file.
pub(crate) fn check_group<'db>(db: &'db Database, group: ItemGroup<'db>, rules: &Rules) {
    group_problems(db, group);
    if rules.want_lints() {
        group_lints(db, group);
    }
    group_uses(db, group);
}

/// The items with problems or with comments that allow some, by their index.
fn problems_of_items(db: &Database, file: File) -> impl Iterator<Item = (usize, &ItemProblems)> {
    let of_items = item_groups(db, file).iter().flat_map(|group| group_problems(db, *group));
    of_items.enumerate().filter(|(_, problems)| !problems.is_empty())
}

pub(crate) fn allowances(db: &Database, file: File) -> Allowances {
    let allows = problems_of_items(db, file).map(|(index, problems)| (index, &*problems.allows));
    Allowances::new(file.document(db).items(), allows)
}

fn lints_of_items<'db>(
    db: &'db Database,
    file: File,
    rules: &Rules,
) -> impl Iterator<Item = (usize, &'db [Problem])> {
    let groups = item_groups(db, file).iter().filter(|_| rules.want_lints());
    let of_items = groups.flat_map(|group| group_lints(db, *group));
    of_items.map(|lints| &**lints).enumerate().filter(|(_, lints)| !lints.is_empty())
}

/// All diagnostics of a file that neither the rules nor its comments switch off, in text order. Diagnostics of the module always have
/// their fixes: there are few of them.
pub fn diagnostics(db: &Database, file: File, rules: &Rules, fixes: Fixes) -> Vec<Diagnostic> {
    let list = file.document(db).items();
    item_groups(db, file).iter().for_each(|group| check_group(db, *group, rules));
    file.was_checked(db).store(true, Ordering::Relaxed);
    let mut report =
        Report { rules, allowances: allowances(db, file), errors: vec![], others: vec![], more: 0 };
    let of_module = (db.language(file.language(db)).check_module)(db, file);
    of_module.into_iter().for_each(|diagnostic| report.add(diagnostic));
    let context = fix_context(db, file, fixes);
    for (index, problems) in problems_of_items(db, file) {
        let start = list.start_of(index);
        problems.listed.iter().for_each(|problem| report.add(problem.in_file(&context, start)));
        report.more += problems.more;
    }
    for (index, lints) in lints_of_items(db, file, rules) {
        let start = list.start_of(index);
        lints.iter().for_each(|lint| report.add(lint.in_file(&context, start)));
    }
    report.finish(list.text_len())
}

/// The diagnostics of `found` that neither the rules nor the comments of the file switch off.
pub fn filter_reported(db: &Database, file: File, rules: &Rules, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if found.is_empty() {
        return found;
    }
    let allowances = allowances(db, file);
    let enabled = found.into_iter().filter_map(|found| rules.apply(found));
    enabled.filter(|found| !allowances.allow(found)).collect()
}

struct Report<'r> {
    rules: &'r Rules,
    allowances: Allowances,
    errors: Vec<Diagnostic>,
    /// Warnings, hints and so on. They are listed only if errors leave space for them.
    others: Vec<Diagnostic>,
    more: usize,
}

impl Report<'_> {
    fn add(&mut self, found: Diagnostic) {
        let Some(found) = self.rules.apply(found) else { return };
        if self.allowances.allow(&found) {
            return;
        }
        let line = if found.severity == Severity::Error { &mut self.errors } else { &mut self.others };
        // Only the first ones in the text are listed. They are not found in text order, so twice as many are kept.
        line.push(found);
        if line.len() > 2 * MAX_DIAGNOSTICS {
            self.more += shorten(line, MAX_DIAGNOSTICS);
        }
    }

    fn finish(mut self, end: TextSize) -> Vec<Diagnostic> {
        self.more += shorten(&mut self.errors, MAX_DIAGNOSTICS);
        self.more += shorten(&mut self.others, MAX_DIAGNOSTICS - self.errors.len());
        let mut listed = self.errors;
        // A hint at a word that has an error is noise.
        let is_wrong = |range: TextRange| listed.iter().any(|error| error.range == range);
        self.others.retain(|found| found.severity != Severity::Hint || !is_wrong(found.range));
        listed.append(&mut self.others);
        listed.sort_by_key(|found| (found.range.start(), found.range.end()));
        if self.more > 0 {
            let message = format!(
                "{} more problems of this file are not listed; fix the first {MAX_DIAGNOSTICS}",
                self.more
            );
            let note =
                Diagnostic::new(TextRange::empty(end), Severity::Information, codes::TOO_MANY, message);
            listed.extend(self.rules.apply(note));
        }
        listed
    }
}

/// Keeps the first `max` diagnostics of the text, and returns the number of removed ones.
fn shorten(found: &mut Vec<Diagnostic>, max: usize) -> usize {
    found.sort_by_key(|found| found.range.start());
    let more = found.len().saturating_sub(max);
    found.truncate(max);
    more
}
