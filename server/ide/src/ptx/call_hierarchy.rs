//! Calls in PTX. A callee is a function of the module.

use text_size::TextRange;
use warplens_hir::ptx::{DeclarationKind, Function, Resolution, Role};
use warplens_ide_db::ptx::{declared, module_names, ptx_function, ptx_header};
use warplens_ide_db::{CallItem, Calls, Database, File, Target, items, module_uses};

use crate::call_hierarchy::by_callee;
use crate::ptx::symbols;

/// The function with this name: its definition, or else its first declaration.
pub(super) fn item_of(db: &Database, file: File, name: &str) -> Option<CallItem> {
    let names = module_names(db, file);
    let symbol = names.definition(name).or_else(|| names.declarations(name).next())?;
    item_at(db, file, symbol.item as usize, symbol.declaration as usize)
}

fn item_at(db: &Database, file: File, index: usize, declaration: usize) -> Option<CallItem> {
    let item = items(db, file)[index];
    let declaration = &ptx_header(db, item).declarations[declaration];
    if let DeclarationKind::Variable(_) | DeclarationKind::SectionLabel = declaration.kind {
        return None;
    }
    let start = file.document(db).items().start_of(index);
    let focus = declaration.name_range;
    let full = declared::declaration_range(&item.parse(db).syntax(), focus) + start;
    Some(CallItem {
        name: declaration.name.to_string(),
        kind: symbols::kind(&declaration.kind),
        detail: declared::module_kind(&declaration.kind).replace('`', ""),
        target: Target { file: file.id(db), full, focus: focus + start },
    })
}

pub(super) fn incoming(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let list = file.document(db).items();
    let mut callers = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        // The memoized uses of the items show which few of them need a search.
        if !module_uses(db, *item).iter().any(|found| found.name == name) {
            continue;
        }
        let Some(function) = ptx_function(db, *item) else { continue };
        let start = list.start_of(index);
        let places: Vec<TextRange> =
            calls(&function).filter(|(callee, _)| *callee == name).map(|(_, range)| range + start).collect();
        if !places.is_empty()
            && let Some(item) = item_at(db, file, index, 0)
        {
            callers.push(Calls { item, places });
        }
    }
    callers
}

pub(super) fn outgoing(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let Some(symbol) = module_names(db, file).definition(name) else { return Vec::new() };
    let index = symbol.item as usize;
    let Some(function) = ptx_function(db, items(db, file)[index]) else { return Vec::new() };
    let start = file.document(db).items().start_of(index);
    let calls = calls(&function).map(|(callee, range)| (callee, range + start));
    by_callee(calls, |callee| item_of(db, file, callee))
}

fn calls(function: &Function) -> impl Iterator<Item = (&str, TextRange)> {
    function.names().filter_map(|name| match (name.role, name.resolution) {
        (Role::Call, Resolution::External(callee)) => Some((callee, name.range)),
        _ => None,
    })
}
