//! What is wrong with a file.
//!
//! Each item's own problems come from a query about that item, relative to it and small. What an item says about the
//! names of others is judged here, outside of these queries, so that renaming one kernel runs none of them again.

mod codes;
#[allow(dead_code, reason = "the checks that need the rest come one by one")]
mod problem;
mod ptx;
mod wave;

use text_size::{TextRange, TextSize};
use warplens_syntax::Language;

pub use codes::{Code, code, codes};

use crate::answer::{Diagnostic, Severity};
use crate::db::{Database, Db, File, Item, items};
use problem::{Frame, Problem};

/// As many diagnostics are listed for a file, and then one that says how many more there are.
pub const MAX_DIAGNOSTICS: usize = 500;

/// The problems of an item that need no other item to be seen, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ItemProblems {
    pub(crate) listed: Box<[Problem]>,
    /// How many more there are beyond those listed.
    pub(crate) more: usize,
}

impl ItemProblems {
    pub(crate) fn new(mut problems: Vec<Problem>) -> ItemProblems {
        problems.sort_by_key(|problem| (problem.range.start(), problem.range.end()));
        let more = problems.len().saturating_sub(MAX_DIAGNOSTICS);
        problems.truncate(MAX_DIAGNOSTICS);
        ItemProblems { listed: problems.into(), more }
    }
}

/// The problems of one item by itself. Of the file it looks only at [`module_target`](crate::module_target), and at
/// that only where a check asks for it.
#[salsa::tracked]
pub(crate) fn item_problems<'db>(db: &'db dyn Db, file: File, item: Item<'db>) -> ItemProblems {
    let parse = item.parse(db);
    let syntax =
        parse.errors().iter().map(|error| Problem::error(error.range, codes::SYNTAX, error.message.clone()));
    let mut problems: Vec<Problem> = syntax.collect();
    match item.language(db) {
        Language::Ptx => ptx::check_item(db, file, item, &mut problems),
        Language::Wave => wave::check_item(db, item, &mut problems),
    }
    ItemProblems::new(problems)
}

/// All problems of a file, in the order of the text.
pub(crate) fn diagnostics(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut of_module = match file.language(db) {
        Language::Ptx => ptx::check_module(db, file),
        Language::Wave => wave::check_file(db, file),
    };
    of_module.sort_by_key(|diagnostic| diagnostic.range.start());
    let list = file.document(db).items();
    let mut report = Report { listed: Vec::new(), more: 0, end: list.text_len() };
    let frame = Frame::new(db, file);
    let mut of_module = of_module.into_iter().peekable();
    for (index, item) in items(db, file).iter().enumerate() {
        let own = item_problems(db, file, *item);
        let start = list.start_of(index);
        for problem in &own.listed {
            let place = problem.range.start() + start;
            while let Some(diagnostic) = of_module.next_if(|diagnostic| diagnostic.range.start() < place) {
                report.add(diagnostic.range, || diagnostic);
            }
            report.add(problem.range + start, || problem.in_file(&frame, start));
        }
        report.more += own.more;
    }
    of_module.for_each(|diagnostic| report.add(diagnostic.range, || diagnostic));
    report.finish()
}

/// The diagnostics of a file as they are found, in the order of the text.
struct Report {
    listed: Vec<Diagnostic>,
    more: usize,
    /// The first place that is not listed.
    end: TextSize,
}

impl Report {
    fn add(&mut self, range: TextRange, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.listed.len() < MAX_DIAGNOSTICS {
            self.listed.push(diagnostic());
        } else {
            self.end = self.end.min(range.start());
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let more = self.more;
            let message =
                format!("{more} more problems of this file are not listed; mend the first {MAX_DIAGNOSTICS}");
            let end = TextRange::empty(self.end);
            self.listed.push(Diagnostic::new(end, Severity::Information, codes::TOO_MANY, message));
        }
        self.listed
    }
}

#[cfg(test)]
mod tests;
