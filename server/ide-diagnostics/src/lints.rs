//! Lints: correct code that can be made cheaper, each with a rewrite that computes the same in every lane.
//!
//! They are hints of one function and are found with its problems. A lint first matches the shape of the code, which is
//! cheap, and only then checks whether the branch is divergent. Uniform branches are not reported.

mod layout;
mod ptx;
mod wave;

use warplens_ide_db::db::{Db, File, Item, ptx_function, wave_code};
use warplens_ide_db::languages::Known;
use warplens_ide_db::module::{debug_names, never_returns};

use crate::codes;
use crate::problem::Problem;

/// The names of all lints.
pub const LINTS: [&str; 5] = [
    codes::BRANCH_FOR_SELECT,
    codes::BRANCH_FOR_BREAK,
    codes::BRANCH_FOR_CONTINUE,
    codes::NESTED_BRANCH,
    codes::BRANCH_FOR_PREDICATE,
];

/// The lints of an item without syntax errors. Computed only if a lint is switched on.
#[salsa::tracked(returns(deref))]
pub fn item_lints<'db>(db: &'db dyn Db, file: File, item: Item<'db>) -> Box<[Problem]> {
    let text = &item.text(db).0;
    let mut found = Vec::new();
    if !item.parse(db).errors().is_empty() {
        return found.into();
    }
    match Known::of(item.language(db)) {
        Known::Wave => wave::check(&wave_code(db, item), text, file.accepts(db), &mut found),
        Known::Ptx => {
            if let Some(function) = ptx_function(db, item) {
                let cfg = || function.cfg(&|name| never_returns(db, file).contains(name));
                ptx::check(&function, text, cfg, || debug_names(db, file), &mut found);
            }
        }
    }
    found.into()
}
