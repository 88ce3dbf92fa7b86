//! What is wrong with a file.
//!
//! Each item's own problems come from a query about that item, relative to it and small. What an item says about the
//! names of others is judged here, outside of these queries, so that renaming one kernel runs none of them again.

use text_size::{TextRange, TextSize};
use warplens_ide_db::answer::{Diagnostic, Severity};
use warplens_ide_db::db::{Database, File, Item, items};
use warplens_ide_db::languages::Known;
use warplens_ide_db::names::module_uses;

use crate::allow::Allowances;
use crate::item::{ItemProblems, MAX_DIAGNOSTICS, item_problems};
use crate::lints::item_lints;
use crate::problem::FileContext;
use crate::rules::Rules;
use crate::{codes, ptx, wave};

/// The problems of an item, and what else the file will ask about it: all while its tree and its function are at hand,
/// since those of a large file are not kept.
pub fn look<'db>(db: &'db Database, file: File, item: Item<'db>, rules: &Rules) -> &'db ItemProblems {
    let problems = item_problems(db, file, item);
    if rules.want_lints() {
        item_lints(db, file, item);
    }
    module_uses(db, item);
    problems
}

/// All problems of a file that the rules and its comments let through, in the order of the text.
pub fn diagnostics(db: &Database, file: File, rules: &Rules) -> Vec<Diagnostic> {
    let list = file.document(db).items();
    let of_items: Vec<&ItemProblems> =
        items(db, file).iter().map(|item| look(db, file, *item, rules)).collect();
    let allowances = Allowances::new(list, of_items.iter().map(|problems| &*problems.allows));
    let mut report = Report { rules, allowances, errors: vec![], others: vec![], more: 0 };
    let of_module = match Known::of(file.language(db)) {
        Known::Ptx => ptx::check_module(db, file),
        Known::Wave => wave::check_file(db, file),
    };
    of_module.into_iter().for_each(|diagnostic| report.add(diagnostic));
    let context = FileContext::new(db, file);
    for (index, problems) in of_items.into_iter().enumerate() {
        let start = list.start_of(index);
        problems.listed.iter().for_each(|problem| report.add(problem.in_file(&context, start)));
        report.more += problems.more;
    }
    if rules.want_lints() {
        for (index, item) in items(db, file).iter().enumerate() {
            let start = list.start_of(index);
            item_lints(db, file, *item).iter().for_each(|lint| report.add(lint.in_file(&context, start)));
        }
    }
    report.finish(list.text_len())
}

/// What of `found` the rules and the comments of the file let through.
pub fn let_through(db: &Database, file: File, rules: &Rules, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if found.is_empty() {
        return found;
    }
    let of_items = items(db, file).iter().map(|item| &*item_problems(db, file, *item).allows);
    let allowances = Allowances::new(file.document(db).items(), of_items);
    let judged = found.into_iter().filter_map(|found| rules.judge(found));
    judged.filter(|found| !allowances.allow(found)).collect()
}

/// The diagnostics of a file as they are found.
struct Report<'r> {
    rules: &'r Rules,
    allowances: Allowances,
    errors: Vec<Diagnostic>,
    /// What is no error: it must not crowd the errors out.
    others: Vec<Diagnostic>,
    more: usize,
}

impl Report<'_> {
    fn add(&mut self, found: Diagnostic) {
        let Some(found) = self.rules.judge(found) else { return };
        if self.allowances.allow(&found) {
            return;
        }
        let line = if found.severity == Severity::Error { &mut self.errors } else { &mut self.others };
        // Of so many, the first in the text are listed; twice as many are kept until that can be told.
        line.push(found);
        if line.len() > 2 * MAX_DIAGNOSTICS {
            self.more += shorten(line, MAX_DIAGNOSTICS);
        }
    }

    fn finish(mut self, end: TextSize) -> Vec<Diagnostic> {
        self.more += shorten(&mut self.errors, MAX_DIAGNOSTICS);
        self.more += shorten(&mut self.others, MAX_DIAGNOSTICS - self.errors.len());
        let mut listed = self.errors;
        // What is wrong with a word says more than that it is not needed.
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
            listed.extend(self.rules.judge(note));
        }
        listed
    }
}

/// Leaves so many, the first in the text, and says how many went.
fn shorten(found: &mut Vec<Diagnostic>, most: usize) -> usize {
    found.sort_by_key(|found| found.range.start());
    let more = found.len().saturating_sub(most);
    found.truncate(most);
    more
}
