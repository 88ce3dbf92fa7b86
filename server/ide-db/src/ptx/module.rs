//! Declarations that the items of a file share.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use warplens_hir::ptx::{ModuleKind, ModuleNames};
use warplens_syntax::ItemKind;

use crate::db::{Db, File, Item, item_groups, items};
use crate::ptx::lowered::symbol_group;

/// The names that the items of a PTX file declare. The query reads only headers, so edits in bodies do not
/// invalidate it.
#[salsa::tracked]
pub fn module_names(db: &dyn Db, file: File) -> ModuleNames {
    if file.language(db) != warplens_syntax::ptx::LANGUAGE {
        return ModuleNames::default();
    }
    ModuleNames::new(item_groups(db, file).iter().map(|group| symbol_group(db, *group)))
}

/// The functions declared `.noreturn`. Checks of an item may depend on the set because it is small and rarely
/// changes.
#[salsa::tracked(returns(ref))]
pub fn never_returns(db: &dyn Db, file: File) -> FxHashSet<SmolStr> {
    let symbols = module_names(db, file).symbols().iter();
    let never =
        symbols.filter(|symbol| matches!(symbol.kind, ModuleKind::Function { is_noreturn: true, .. }));
    never.map(|symbol| symbol.name.clone()).collect()
}

/// The words of a file's debug sections, including labels that functions declare only for these sections.
#[salsa::tracked(returns(ref))]
pub fn debug_names(db: &dyn Db, file: File) -> FxHashSet<SmolStr> {
    let directives = items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Directive);
    directives.flat_map(|item| section_words(db, *item)).cloned().collect()
}

/// The words of a section; none for other items. It reads the text and not the tree, because sections are
/// long and simple.
#[salsa::tracked(returns(deref))]
fn section_words<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[SmolStr]> {
    let text = &*item.text(db).0;
    if !text.contains(".section") && !text.contains("@@DWARF") {
        return Box::default();
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let words = text.split(|c| !is_name(c)).filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let words: FxHashSet<SmolStr> = words.filter(|word| !word.is_empty()).map(SmolStr::from).collect();
    words.into_iter().collect()
}
