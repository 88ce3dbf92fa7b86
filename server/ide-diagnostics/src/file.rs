//! The diagnostics of a file.
//!
//! A query per item finds the item's own problems, relative to the item. Uses of names of other items are checked here,
//! outside of these queries, so that renaming one kernel recomputes none of them.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{
    Database, Db, Diagnostic, File, Fixes, Item, Problem, Severity, environment, items, module_uses,
};

use crate::allow::Allowances;
use crate::codes;
use crate::context::fix_context;
use crate::item::{ItemProblems, MAX_DIAGNOSTICS, item_problems};
use crate::lints::item_lints;
use crate::rules::Rules;

/// The problems of an item. Runs the other queries that the file will need too, while the item's tree and function are
/// cached: the cache does not hold those of a large file.
pub fn check_item<'db>(db: &'db Database, item: Item<'db>, rules: &Rules) -> &'db ItemProblems {
    let problems = item_problems(db, item);
    if rules.want_lints() {
        item_lints(db, item);
    }
    module_uses(db, item);
    problems
}

/// All diagnostics of a file that neither the rules nor its comments switch off, in text order. Those of the module, which are few,
/// always have their fixes.
pub fn diagnostics(db: &Database, file: File, rules: &Rules, fixes: Fixes) -> Vec<Diagnostic> {
    let list = file.document(db).items();
    let mut of_items: Vec<(usize, &ItemProblems, &[Problem])> = Vec::new();
    let environment = environment(db, file).as_ref();
    let settled = file.settled(db);
    settled.items.check_others(db, file, environment, rules.want_lints(), |index, item| {
        let problems = check_item(db, item, rules);
        let lints = if rules.want_lints() { item_lints(db, item) } else { &[] };
        let is_settled = problems.is_empty() && lints.is_empty();
        if !is_settled {
            of_items.push((index, problems, lints));
        }
        is_settled
    });
    settled.note_check();
    let allowances =
        Allowances::new(list, of_items.iter().map(|(index, problems, _)| (*index, &*problems.allows)));
    let mut report = Report { rules, allowances, errors: vec![], others: vec![], more: 0 };
    let of_module = (db.language(file.language(db)).check_module)(db, file);
    of_module.into_iter().for_each(|diagnostic| report.add(diagnostic));
    let context = fix_context(db, file, fixes);
    for (index, problems, _) in &of_items {
        let start = list.start_of(*index);
        problems.listed.iter().for_each(|problem| report.add(problem.in_file(&context, start)));
        report.more += problems.more;
    }
    for (index, _, lints) in &of_items {
        let start = list.start_of(*index);
        lints.iter().for_each(|lint| report.add(lint.in_file(&context, start)));
    }
    report.finish(list.text_len())
}

/// The diagnostics of `found` that neither the rules nor the comments of the file switch off.
pub fn filter_reported(db: &Database, file: File, rules: &Rules, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if found.is_empty() {
        return found;
    }
    let of_items = items(db, file).iter().map(|item| &*item_problems(db, *item).allows).enumerate();
    let allowances = Allowances::new(file.document(db).items(), of_items);
    let enabled = found.into_iter().filter_map(|found| rules.apply(found));
    enabled.filter(|found| !allowances.allow(found)).collect()
}

/// Collects the diagnostics of a file.
struct Report<'r> {
    rules: &'r Rules,
    allowances: Allowances,
    errors: Vec<Diagnostic>,
    /// Those that are not errors. They are listed only as far as errors leave the limit.
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
        // Only the first in the text are listed. Twice as many are held, since they are not found in text order.
        line.push(found);
        if line.len() > 2 * MAX_DIAGNOSTICS {
            self.more += shorten(line, MAX_DIAGNOSTICS);
        }
    }

    fn finish(mut self, end: TextSize) -> Vec<Diagnostic> {
        self.more += shorten(&mut self.errors, MAX_DIAGNOSTICS);
        self.more += shorten(&mut self.others, MAX_DIAGNOSTICS - self.errors.len());
        let mut listed = self.errors;
        // An error at a word makes a hint at the same word superfluous.
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

/// Keeps the first `max` in the text, and returns the number of removed ones.
fn shorten(found: &mut Vec<Diagnostic>, max: usize) -> usize {
    found.sort_by_key(|found| found.range.start());
    let more = found.len().saturating_sub(max);
    found.truncate(max);
    more
}
