//! Lints: correct code that can be made cheaper, each with a rewrite that computes the same in every lane.
//!
//! A lint looks at one function. It first matches the shape of the code, which is cheap, and only then checks whether the branch is
//! divergent. Uniform branches are not reported.

pub(crate) mod layout;

use warplens_ide_db::{Db, Item, ItemGroup, Problem, items_of};

use crate::codes;

pub const LINTS: [&str; 5] = [
    codes::BRANCH_FOR_SELECT,
    codes::BRANCH_FOR_BREAK,
    codes::BRANCH_FOR_CONTINUE,
    codes::NESTED_BRANCH,
    codes::BRANCH_FOR_PREDICATE,
];

/// The lints of each item of a group. Computed only if a lint is switched on.
#[salsa::tracked(returns(deref))]
pub(crate) fn group_lints<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[Box<[Problem]>]> {
    items_of(db, group).iter().map(|item| item_lints(db, *item)).collect()
}

fn item_lints(db: &dyn Db, item: Item<'_>) -> Box<[Problem]> {
    let mut found = Vec::new();
    if item.parse(db).errors().is_empty() {
        (db.language(item.language(db)).lints)(db, item.file(db), item, &mut found);
    }
    found.into()
}
