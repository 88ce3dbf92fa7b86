//! Lowered SASS items, bounded by size.

use std::sync::Arc;

use smol_str::SmolStr;
use warplens_hir::sass::{self, Facts, Function, Listing, Target};

use crate::db::{Db, File, Item, items};

/// The lowered item. An earlier item may state its target.
pub fn sass_code(db: &dyn Db, item: Item<'_>) -> Arc<sass::Code> {
    let inherited = inherited_target(db, item);
    let lower = || Arc::new(sass::lower(item.parse(db).root())).for_target(inherited.as_ref());
    let code = db.cache().of_texts(&item.text(db).0, lower);
    // The same text may have been lowered for another target.
    code.for_target(inherited.as_ref())
}

/// The functions of a file, including the facts that any item of the file states about them.
pub fn listing(db: &dyn Db, file: File) -> Listing {
    let list = file.document(db).items();
    let code = |(index, item): (usize, &Item<'_>)| (sass_code(db, *item), list.start_of(index));
    Listing::new(items(db, file).iter().enumerate().map(code).collect())
}

/// The facts that the notes of a file state about its functions, by name.
#[salsa::tracked(returns(deref))]
pub fn facts(db: &dyn Db, file: File) -> Box<[(SmolStr, Facts)]> {
    let is_note = |name: &str| name.starts_with(".nv.info") || name.starts_with(".nv.shared.");
    let notes = items(db, file).iter().filter(|item| item.name(db).is_some_and(|name| is_note(&name)));
    let notes: Vec<_> = notes.map(|item| sass_code(db, *item)).collect();
    sass::facts(notes.iter().filter_map(|code| code.section.as_ref())).into_iter().collect()
}

/// The facts about a function: from its header and from the notes of the file.
pub fn facts_of(db: &dyn Db, file: File, function: &Function) -> Facts {
    let name = function.name.as_ref().map_or("", |name| name.text.as_str());
    let found = facts(db, file).iter().find(|(known, _)| known == name);
    let mut facts = found.map(|(_, facts)| facts.clone()).unwrap_or_default();
    facts.registers = facts.registers.or(function.registers);
    facts.barriers = facts.barriers.or(function.barriers);
    facts
}

/// The target that the function's item states, or the last one stated before it.
pub fn target_of(db: &dyn Db, item: Item<'_>, function: &Function) -> Option<Target> {
    function.target.clone().or_else(|| inherited_target(db, item))
}

#[salsa::tracked]
fn stated_target<'db>(db: &'db dyn Db, item: Item<'db>) -> Option<Target> {
    let text = &item.text(db).0;
    let may_state = ["sm_", "EF_CUDA_SM"].iter().any(|word| text.contains(word));
    may_state.then(|| sass::stated(item.parse(db).root())).flatten()
}

#[salsa::tracked(returns(deref))]
fn stated_targets(db: &dyn Db, file: File) -> Box<[(u32, Target)]> {
    let stated = |(index, item): (usize, &Item<'_>)| Some((index as u32, stated_target(db, *item).clone()?));
    items(db, file).iter().enumerate().filter_map(stated).collect()
}

/// The target that an item states, or the last one stated before it.
fn inherited_target(db: &dyn Db, item: Item<'_>) -> Option<Target> {
    if let Some(own) = stated_target(db, item) {
        return Some(own.clone());
    }
    match stated_targets(db, item.file(db)) {
        [] => None,
        // Most files state a single target, at their start.
        [(0, only)] => Some(only.clone()),
        all => {
            let index = items(db, item.file(db)).iter().position(|other| *other == item)? as u32;
            let before = all.iter().take_while(|(at, _)| *at <= index);
            before.last().map(|(_, target)| target.clone())
        }
    }
}
