//! What is wrong with a file.
//!
//! Each item's own problems come from a query about that item, relative to it and small. What an item says about the
//! names of others is judged here, outside of these queries, so that renaming one kernel runs none of them again.

mod codes;
mod ptx;
mod wave;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_syntax::Language;

use crate::answer::{Diagnostic, FileId, Related, Severity, Tag};
use crate::db::{Database, Db, File, Item, items};

/// As many diagnostics are listed for a file, and then one that says how many more there are.
pub const MAX_DIAGNOSTICS: usize = 500;

/// A diagnostic relative to its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) range: TextRange,
    pub(crate) severity: Severity,
    pub(crate) code: &'static str,
    pub(crate) message: SmolStr,
    /// Places in the same item.
    pub(crate) related: Vec<(TextRange, SmolStr)>,
    pub(crate) tags: Vec<Tag>,
}

impl Problem {
    pub(crate) fn error(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        let message = message.into();
        Problem { range, severity: Severity::Error, code, message, related: Vec::new(), tags: Vec::new() }
    }

    pub(crate) fn with_related(mut self, range: TextRange, message: impl Into<SmolStr>) -> Problem {
        self.related.push((range, message.into()));
        self
    }
}

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

/// The problems of one item by itself.
#[salsa::tracked]
pub(crate) fn item_problems<'db>(db: &'db dyn Db, item: Item<'db>) -> ItemProblems {
    let parse = item.parse(db);
    let syntax =
        parse.errors().iter().map(|error| Problem::error(error.range, codes::SYNTAX, error.message.clone()));
    let mut problems: Vec<Problem> = syntax.collect();
    match item.language(db) {
        Language::Ptx => ptx::check_item(db, item, &mut problems),
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
    let mut report = Report { id: file.id(db), listed: Vec::new(), more: 0, end: list.text_len() };
    let mut of_module = of_module.into_iter().peekable();
    for (index, item) in items(db, file).iter().enumerate() {
        let own = item_problems(db, *item);
        let start = list.start_of(index);
        for problem in &own.listed {
            let place = problem.range.start() + start;
            while let Some(diagnostic) = of_module.next_if(|diagnostic| diagnostic.range.start() < place) {
                report.add(diagnostic.range, |_| diagnostic);
            }
            report.add(problem.range + start, |id| problem.in_file(id, start));
        }
        report.more += own.more;
    }
    of_module.for_each(|diagnostic| report.add(diagnostic.range, |_| diagnostic));
    report.finish()
}

/// The diagnostics of a file as they are found, in the order of the text.
struct Report {
    id: FileId,
    listed: Vec<Diagnostic>,
    more: usize,
    /// The first place that is not listed.
    end: TextSize,
}

impl Report {
    fn add(&mut self, range: TextRange, diagnostic: impl FnOnce(FileId) -> Diagnostic) {
        if self.listed.len() < MAX_DIAGNOSTICS {
            self.listed.push(diagnostic(self.id));
        } else {
            self.end = self.end.min(range.start());
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let more = self.more;
            self.listed.push(Diagnostic {
                range: TextRange::empty(self.end),
                severity: Severity::Information,
                code: codes::TOO_MANY,
                message: format!(
                    "{more} more problems of this file are not listed; mend the first {MAX_DIAGNOSTICS}"
                ),
                related: Vec::new(),
                tags: Vec::new(),
            });
        }
        self.listed
    }
}

impl Problem {
    fn in_file(&self, file: FileId, start: TextSize) -> Diagnostic {
        let related = self.related.iter().map(|(range, message)| Related {
            file,
            range: *range + start,
            message: message.to_string(),
        });
        Diagnostic {
            range: self.range + start,
            severity: self.severity,
            code: self.code,
            message: self.message.to_string(),
            related: related.collect(),
            tags: self.tags.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
