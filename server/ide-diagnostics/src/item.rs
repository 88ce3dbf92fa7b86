//! The problems of single items by themselves.

use warplens_ide_db::{Db, Item, ItemFix, ItemGroup, Problem, items_of};
use warplens_syntax::{SyntaxError, SyntaxErrorKind};

use crate::allow::{Allow, allows};
use crate::codes;

/// The maximum number of diagnostics listed for a file. One more diagnostic reports how many are not listed.
pub const MAX_DIAGNOSTICS: usize = 500;

/// The problems of an item that can be found without the other items, in text order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemProblems {
    pub listed: Box<[Problem]>,
    /// How many more were found.
    pub more: usize,
    /// The diagnostics that its comments switch off.
    pub(crate) allows: Box<[Allow]>,
}

impl ItemProblems {
    /// Whether there is nothing to report and no comment that allows diagnostics.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.more == 0 && self.allows.is_empty()
    }

    /// If there are too many, lists the most severe.
    fn new(mut problems: Vec<Problem>, allows: Box<[Allow]>) -> ItemProblems {
        let more = problems.len().saturating_sub(MAX_DIAGNOSTICS);
        if more > 0 {
            problems.sort_by_key(|problem| (problem.severity, problem.range.start()));
            problems.truncate(MAX_DIAGNOSTICS);
        }
        problems.sort_by_key(|problem| (problem.range.start(), problem.range.end()));
        ItemProblems { listed: problems.into(), more, allows }
    }
}

/// The problems of each item of a group. The database records what the checks read of the file, such as the target of a module, and
/// repeats them only if that changes.
#[salsa::tracked(returns(deref))]
pub fn group_problems<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[ItemProblems]> {
    items_of(db, group).iter().map(|item| find(db, *item)).collect()
}

pub fn item_problems<'db>(db: &'db dyn Db, item: Item<'db>) -> &'db ItemProblems {
    &group_problems(db, item.group(db))[item.index_in_group(db) as usize]
}

fn find(db: &dyn Db, item: Item<'_>) -> ItemProblems {
    let parse = item.parse(db);
    let mut problems: Vec<Problem> = parse.errors().iter().map(syntax).collect();
    (db.language(item.language(db)).check_item)(db, item.file(db), item, &mut problems);
    let allows = allows(db, item, &mut problems);
    ItemProblems::new(problems, allows)
}

fn syntax(error: &SyntaxError) -> Problem {
    let insertion = error.missing_token().map(|token| {
        let fix = ItemFix::new(format!("Insert `{token}`")).insert(error.range.end(), token);
        // A statement can only end here.
        if token == ";" { fix.preferred() } else { fix }
    });
    let code = match error.kind {
        SyntaxErrorKind::Grammar => codes::SYNTAX,
        SyntaxErrorKind::GuardedBlock => codes::GUARDED_BLOCK,
    };
    Problem::error(error.range, code, error.message.clone()).with_fix(insertion)
}
